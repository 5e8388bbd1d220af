module {
  tile.program @bmm_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 32]], source = "examples/batched_matmul.py:13"} {
    %a_ptr = tile.tensor : memref<4x64x64xbf16, strided<[4096, 64, 1]>>
    %b_ptr = tile.tensor : memref<4x64x64xbf16, strided<[4096, 64, 1]>>
    %c_ptr = tile.tensor : memref<4x64x64xbf16, strided<[4096, 64, 1]>>
    affine.parallel (%batch) = (0) to (4) {
      tile.buffer %acc_2 : tensor<64x64xf32> {loop = "k", reason = "carried from trip to trip"}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %acc_3 = scf.for %k = 0 to 2 step 1 iter_args(%acc_2 = %constant) {
        %a = tile.load @a_ptr %a_ptr[affine_map<(batch, k) -> (1 * batch, 0, 32 * k)>] : tile<1x64x32> {masked = [false, false, false], bounds = ["index", "index < 64", "index < 64"], fill = 0.0, class = "affine", source = "examples/batched_matmul.py:44", note = ""}
        %b = tile.load @b_ptr %b_ptr[affine_map<(batch, k) -> (1 * batch, 32 * k, 0)>] : tile<1x32x64> {masked = [false, false, false], bounds = ["index", "index < 64", "index < 64"], fill = 0.0, class = "affine", source = "examples/batched_matmul.py:49", note = ""}
        %acc = tile.dot(%a, %b, %acc_2) {k = 32, source = "examples/batched_matmul.py:53"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %acc
      }
      %cast = tile.cast(%acc_3) {source = "examples/batched_matmul.py:56"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
      tile.store @c_ptr %cast to %c_ptr[affine_map<(batch) -> (1 * batch, 0, 0)>] : tile<1x64x64> {masked = [false, false, false], bounds = ["index", "index < 64", "index < 64"], class = "affine", source = "examples/batched_matmul.py:56", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "a_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "c_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "a_ptr", tensor = "a_ptr", format = "bf16", axes = [[1, 1, 4, 0], [32, 32, 2, 0], [32, 32, 2, 0]], rows = 1, columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bf16", axes = [[1, 1, 4, 0], [32, 32, 2, 0], [32, 32, 2, 0]], rows = 1, columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "c_ptr", tensor = "c_ptr", format = "bf16", axes = [[1, 1, 4, 0], [32, 32, 2, 0], [32, 32, 2, 0]], rows = 1, columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "a_ptr", role = "load", format = "bf16", shape = [1, 64, 32], pages = 4, slots = 1, page_bytes = 2048, tiles = 2, offset = 0, first = 0, last = 10} : () -> ()
    "plan.buffer"() {index = 1, name = "b_ptr", role = "load", format = "bf16", shape = [1, 32, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 2, offset = 8192, first = 0, last = 10} : () -> ()
    "plan.buffer"() {index = 2, name = "c_ptr", role = "store", format = "bf16", shape = [1, 64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 10} : () -> ()
    "plan.buffer"() {index = 3, name = "acc_2", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 24576, first = 4, last = 7} : () -> ()
    "plan.stream"() {access = "a_ptr", kind = "load", buffer = "a_ptr", layout = "a_ptr", tile = [1, 64, 32], starts = ["1 * batch", "0", "32 * k"], inner = [["k", 2]], bounds = ["index", "index < 64", "index < 64"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [1, 32, 64], starts = ["1 * batch", "32 * k", "0"], inner = [["k", 2]], bounds = ["index", "index < 64", "index < 64"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "c_ptr", kind = "store", buffer = "c_ptr", layout = "c_ptr", tile = [1, 64, 64], starts = ["1 * batch", "0", "0"], inner = [], bounds = ["index", "index < 64", "index < 64"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["batch", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["batch", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["batch", 2]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["batch", 3]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.move"() {stream = "a_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.move"() {stream = "b_ptr"} : () -> ()
      "plan.move"() {stream = "c_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.take"() {buffer = "a_ptr"} : () -> ()
      "plan.take"() {buffer = "b_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant"]} : () -> ()
      "plan.for"() ({
        "plan.compute"() {ops = ["acc"], loop = "k"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
      "plan.make"() {buffer = "c_ptr"} : () -> ()
      "plan.compute"() {ops = ["cast"]} : () -> ()
      "plan.hand"() {buffer = "c_ptr"} : () -> ()
      "plan.drop"() {buffer = "b_ptr"} : () -> ()
      "plan.drop"() {buffer = "a_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "bmm_kernel", device = "blackhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 32]], spatial = [["batch/2"], ["batch/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
