module {
  tile.program @decode_combine_kernel attributes {block = [["BLOCK_P", 2], ["DIM", 64]], source = "examples/flash_decode.py:68"} {
    %part_ptr = tile.tensor : memref<2x8x2x64xf32, strided<[1024, 128, 64, 1]>>
    %lse_ptr = tile.tensor : memref<2x8x2xf32, strided<[16, 2, 1]>>
    %o_ptr = tile.tensor : memref<2x8x64xbf16, strided<[512, 64, 1]>>
    affine.parallel (%batch, %head) = (0, 0) to (2, 8) {
      tile.buffer %share_4 : tensor<2xf32> {loop = null, reason = "used by a reduction and again"}
      %lse = tile.load @lse_ptr %lse_ptr[affine_map<(batch, head) -> (1 * batch, 1 * head, 0)>] : tile<1x1x2> {masked = [false, false, false], bounds = ["index", "index", "index < 2"], fill = -1e+30, class = "affine", source = "examples/flash_decode.py:82", note = ""}
      %partial = tile.load @part_ptr %part_ptr[affine_map<(batch, head) -> (1 * batch, 1 * head, 0, 0)>] : tile<1x1x2x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 2", "index"], fill = 0.0, class = "affine", source = "examples/flash_decode.py:84", note = ""}
      %share = tile.reduce_max(%lse) {axis = 0, source = "examples/flash_decode.py:88"} : (tensor<2xf32>) -> tensor<f32>
      %share_2 = tile.broadcast(%share) {source = "examples/flash_decode.py:88"} : (tensor<f32>) -> tensor<2xf32>
      %share_3 = tile.sub(%lse, %share_2) {source = "examples/flash_decode.py:88"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %share_4 = tile.exp2(%share_3) {source = "examples/flash_decode.py:88"} : (tensor<2xf32>) -> tensor<2xf32>
      %o = tile.reshape(%share_4) {axis = 1, source = "examples/flash_decode.py:89"} : (tensor<2xf32>) -> tensor<2x1xf32>
      %o_2 = tile.broadcast(%o) {source = "examples/flash_decode.py:89"} : (tensor<2x1xf32>) -> tensor<2x64xf32>
      %o_3 = tile.mul(%o_2, %partial) {source = "examples/flash_decode.py:89"} : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
      %o_4 = tile.reduce_sum(%o_3) {axis = 0, source = "examples/flash_decode.py:89"} : (tensor<2x64xf32>) -> tensor<64xf32>
      %o_5 = tile.reduce_sum(%share_4) {axis = 0, source = "examples/flash_decode.py:89"} : (tensor<2xf32>) -> tensor<f32>
      %o_6 = tile.broadcast(%o_5) {source = "examples/flash_decode.py:89"} : (tensor<f32>) -> tensor<64xf32>
      %o_7 = tile.div(%o_4, %o_6) {source = "examples/flash_decode.py:89"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %cast = tile.cast(%o_7) {source = "examples/flash_decode.py:90"} : (tensor<64xf32>) -> tensor<64xbf16>
      tile.store @o_ptr %cast to %o_ptr[affine_map<(batch, head) -> (1 * batch, 1 * head, 0)>] : tile<1x1x64> {masked = [false, false, false], class = "affine", source = "examples/flash_decode.py:90", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "lse_ptr", level = "wave.head", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "part_ptr", level = "wave.head", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "o_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "lse_ptr", tensor = "lse_ptr", format = "fp32", axes = [[1, 1, 2, 0], [1, 1, 8, 0], [2, 32, 1, 0]], rows = 2, in_runs = false, padding = "-1e+30"} : () -> ()
    "plan.layout"() {name = "part_ptr", tensor = "part_ptr", format = "fp32", axes = [[1, 1, 2, 0], [1, 1, 8, 0], [2, 32, 1, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "o_ptr", tensor = "o_ptr", format = "bf16", axes = [[1, 1, 2, 0], [1, 1, 8, 0], [32, 32, 2, 0]], columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "lse_ptr", role = "load", format = "fp32", shape = [1, 1, 2], pages = 1, slots = 2, page_bytes = 4096, tiles = 1, offset = 0, first = 0, last = 9} : () -> ()
    "plan.buffer"() {index = 1, name = "part_ptr", role = "load", format = "fp32", shape = [1, 1, 2, 64], pages = 2, slots = 2, page_bytes = 4096, tiles = 1, offset = 8192, first = 0, last = 9} : () -> ()
    "plan.buffer"() {index = 2, name = "o_ptr", role = "store", format = "bf16", shape = [1, 1, 64], pages = 8, slots = 1, page_bytes = 2048, tiles = 4, offset = 24576, first = 0, last = 9} : () -> ()
    "plan.buffer"() {index = 3, name = "share_4", role = "value", format = "fp32", shape = [2], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 40960, first = 6, last = 6} : () -> ()
    "plan.stream"() {access = "lse_ptr", kind = "load", buffer = "lse_ptr", layout = "lse_ptr", tile = [1, 1, 2], starts = ["1 * batch", "1 * head", "0"], inner = [], bounds = ["index", "index", "index < 2"], fill = "-1e+30", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "part_ptr", kind = "load", buffer = "part_ptr", layout = "part_ptr", tile = [1, 1, 2, 64], starts = ["1 * batch", "1 * head", "0", "0"], inner = [], bounds = ["index", "index", "index < 2", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "o_ptr", kind = "store", buffer = "o_ptr", layout = "o_ptr", tile = [1, 1, 64], starts = ["1 * batch", "1 * head", "0"], inner = [["head", 4]], bounds = ["index", "index", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["batch", 0], ["head", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["batch", 0], ["head", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["batch", 1], ["head", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["batch", 1], ["head", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "head", value = "core_head + 2 * wave.head"} : () -> ()
        "plan.move"() {stream = "part_ptr"} : () -> ()
      }) {counter = "wave.head", stop = 4, source = "waves of head"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "head", value = "core_head + 2 * wave.head"} : () -> ()
        "plan.move"() {stream = "lse_ptr"} : () -> ()
      }) {counter = "wave.head", stop = 4, source = "waves of head"} : () -> ()
      "plan.move"() {stream = "o_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.make"() {buffer = "o_ptr"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "head", value = "core_head + 2 * wave.head"} : () -> ()
        "plan.take"() {buffer = "lse_ptr"} : () -> ()
        "plan.take"() {buffer = "part_ptr"} : () -> ()
        "plan.compute"() {ops = ["share", "share_2", "share_3", "share_4", "o", "o_2", "o_3", "o_4", "o_5", "o_6", "o_7", "cast"]} : () -> ()
        "plan.drop"() {buffer = "part_ptr"} : () -> ()
        "plan.drop"() {buffer = "lse_ptr"} : () -> ()
      }) {counter = "wave.head", stop = 4, source = "waves of head"} : () -> ()
      "plan.hand"() {buffer = "o_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "decode_combine_kernel", device = "blackhole[2x2]", block = [["BLOCK_P", 2], ["DIM", 64]], spatial = [["batch/2"], ["head/2"]], order = [["head"]], origin = [], semaphores = 0} : () -> ()
}
