module {
  tile.program @matmul_bias_gelu attributes {block = [["tile_m", 32], ["tile_n", 32], ["tile_k", 64]], source = "examples/helion_matmul.py:13"} {
    %a = tile.tensor : memref<64x64xbf16, strided<[64, 1]>>
    %b = tile.tensor : memref<64x64xbf16, strided<[64, 1]>>
    %bias = tile.tensor : memref<64xbf16, strided<[1]>>
    %c = tile.tensor : memref<64x64xbf16, strided<[64, 1]>>
    affine.parallel (%pid_0, %pid_1) = (0, 0) to (2, 2) {
      %load = tile.load @a %a[affine_map<(pid_0, pid_1) -> (32 * pid_0, 0)>] : tile<32x64> {masked = [false, false], class = "affine", source = "examples/helion_matmul.py:21", note = ""}
      %load_1 = tile.load @b %b[affine_map<(pid_0, pid_1) -> (0, 32 * pid_1)>] : tile<64x32> {masked = [false, false], class = "affine", source = "examples/helion_matmul.py:21", note = ""}
      %load_2 = tile.load @bias %bias[affine_map<(pid_0, pid_1) -> (32 * pid_1)>] : tile<32> {masked = [false], class = "affine", source = "examples/helion_matmul.py:22", note = ""}
      %constant = tile.constant() {value = "0.5", source = ""} : () -> tensor<32x32xf32>
      %constant_2 = tile.constant() {value = "0.707106769", source = ""} : () -> tensor<32x32xf32>
      %constant_3 = tile.constant() {value = "1.0", source = ""} : () -> tensor<32x32xf32>
      %v_0 = tile.reshape(%load_2) {axis = 0, source = "examples/helion_matmul.py:22"} : (tensor<32xbf16>) -> tensor<1x32xbf16>
      %v_1 = tile.cast(%v_0) {source = "examples/helion_matmul.py:22"} : (tensor<1x32xbf16>) -> tensor<1x32xf32>
      %v_2 = tile.broadcast(%v_1) {source = "examples/helion_matmul.py:22"} : (tensor<1x32xf32>) -> tensor<32x32xf32>
      %acc = tile.dot(%load, %load_1, %v_2) {k = 64, source = "examples/helion_matmul.py:21"} : (tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x32xf32>) -> tensor<32x32xf32>
      %_gelu_erf = tile.mul(%acc, %constant) {source = "examples/helion_matmul.py:22"} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      %_gelu_erf_2 = tile.mul(%acc, %constant_2) {source = "examples/helion_matmul.py:22"} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      %_gelu_erf_3 = tile.extern_elementwise(%_gelu_erf_2) {symbol = "__nv_erff", source = "examples/helion_matmul.py:22"} : (tensor<32x32xf32>) -> tensor<32x32xf32>
      %_gelu_erf_4 = tile.add(%_gelu_erf_3, %constant_3) {source = "examples/helion_matmul.py:22"} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      %_gelu_erf_5 = tile.mul(%_gelu_erf, %_gelu_erf_4) {source = "examples/helion_matmul.py:22"} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      %v_3 = tile.cast(%_gelu_erf_5) {source = "examples/helion_matmul.py:22"} : (tensor<32x32xf32>) -> tensor<32x32xbf16>
      tile.store @c %v_3 to %c[affine_map<(pid_0, pid_1) -> (32 * pid_0, 32 * pid_1)>] : tile<32x32> {masked = [false, false], class = "affine", source = "examples/helion_matmul.py:22", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "a", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b", level = "", depth = 1, groups = [2, 1], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "bias", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "c", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "a", tensor = "a", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b", tensor = "b", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "bias", tensor = "bias", format = "bf16", axes = [[32, 32, 2, 0]], columns = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "c", tensor = "c", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "a", role = "load", format = "bf16", shape = [32, 64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 10} : () -> ()
    "plan.buffer"() {index = 1, name = "b", role = "load", format = "bf16", shape = [64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 4096, first = 0, last = 10} : () -> ()
    "plan.buffer"() {index = 2, name = "bias", role = "load", format = "bf16", shape = [32], pages = 1, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 10} : () -> ()
    "plan.buffer"() {index = 3, name = "c", role = "store", format = "bf16", shape = [32, 32], pages = 1, slots = 1, page_bytes = 2048, tiles = 1, offset = 10240, first = 0, last = 10} : () -> ()
    "plan.stream"() {access = "a", kind = "load", buffer = "a", layout = "a", tile = [32, 64], starts = ["32 * pid_0", "0"], inner = [], bounds = ["index", "index"], noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b", kind = "load", buffer = "b", layout = "b", tile = [64, 32], starts = ["0", "32 * pid_1"], inner = [], bounds = ["index", "index"], noc = 1, pattern = "multicast", ready = 1, valid = 0} : () -> ()
    "plan.group"() {access = "b", reader = [1, 0], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [1, 0]]} : () -> ()
    "plan.group"() {access = "b", reader = [1, 1], low = [0, 1], high = [0, 1], receivers = 1, cores = [[0, 1], [1, 1]]} : () -> ()
    "plan.stream"() {access = "bias", kind = "load", buffer = "bias", layout = "bias", tile = [32], starts = ["32 * pid_1"], inner = [], bounds = ["index"], noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "c", kind = "store", buffer = "c", layout = "c", tile = [32, 32], starts = ["32 * pid_0", "32 * pid_1"], inner = [], bounds = ["index", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["pid_0", 0], ["pid_1", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["pid_0", 0], ["pid_1", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["pid_0", 1], ["pid_1", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["pid_0", 1], ["pid_1", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_0", value = "core_pid_0"} : () -> ()
      "plan.let"() {name = "pid_1", value = "core_pid_1"} : () -> ()
      "plan.move"() {stream = "a"} : () -> ()
      "plan.move"() {stream = "bias"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_0", value = "core_pid_0"} : () -> ()
      "plan.let"() {name = "pid_1", value = "core_pid_1"} : () -> ()
      "plan.move"() {stream = "b"} : () -> ()
      "plan.move"() {stream = "c"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_0", value = "core_pid_0"} : () -> ()
      "plan.let"() {name = "pid_1", value = "core_pid_1"} : () -> ()
      "plan.take"() {buffer = "a"} : () -> ()
      "plan.take"() {buffer = "b"} : () -> ()
      "plan.take"() {buffer = "bias"} : () -> ()
      "plan.make"() {buffer = "c"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "v_0", "v_1", "v_2", "acc", "_gelu_erf", "_gelu_erf_2", "_gelu_erf_3", "_gelu_erf_4", "_gelu_erf_5", "v_3"]} : () -> ()
      "plan.hand"() {buffer = "c"} : () -> ()
      "plan.drop"() {buffer = "bias"} : () -> ()
      "plan.drop"() {buffer = "b"} : () -> ()
      "plan.drop"() {buffer = "a"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "matmul_bias_gelu", device = "wormhole[2x2]", block = [["tile_m", 32], ["tile_n", 32], ["tile_k", 64]], spatial = [["pid_0/2"], ["pid_1/2"]], order = [], origin = [], semaphores = 2} : () -> ()
}
