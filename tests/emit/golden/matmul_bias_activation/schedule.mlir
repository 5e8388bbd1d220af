module {
  tile.program @linear_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64]], source = "examples/matmul_bias_activation.py:32"} {
    %x_ptr = tile.tensor : memref<70x72xbf16, strided<[72, 1]>>
    %w_ptr = tile.tensor : memref<60x72xbf16, strided<[72, 1]>>
    %bias_ptr = tile.tensor : memref<60xbf16, strided<[1]>>
    %y_ptr = tile.tensor : memref<70x60xbf16, strided<[60, 1]>>
    affine.parallel (%pid_m) = (0) to (2) {
      tile.buffer %acc_2 : tensor<64x64xf32> {loop = "k", reason = "carried from trip to trip"}
      tile.buffer %w : tensor<64x64xbf16> {loop = "k", reason = "operand of a dot"}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_2 = tile.constant() {value = "0.044715", source = ""} : () -> tensor<64x64xf32>
      %constant_3 = tile.constant() {value = "1.59576917", source = ""} : () -> tensor<64x64xf32>
      %constant_4 = tile.constant() {value = "1.0", source = ""} : () -> tensor<64x64xf32>
      %constant_5 = tile.constant() {value = "1.0", source = ""} : () -> tensor<64x64xf32>
      %acc_3 = scf.for %k = 0 to 2 step 1 iter_args(%acc_2 = %constant) {
        %x = tile.load @x_ptr %x_ptr[affine_map<(pid_m, k) -> (64 * pid_m, 64 * k)>] : tile<64x64> {masked = [true, true], bounds = ["index < 70", "index < 72"], fill = 0.0, class = "affine", source = "examples/matmul_bias_activation.py:60", note = ""}
        %w_tile = tile.load @w_ptr %w_ptr[affine_map<(pid_m, k) -> (0, 64 * k)>] : tile<64x64> {masked = [true, true], bounds = ["index < 60", "index < 72"], fill = 0.0, class = "affine", source = "examples/matmul_bias_activation.py:61", note = ""}
        %w = tile.transpose(%w_tile) {order = "1,0", source = "examples/matmul_bias_activation.py:61"} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
        %acc = tile.dot(%x, %w, %acc_2) {k = 64, source = "examples/matmul_bias_activation.py:62"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %acc
      }
      %bias = tile.load @bias_ptr %bias_ptr[affine_map<(pid_m) -> (0)>] : tile<64> {masked = [true], bounds = ["index < 60"], fill = 0.0, class = "affine", source = "examples/matmul_bias_activation.py:67", note = ""}
      %bias_2 = tile.cast(%bias) {source = "examples/matmul_bias_activation.py:67"} : (tensor<64xbf16>) -> tensor<64xf32>
      %acc_4 = tile.reshape(%bias_2) {axis = 0, source = "examples/matmul_bias_activation.py:68"} : (tensor<64xf32>) -> tensor<1x64xf32>
      %acc_5 = tile.broadcast(%acc_4) {source = "examples/matmul_bias_activation.py:68"} : (tensor<1x64xf32>) -> tensor<64x64xf32>
      %acc_6 = tile.add(%acc_3, %acc_5) {source = "examples/matmul_bias_activation.py:68"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %mul = tile.mul(%acc_6, %constant_2) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %mul_2 = tile.mul(%mul, %acc_6) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %mul_3 = tile.mul(%mul_2, %acc_6) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %add = tile.add(%acc_6, %mul_3) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %mul_4 = tile.mul(%add, %constant_3) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %neg = tile.neg(%mul_4) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
      %exp = tile.exp(%neg) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
      %add_2 = tile.add(%exp, %constant_4) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %div = tile.div(%constant_5, %add_2) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %mul_5 = tile.mul(%acc_6, %div) {source = "examples/matmul_bias_activation.py:16"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %y = tile.cast(%mul_5) {source = "examples/matmul_bias_activation.py:69"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
      tile.store @y_ptr %y to %y_ptr[affine_map<(pid_m) -> (64 * pid_m, 0)>] : tile<64x64> {masked = [true, true], bounds = ["index < 70", "index < 60"], class = "affine", source = "examples/matmul_bias_activation.py:71", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "w_ptr", level = "", depth = 1, groups = [1, 2], pattern = "multicast", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "bias_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[32, 32, 3, 0], [32, 32, 3, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "w_ptr", tensor = "w_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 3, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "bias_ptr", tensor = "bias_ptr", format = "bf16", axes = [[32, 32, 2, 0]], columns = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[32, 32, 3, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "x_ptr", role = "load", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 14} : () -> ()
    "plan.buffer"() {index = 1, name = "w_ptr", role = "load", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 14} : () -> ()
    "plan.buffer"() {index = 2, name = "bias_ptr", role = "load", format = "bf16", shape = [64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 14} : () -> ()
    "plan.buffer"() {index = 3, name = "y_ptr", role = "store", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 20480, first = 0, last = 14} : () -> ()
    "plan.buffer"() {index = 4, name = "acc_2", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 28672, first = 5, last = 10} : () -> ()
    "plan.buffer"() {index = 5, name = "w", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 45056, first = 7, last = 7} : () -> ()
    "plan.buffer"() {index = 6, name = "combine.acc_3", role = "partial", format = "fp32", shape = [64, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 53248, first = 8, last = 8} : () -> ()
    "plan.buffer"() {index = 7, name = "outgoing.acc_3", role = "outgoing", format = "fp32", shape = [64, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 61440, first = 8, last = 8} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [64, 64], starts = ["64 * pid_m", "64 * k"], inner = [], bounds = ["index < 70", "index < 72"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "w_ptr", kind = "load", buffer = "w_ptr", layout = "w_ptr", tile = [64, 64], starts = ["0", "64 * k"], inner = [], bounds = ["index < 60", "index < 72"], fill = "0.0", noc = 0, pattern = "multicast", ready = 1, valid = 0} : () -> ()
    "plan.group"() {access = "w_ptr", reader = [0, 0], low = [0, 1], high = [0, 1], receivers = 1, cores = [[0, 0], [0, 1]]} : () -> ()
    "plan.group"() {access = "w_ptr", reader = [1, 0], low = [1, 1], high = [1, 1], receivers = 1, cores = [[1, 0], [1, 1]]} : () -> ()
    "plan.stream"() {access = "bias_ptr", kind = "load", buffer = "bias_ptr", layout = "bias_ptr", tile = [64], starts = ["0"], inner = [], bounds = ["index < 60"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [64, 64], starts = ["64 * pid_m", "0"], inner = [], bounds = ["index < 70", "index < 60"], noc = 1, pattern = "private"} : () -> ()
    "plan.combining"() {loop = "k", noc = 1, ready = 2, valid = 3, gathered = 4} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["k", 0], ["pid_m", 0]], partners = [[1, 0], [1, 0], [0, 0], [1, 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["k", 0], ["pid_m", 1]], partners = [[1, 1], [1, 1], [0, 1], [1, 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["k", 1], ["pid_m", 0]], partners = [[0, 0], [0, 0], [0, 0], [1, 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["k", 1], ["pid_m", 1]], partners = [[0, 1], [0, 1], [0, 1], [1, 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_m", value = "core_pid_m"} : () -> ()
      "plan.let"() {name = "k", value = "core_k"} : () -> ()
      "plan.move"() {stream = "w_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_m", value = "core_pid_m"} : () -> ()
      "plan.let"() {name = "k", value = "core_k"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
      "plan.move"() {stream = "bias_ptr"} : () -> ()
      "plan.exchange"() {loop = "k", method = "ring", noc = 1} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_m", value = "core_pid_m"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.take"() {buffer = "w_ptr"} : () -> ()
      "plan.take"() {buffer = "bias_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "constant_4", "constant_5"]} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "k", value = "core_k + 2 * turn_k"} : () -> ()
        "plan.compute"() {ops = ["w", "acc"], loop = "k"} : () -> ()
      }) {counter = "turn_k", stop = 1, source = "loop k of the kernel, shared by 2 cores"} : () -> ()
      "plan.exchange"() {loop = "k", method = "ring", noc = 1} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.compute"() {ops = ["bias_2", "acc_4", "acc_5", "acc_6", "mul", "mul_2", "mul_3", "add", "mul_4", "neg", "exp", "add_2", "div", "mul_5", "y"]} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.drop"() {buffer = "bias_ptr"} : () -> ()
      "plan.drop"() {buffer = "w_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "linear_kernel", device = "wormhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64]], spatial = [["k/2"], ["pid_m/2"]], order = [], origin = [], semaphores = 5, combine = "ring", combine_noc = 1} : () -> ()
}
