module {
  tile.program @split_k_matmul_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64], ["SPLIT_K", 4]], source = "examples/split_k_matmul.py:22"} {
    %a_ptr = tile.tensor : memref<64x256xbf16, strided<[256, 1]>>
    %b_ptr = tile.tensor : memref<256x64xbf16, strided<[64, 1]>>
    %c_ptr = tile.tensor : memref<64x64xf32, strided<[64, 1]>>
    affine.parallel (%part) = (0) to (4) {
      %a = tile.load @a_ptr %a_ptr[affine_map<(part) -> (0, 64 * part)>] : tile<64x64> {masked = [false, false], bounds = ["index < 64", "index < 256"], fill = 0.0, class = "affine", source = "examples/split_k_matmul.py:48", note = ""}
      %b = tile.load @b_ptr %b_ptr[affine_map<(part) -> (64 * part, 0)>] : tile<64x64> {masked = [false, false], bounds = ["index < 256", "index < 64"], fill = 0.0, class = "affine", source = "examples/split_k_matmul.py:49", note = ""}
      %old = tile.load @c_ptr_old %c_ptr[affine_map<(part) -> (0, 0)>] : tile<64x64> {masked = [false, false], bounds = ["index < 64", "index < 64"], class = "affine", source = "examples/split_k_matmul.py:55", note = ""}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %acc = tile.dot(%a, %b, %constant) {k = 64, source = "examples/split_k_matmul.py:50"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %updated = tile.add(%old, %acc) {source = "examples/split_k_matmul.py:55"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      tile.atomic @c_ptr %updated to %c_ptr[affine_map<(part) -> (0, 0)>] : tile<64x64> {masked = [false, false], bounds = ["index < 64", "index < 64"], class = "affine", source = "examples/split_k_matmul.py:55", note = "", replaces = "c_ptr_old"}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "a_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "c_ptr_old", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "c_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "a_ptr", tensor = "a_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 8, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bf16", axes = [[32, 32, 8, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "c_ptr", tensor = "c_ptr", format = "fp32", axes = [[32, 32, 2, 0], [32, 32, 2, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "a_ptr", role = "load", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 9} : () -> ()
    "plan.buffer"() {index = 1, name = "b_ptr", role = "load", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 9} : () -> ()
    "plan.buffer"() {index = 2, name = "c_ptr_old", role = "load", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 16384, first = 0, last = 9} : () -> ()
    "plan.buffer"() {index = 3, name = "c_ptr", role = "store", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 32768, first = 0, last = 9} : () -> ()
    "plan.stream"() {access = "a_ptr", kind = "load", buffer = "a_ptr", layout = "a_ptr", tile = [64, 64], starts = ["0", "64 * part"], inner = [], bounds = ["index < 64", "index < 256"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [64, 64], starts = ["64 * part", "0"], inner = [], bounds = ["index < 256", "index < 64"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "c_ptr_old", kind = "load", buffer = "c_ptr_old", layout = "c_ptr", tile = [64, 64], starts = ["0", "0"], inner = [], bounds = ["index < 64", "index < 64"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "c_ptr", kind = "store", buffer = "c_ptr", layout = "c_ptr", tile = [64, 64], starts = ["0", "0"], inner = [], bounds = ["index < 64", "index < 64"], noc = 1, pattern = "private"} : () -> ()
    "plan.turns"() {access = "c_ptr", load = "c_ptr_old", semaphore = 0, around = false} : () -> ()
    "plan.line"() {access = "c_ptr", cores = [[0, 0], [0, 1], [1, 0], [1, 1]]} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["part", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["part", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["part", 2]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["part", 3]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "part", value = "core_part"} : () -> ()
      "plan.move"() {stream = "a_ptr"} : () -> ()
      "plan.move"() {stream = "b_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "part", value = "core_part"} : () -> ()
      "plan.await"() {access = "c_ptr"} : () -> ()
      "plan.move"() {stream = "c_ptr_old"} : () -> ()
      "plan.move"() {stream = "c_ptr"} : () -> ()
      "plan.pass"() {access = "c_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "part", value = "core_part"} : () -> ()
      "plan.take"() {buffer = "a_ptr"} : () -> ()
      "plan.take"() {buffer = "b_ptr"} : () -> ()
      "plan.take"() {buffer = "c_ptr_old"} : () -> ()
      "plan.make"() {buffer = "c_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "acc", "updated"]} : () -> ()
      "plan.hand"() {buffer = "c_ptr"} : () -> ()
      "plan.drop"() {buffer = "c_ptr_old"} : () -> ()
      "plan.drop"() {buffer = "b_ptr"} : () -> ()
      "plan.drop"() {buffer = "a_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "split_k_matmul_kernel", device = "blackhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64], ["BLOCK_K", 64], ["SPLIT_K", 4]], spatial = [["part/2"], ["part/2"]], order = [], origin = [], semaphores = 1} : () -> ()
}
