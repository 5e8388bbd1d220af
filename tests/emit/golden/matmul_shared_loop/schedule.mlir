module {
  tile.program @matmul_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64], ["GROUP_M", 8]], source = "examples/matmul.py:29"} {
    %a_ptr = tile.tensor : memref<64x200xbf16, strided<[200, 1]>>
    %b_ptr = tile.tensor : memref<200x64xbf16, strided<[64, 1]>>
    %c_ptr = tile.tensor : memref<64x64xbf16, strided<[64, 1]>>
    affine.parallel () = () to () {
      tile.buffer %acc_2 : tensor<64x64xf32> {loop = "k", reason = "carried from trip to trip"}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_2 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_3 = tile.constant() {value = "0.00999999977", source = ""} : () -> tensor<64x64xf32>
      %acc_3 = scf.for %k = 0 to 4 step 1 iter_args(%acc_2 = %constant) {
        %a = tile.load @a_ptr %a_ptr[affine_map<(k) -> (0, 64 * k)>] : tile<64x64> {masked = [false, true], bounds = ["index < 64", "index < 200"], fill = 0.0, class = "affine", source = "examples/matmul.py:60", note = ""}
        %b = tile.load @b_ptr %b_ptr[affine_map<(k) -> (64 * k, 0)>] : tile<64x64> {masked = [true, false], bounds = ["index < 200", "index < 64"], fill = 0.0, class = "affine", source = "examples/matmul.py:61", note = ""}
        %acc = tile.dot(%a, %b, %acc_2) {k = 64, source = "examples/matmul.py:62"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %acc
      }
      %cmp = tile.cmp(%acc_3, %constant_2) {predicate = "ge", source = "examples/matmul.py:26"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
      %mul = tile.mul(%acc_3, %constant_3) {source = "examples/matmul.py:26"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %where = tile.where(%cmp, %acc_3, %mul) {source = "examples/matmul.py:26"} : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %c = tile.cast(%where) {source = "examples/matmul.py:68"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
      tile.store @c_ptr %c to %c_ptr[affine_map<() -> (0, 0)>] : tile<64x64> {masked = [false, false], bounds = ["index < 64", "index < 64"], class = "affine", source = "examples/matmul.py:70", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "a_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "c_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "a_ptr", tensor = "a_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 7, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bf16", axes = [[32, 32, 7, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "c_ptr", tensor = "c_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "a_ptr", role = "load", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 1, name = "b_ptr", role = "load", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 2, name = "c_ptr", role = "store", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 3, name = "acc_2", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 24576, first = 3, last = 8} : () -> ()
    "plan.buffer"() {index = 4, name = "combine.acc_3", role = "partial", format = "fp32", shape = [64, 64], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 40960, first = 6, last = 6} : () -> ()
    "plan.buffer"() {index = 5, name = "outgoing.acc_3", role = "outgoing", format = "fp32", shape = [64, 64], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 45056, first = 6, last = 6} : () -> ()
    "plan.stream"() {access = "a_ptr", kind = "load", buffer = "a_ptr", layout = "a_ptr", tile = [64, 64], starts = ["0", "64 * k"], inner = [], bounds = ["index < 64", "index < 200"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [64, 64], starts = ["64 * k", "0"], inner = [], bounds = ["index < 200", "index < 64"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "c_ptr", kind = "store", buffer = "c_ptr", layout = "c_ptr", tile = [64, 64], starts = ["0", "0"], inner = [], bounds = ["index < 64", "index < 64"], noc = 1, pattern = "private"} : () -> ()
    "plan.combining"() {loop = "k", noc = 1, ready = 0, valid = 1, gathered = 2} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["k", 0]], partners = [[1, 1], [0, 1], [0, 0], [0, 1], [1, 0], [1, 1]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["k", 1]], partners = [[0, 0], [1, 0], [0, 0], [0, 1], [1, 0], [1, 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["k", 2]], partners = [[0, 1], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["k", 3]], partners = [[1, 0], [0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "k", value = "core_k"} : () -> ()
      "plan.move"() {stream = "a_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "k", value = "core_k"} : () -> ()
      "plan.move"() {stream = "b_ptr"} : () -> ()
      "plan.exchange"() {loop = "k", method = "ring", noc = 1} : () -> ()
      "plan.move"() {stream = "c_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.take"() {buffer = "a_ptr"} : () -> ()
      "plan.take"() {buffer = "b_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3"]} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "k", value = "core_k + 4 * turn_k"} : () -> ()
        "plan.compute"() {ops = ["acc"], loop = "k"} : () -> ()
      }) {counter = "turn_k", stop = 1, source = "loop k of the kernel, shared by 4 cores"} : () -> ()
      "plan.exchange"() {loop = "k", method = "ring", noc = 1} : () -> ()
      "plan.make"() {buffer = "c_ptr"} : () -> ()
      "plan.compute"() {ops = ["cmp", "mul", "where", "c"]} : () -> ()
      "plan.hand"() {buffer = "c_ptr"} : () -> ()
      "plan.drop"() {buffer = "b_ptr"} : () -> ()
      "plan.drop"() {buffer = "a_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "matmul_kernel", device = "blackhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64], ["GROUP_M", 8]], spatial = [["k/2"], ["k/2"]], order = [], origin = [], semaphores = 3, combine = "ring", combine_noc = 1} : () -> ()
}
