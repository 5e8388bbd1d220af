module {
  tile.program @chunk_state_kernel attributes {block = [["BLOCK_M", 32], ["BLOCK_N", 64], ["BLOCK_K", 32]], source = "examples/mamba_chunk_state.py:38"} {
    %x_ptr = tile.tensor : memref<1x128x2x32xbf16, strided<[8192, 64, 32, 1]>>
    %b_ptr = tile.tensor : memref<1x128x1x32xbf16, strided<[4096, 32, 32, 1]>>
    %dt_ptr = tile.tensor : memref<1x128x2xf32, strided<[256, 2, 1]>>
    %decay_ptr = tile.tensor : memref<1x2x128xf32, strided<[256, 128, 1]>>
    %state_ptr = tile.tensor : memref<1x2x2x32x32xf32, strided<[4096, 2048, 1024, 32, 1]>>
    affine.parallel (%batch, %head) = (0, 0) to (2, 2) {
      tile.buffer %acc_8 : tensor<32x64xf32> {loop = "k", reason = "carried from trip to trip"}
      tile.buffer %x : tensor<32x32xbf16> {loop = "k", reason = "operand of a dot"}
      tile.buffer %acc_6 : tensor<32x64xbf16> {loop = "k", reason = "operand of a dot"}
      %decay_end = tile.load @decay_ptr %decay_ptr[affine_map<(batch, head) -> (0, 1 * head, 64 * batch + 63)>] : tile<1x1x1> {masked = [false, false, false], class = "affine", source = "examples/mamba_chunk_state.py:74", note = ""}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<32x64xf32>
      %acc = scf.for %k = 0 to 2 step 1 iter_args(%acc_8 = %constant) {
        %x_tile = tile.load @x_ptr %x_ptr[affine_map<(batch, head, k) -> (0, 64 * batch + 32 * k, 1 * head, 0)>] : tile<1x32x1x32> {masked = [false, false, false, false], bounds = ["index", "index < 128", "index", "index < 32"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_state.py:81", note = ""}
        %b = tile.load @b_ptr %b_ptr[affine_map<(batch, head, k) -> (0, 64 * batch + 32 * k, 0, 0)>] : tile<1x32x1x64> {masked = [false, false, false, true], bounds = ["index", "index < 128", "index", "index < 32"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_state.py:86", note = ""}
        %dt = tile.load @dt_ptr %dt_ptr[affine_map<(batch, head, k) -> (0, 64 * batch + 32 * k, 1 * head)>] : tile<1x32x1> {masked = [false, false, false], bounds = ["index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_state.py:90", note = ""}
        %decay = tile.load @decay_ptr_2 %decay_ptr[affine_map<(batch, head, k) -> (0, 1 * head, 64 * batch + 32 * k)>] : tile<1x1x32> {masked = [false, false, false], class = "affine", source = "examples/mamba_chunk_state.py:91", note = ""}
        %x = tile.transpose(%x_tile) {order = "1,0", source = "examples/mamba_chunk_state.py:81"} : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
        %scale = tile.broadcast(%decay_end) {source = "examples/mamba_chunk_state.py:92"} : (tensor<f32>) -> tensor<32xf32>
        %scale_2 = tile.sub(%scale, %decay) {source = "examples/mamba_chunk_state.py:92"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
        %scale_3 = tile.exp(%scale_2) {source = "examples/mamba_chunk_state.py:92"} : (tensor<32xf32>) -> tensor<32xf32>
        %scale_4 = tile.mul(%scale_3, %dt) {source = "examples/mamba_chunk_state.py:92"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
        %acc_2 = tile.reshape(%scale_4) {axis = 1, source = "examples/mamba_chunk_state.py:93"} : (tensor<32xf32>) -> tensor<32x1xf32>
        %acc_3 = tile.cast(%b) {source = "examples/mamba_chunk_state.py:93"} : (tensor<32x64xbf16>) -> tensor<32x64xf32>
        %acc_4 = tile.broadcast(%acc_2) {source = "examples/mamba_chunk_state.py:93"} : (tensor<32x1xf32>) -> tensor<32x64xf32>
        %acc_5 = tile.mul(%acc_3, %acc_4) {source = "examples/mamba_chunk_state.py:93"} : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
        %acc_6 = tile.cast(%acc_5) {source = "examples/mamba_chunk_state.py:93"} : (tensor<32x64xf32>) -> tensor<32x64xbf16>
        %acc_7 = tile.dot(%x, %acc_6, %acc_8) {k = 32, source = "examples/mamba_chunk_state.py:93"} : (tensor<32x32xbf16>, tensor<32x64xbf16>, tensor<32x64xf32>) -> tensor<32x64xf32>
        scf.yield %acc_7
      }
      tile.store @state_ptr %acc to %state_ptr[affine_map<(batch, head) -> (0, 1 * batch, 1 * head, 0, 0)>] : tile<1x1x1x32x64> {masked = [false, false, false, false, true], bounds = ["index", "index", "index", "index < 32", "index < 32"], class = "affine", source = "examples/mamba_chunk_state.py:98", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "decay_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "", depth = 1, groups = [2, 1], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "dt_ptr", level = "k", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "decay_ptr_2", level = "k", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "state_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "decay_ptr", tensor = "decay_ptr", format = "fp32", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [1, 1, 128, 0]], in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 2, 0], [32, 32, 1, 0]], rows = 1, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bf16", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 1, 0], [32, 32, 1, 0]], rows = 1, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "dt_ptr", tensor = "dt_ptr", format = "fp32", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 2, 0]], rows = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "decay_ptr.2", tensor = "decay_ptr", format = "fp32", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0]], rows = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "state_ptr", tensor = "state_ptr", format = "fp32", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [1, 1, 2, 0], [32, 32, 1, 0], [32, 32, 1, 0]], rows = 3, columns = 4, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "decay_ptr", role = "load", format = "fp32", shape = [1, 1, 1], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 0, first = 0, last = 17} : () -> ()
    "plan.buffer"() {index = 1, name = "x_ptr", role = "load", format = "bf16", shape = [1, 32, 1, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 2, offset = 4096, first = 0, last = 17} : () -> ()
    "plan.buffer"() {index = 2, name = "b_ptr", role = "load", format = "bf16", shape = [1, 32, 1, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 2, offset = 8192, first = 0, last = 17} : () -> ()
    "plan.buffer"() {index = 3, name = "dt_ptr", role = "load", format = "fp32", shape = [1, 32, 1], pages = 1, slots = 2, page_bytes = 4096, tiles = 1, offset = 16384, first = 0, last = 17} : () -> ()
    "plan.buffer"() {index = 4, name = "decay_ptr_2", role = "load", format = "fp32", shape = [1, 1, 32], pages = 1, slots = 2, page_bytes = 4096, tiles = 1, offset = 24576, first = 0, last = 17} : () -> ()
    "plan.buffer"() {index = 5, name = "state_ptr", role = "store", format = "fp32", shape = [1, 1, 1, 32, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 32768, first = 0, last = 17} : () -> ()
    "plan.buffer"() {index = 6, name = "acc_8", role = "value", format = "fp32", shape = [32, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 40960, first = 6, last = 11} : () -> ()
    "plan.buffer"() {index = 7, name = "x", role = "value", format = "bf16", shape = [32, 32], pages = 1, slots = 1, page_bytes = 2048, tiles = 1, offset = 49152, first = 9, last = 9} : () -> ()
    "plan.buffer"() {index = 8, name = "acc_6", role = "value", format = "bf16", shape = [32, 64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 51200, first = 9, last = 9} : () -> ()
    "plan.stream"() {access = "decay_ptr", kind = "load", buffer = "decay_ptr", layout = "decay_ptr", tile = [1, 1, 1], starts = ["0", "1 * head", "64 * batch + 63"], inner = [], bounds = ["index", "index", "index"], noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [1, 32, 1, 32], starts = ["0", "64 * batch + 32 * k", "1 * head", "0"], inner = [["k", 2]], bounds = ["index", "index < 128", "index", "index < 32"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [1, 32, 1, 64], starts = ["0", "64 * batch + 32 * k", "0", "0"], inner = [["k", 2]], bounds = ["index", "index < 128", "index", "index < 32"], fill = "0.0", noc = 1, pattern = "multicast", ready = 1, valid = 0} : () -> ()
    "plan.group"() {access = "b_ptr", reader = [1, 0], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [1, 0]]} : () -> ()
    "plan.group"() {access = "b_ptr", reader = [1, 1], low = [0, 1], high = [0, 1], receivers = 1, cores = [[0, 1], [1, 1]]} : () -> ()
    "plan.stream"() {access = "dt_ptr", kind = "load", buffer = "dt_ptr", layout = "dt_ptr", tile = [1, 32, 1], starts = ["0", "64 * batch + 32 * k", "1 * head"], inner = [], bounds = ["index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "decay_ptr_2", kind = "load", buffer = "decay_ptr_2", layout = "decay_ptr.2", tile = [1, 1, 32], starts = ["0", "1 * head", "64 * batch + 32 * k"], inner = [], bounds = ["index", "index", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "state_ptr", kind = "store", buffer = "state_ptr", layout = "state_ptr", tile = [1, 1, 1, 32, 64], starts = ["0", "1 * batch", "1 * head", "0", "0"], inner = [], bounds = ["index", "index", "index", "index < 32", "index < 32"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["head", 0], ["batch", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["head", 0], ["batch", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["head", 1], ["batch", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["head", 1], ["batch", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "head", value = "core_head"} : () -> ()
      "plan.move"() {stream = "decay_ptr"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "dt_ptr"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "head", value = "core_head"} : () -> ()
      "plan.move"() {stream = "b_ptr"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "decay_ptr_2"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
      "plan.move"() {stream = "state_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "head", value = "core_head"} : () -> ()
      "plan.take"() {buffer = "decay_ptr"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.take"() {buffer = "b_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant"]} : () -> ()
      "plan.for"() ({
        "plan.take"() {buffer = "dt_ptr"} : () -> ()
        "plan.take"() {buffer = "decay_ptr_2"} : () -> ()
        "plan.compute"() {ops = ["x", "scale", "scale_2", "scale_3", "scale_4", "acc_2", "acc_3", "acc_4", "acc_5", "acc_6", "acc_7"], loop = "k"} : () -> ()
        "plan.drop"() {buffer = "decay_ptr_2"} : () -> ()
        "plan.drop"() {buffer = "dt_ptr"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
      "plan.make"() {buffer = "state_ptr"} : () -> ()
      "plan.compute"() {ops = ["state_ptr"]} : () -> ()
      "plan.hand"() {buffer = "state_ptr"} : () -> ()
      "plan.drop"() {buffer = "b_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
      "plan.drop"() {buffer = "decay_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "chunk_state_kernel", device = "wormhole[2x2]", block = [["BLOCK_M", 32], ["BLOCK_N", 64], ["BLOCK_K", 32]], spatial = [["head/2"], ["batch/2"]], order = [], origin = [], semaphores = 2} : () -> ()
}
