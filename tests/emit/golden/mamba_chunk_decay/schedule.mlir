module {
  tile.program @chunk_decay_kernel attributes {block = [["BLOCK_H", 32], ["CHUNK", 64]], source = "examples/mamba_chunk_state.py:16"} {
    %dt_ptr = tile.tensor : memref<1x128x2xf32, strided<[256, 2, 1]>>
    %a_ptr = tile.tensor : memref<2xf32, strided<[1]>>
    %decay_ptr = tile.tensor : memref<1x2x128xf32, strided<[256, 128, 1]>>
    affine.parallel (%chunk) = (0) to (2) {
      %dt_tile = tile.load @dt_ptr %dt_ptr[affine_map<(chunk) -> (0, 64 * chunk, 0)>] : tile<1x64x32> {masked = [false, false, true], bounds = ["index", "index < 128", "index < 2"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_state.py:31", note = ""}
      %a = tile.load @a_ptr %a_ptr[affine_map<(chunk) -> (0)>] : tile<32> {masked = [true], bounds = ["index < 2"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_state.py:32", note = ""}
      %dt = tile.transpose(%dt_tile) {order = "1,0", source = "examples/mamba_chunk_state.py:31"} : (tensor<64x32xf32>) -> tensor<32x64xf32>
      %decay_2 = tile.reshape(%a) {axis = 1, source = "examples/mamba_chunk_state.py:33"} : (tensor<32xf32>) -> tensor<32x1xf32>
      %decay_3 = tile.broadcast(%decay_2) {source = "examples/mamba_chunk_state.py:33"} : (tensor<32x1xf32>) -> tensor<32x64xf32>
      %decay_4 = tile.mul(%dt, %decay_3) {source = "examples/mamba_chunk_state.py:33"} : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
      %decay = tile.scan_sum(%decay_4) {axis = 1, source = "examples/mamba_chunk_state.py:33"} : (tensor<32x64xf32>) -> tensor<32x64xf32>
      tile.store @decay_ptr %decay to %decay_ptr[affine_map<(chunk) -> (0, 0, 64 * chunk)>] : tile<1x32x64> {masked = [false, true, false], bounds = ["index", "index < 2", "index"], class = "affine", source = "examples/mamba_chunk_state.py:35", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "dt_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "a_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "decay_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "dt_ptr", tensor = "dt_ptr", format = "fp32", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [32, 32, 1, 0]], rows = 1, columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "a_ptr", tensor = "a_ptr", format = "fp32", axes = [[32, 32, 1, 0]], rows = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "decay_ptr", tensor = "decay_ptr", format = "fp32", axes = [[1, 1, 1, 0], [32, 32, 1, 0], [32, 32, 4, 0]], rows = 1, columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "dt_ptr", role = "load", format = "fp32", shape = [1, 64, 32], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 0, first = 0, last = 7} : () -> ()
    "plan.buffer"() {index = 1, name = "a_ptr", role = "load", format = "fp32", shape = [32], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 8192, first = 0, last = 7} : () -> ()
    "plan.buffer"() {index = 2, name = "decay_ptr", role = "store", format = "fp32", shape = [1, 32, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 12288, first = 0, last = 7} : () -> ()
    "plan.stream"() {access = "dt_ptr", kind = "load", buffer = "dt_ptr", layout = "dt_ptr", tile = [1, 64, 32], starts = ["0", "64 * chunk", "0"], inner = [], bounds = ["index", "index < 128", "index < 2"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "a_ptr", kind = "load", buffer = "a_ptr", layout = "a_ptr", tile = [32], starts = ["0"], inner = [], bounds = ["index < 2"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "decay_ptr", kind = "store", buffer = "decay_ptr", layout = "decay_ptr", tile = [1, 32, 64], starts = ["0", "0", "64 * chunk"], inner = [], bounds = ["index", "index < 2", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["chunk", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["chunk", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "chunk", value = "core_chunk"} : () -> ()
      "plan.move"() {stream = "dt_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "chunk", value = "core_chunk"} : () -> ()
      "plan.move"() {stream = "a_ptr"} : () -> ()
      "plan.move"() {stream = "decay_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "chunk", value = "core_chunk"} : () -> ()
      "plan.take"() {buffer = "dt_ptr"} : () -> ()
      "plan.take"() {buffer = "a_ptr"} : () -> ()
      "plan.make"() {buffer = "decay_ptr"} : () -> ()
      "plan.compute"() {ops = ["dt", "decay_2", "decay_3", "decay_4", "decay"]} : () -> ()
      "plan.hand"() {buffer = "decay_ptr"} : () -> ()
      "plan.drop"() {buffer = "a_ptr"} : () -> ()
      "plan.drop"() {buffer = "dt_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "chunk_decay_kernel", device = "blackhole[2x2]", block = [["BLOCK_H", 32], ["CHUNK", 64]], spatial = [[], ["chunk/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
