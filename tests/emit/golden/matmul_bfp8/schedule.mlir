module {
  tile.program @matmul_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64], ["GROUP_M", 8]], source = "examples/matmul.py:29"} {
    %a_ptr = tile.tensor : memref<70x72xbfp8_b, strided<[72, 1]>>
    %b_ptr = tile.tensor : memref<72x100xbfp8_b, strided<[100, 1]>>
    %c_ptr = tile.tensor : memref<70x100xbf16, strided<[100, 1]>>
    affine.parallel (%pid_m, %pid_n) = (0, 0) to (2, 2) {
      tile.buffer %acc_2 : tensor<64x64xf32> {loop = "k", reason = "carried from trip to trip"}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_2 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_3 = tile.constant() {value = "0.00999999977", source = ""} : () -> tensor<64x64xf32>
      %acc_3 = scf.for %k = 0 to 2 step 1 iter_args(%acc_2 = %constant) {
        %a = tile.load @a_ptr %a_ptr[affine_map<(pid_m, pid_n, k) -> (64 * pid_m, 64 * k)>] : tile<64x64> {masked = [true, true], bounds = ["index < 70", "index < 72"], fill = 0.0, class = "affine", source = "examples/matmul.py:60", note = ""}
        %b = tile.load @b_ptr %b_ptr[affine_map<(pid_m, pid_n, k) -> (64 * k, 64 * pid_n)>] : tile<64x64> {masked = [true, true], bounds = ["index < 72", "index < 100"], fill = 0.0, class = "affine", source = "examples/matmul.py:61", note = ""}
        %acc = tile.dot(%a, %b, %acc_2) {k = 64, source = "examples/matmul.py:62"} : (tensor<64x64xbfp8_b>, tensor<64x64xbfp8_b>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %acc
      }
      %cmp = tile.cmp(%acc_3, %constant_2) {predicate = "ge", source = "examples/matmul.py:26"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
      %mul = tile.mul(%acc_3, %constant_3) {source = "examples/matmul.py:26"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %where = tile.where(%cmp, %acc_3, %mul) {source = "examples/matmul.py:26"} : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %c = tile.cast(%where) {source = "examples/matmul.py:68"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
      tile.store @c_ptr %c to %c_ptr[affine_map<(pid_m, pid_n) -> (64 * pid_m, 64 * pid_n)>] : tile<64x64> {masked = [true, true], bounds = ["index < 70", "index < 100"], class = "affine", source = "examples/matmul.py:70", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "a_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "c_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "a_ptr", tensor = "a_ptr", format = "bfp8_b", axes = [[32, 32, 3, 0], [32, 32, 3, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bfp8_b", axes = [[32, 32, 3, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "c_ptr", tensor = "c_ptr", format = "bf16", axes = [[32, 32, 3, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "a_ptr", role = "load", format = "bfp8_b", shape = [64, 64], pages = 8, slots = 1, page_bytes = 1088, tiles = 2, offset = 0, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 1, name = "b_ptr", role = "load", format = "bfp8_b", shape = [64, 64], pages = 8, slots = 1, page_bytes = 1088, tiles = 2, offset = 8704, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 2, name = "c_ptr", role = "store", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 17408, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 3, name = "acc_2", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 25600, first = 5, last = 8} : () -> ()
    "plan.stream"() {access = "a_ptr", kind = "load", buffer = "a_ptr", layout = "a_ptr", tile = [64, 64], starts = ["64 * pid_m", "64 * k"], inner = [["k", 2]], bounds = ["index < 70", "index < 72"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [64, 64], starts = ["64 * k", "64 * pid_n"], inner = [["k", 2]], bounds = ["index < 72", "index < 100"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "c_ptr", kind = "store", buffer = "c_ptr", layout = "c_ptr", tile = [64, 64], starts = ["64 * pid_m", "64 * pid_n"], inner = [], bounds = ["index < 70", "index < 100"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["pid_m", 0], ["pid_n", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["pid_m", 0], ["pid_n", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["pid_m", 1], ["pid_n", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["pid_m", 1], ["pid_n", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_m", value = "core_pid_m"} : () -> ()
      "plan.let"() {name = "pid_n", value = "core_pid_n"} : () -> ()
      "plan.move"() {stream = "a_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_m", value = "core_pid_m"} : () -> ()
      "plan.let"() {name = "pid_n", value = "core_pid_n"} : () -> ()
      "plan.move"() {stream = "b_ptr"} : () -> ()
      "plan.move"() {stream = "c_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid_m", value = "core_pid_m"} : () -> ()
      "plan.let"() {name = "pid_n", value = "core_pid_n"} : () -> ()
      "plan.take"() {buffer = "a_ptr"} : () -> ()
      "plan.take"() {buffer = "b_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3"]} : () -> ()
      "plan.for"() ({
        "plan.compute"() {ops = ["acc"], loop = "k"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
      "plan.make"() {buffer = "c_ptr"} : () -> ()
      "plan.compute"() {ops = ["cmp", "mul", "where", "c"]} : () -> ()
      "plan.hand"() {buffer = "c_ptr"} : () -> ()
      "plan.drop"() {buffer = "b_ptr"} : () -> ()
      "plan.drop"() {buffer = "a_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "matmul_kernel", device = "blackhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64], ["GROUP_M", 8]], spatial = [["pid_m/2"], ["pid_n/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
