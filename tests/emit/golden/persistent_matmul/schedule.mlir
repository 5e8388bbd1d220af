module {
  tile.program @persistent_matmul_kernel attributes {block = [["BLOCK_M", 128], ["BLOCK_N", 128], ["BLOCK_K", 64], ["GROUP_M", 8]], source = "examples/persistent_matmul.py:41"} {
    %a_desc = tile.tensor : memref<256x128xbf16, strided<[128, 1]>>
    %b_desc = tile.tensor : memref<256x128xbf16, strided<[128, 1]>>
    %c_desc = tile.tensor : memref<256x256xbf16, strided<[256, 1]>>
    affine.parallel (%tile_m, %tile_n) = (0, 0) to (2, 2) {
      tile.buffer %acc_3 : tensor<128x128xf32> {loop = "k", reason = "carried from trip to trip"}
      tile.buffer %acc : tensor<64x128xbf16> {loop = "k", reason = "operand of a dot"}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<128x128xf32>
      %acc_4 = scf.for %k = 0 to 2 step 1 iter_args(%acc_3 = %constant) {
        %a = tile.load @a_desc %a_desc[affine_map<(tile_m, tile_n, k) -> (128 * tile_m, 64 * k)>] : tile<128x64> {masked = [false, false], bounds = ["index < 256", "index < 128"], fill = 0.0, class = "affine", source = "examples/persistent_matmul.py:55", note = ""}
        %b = tile.load @b_desc %b_desc[affine_map<(tile_m, tile_n, k) -> (128 * tile_n, 64 * k)>] : tile<128x64> {masked = [false, false], bounds = ["index < 256", "index < 128"], fill = 0.0, class = "affine", source = "examples/persistent_matmul.py:56", note = ""}
        %acc = tile.transpose(%b) {order = "1,0", source = "examples/persistent_matmul.py:57"} : (tensor<128x64xbf16>) -> tensor<64x128xbf16>
        %acc_2 = tile.dot(%a, %acc, %acc_3) {k = 64, source = "examples/persistent_matmul.py:57"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %acc_2
      }
      %cast = tile.cast(%acc_4) {source = "examples/persistent_matmul.py:58"} : (tensor<128x128xf32>) -> tensor<128x128xbf16>
      tile.store @c_desc %cast to %c_desc[affine_map<(tile_m, tile_n) -> (128 * tile_m, 128 * tile_n)>] : tile<128x128> {masked = [false, false], bounds = ["index < 256", "index < 256"], class = "affine", source = "examples/persistent_matmul.py:58", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "a_desc", level = "k", depth = 2, groups = [2, 1], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "b_desc", level = "k", depth = 2, groups = [1, 2], pattern = "multicast", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "c_desc", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "a_desc", tensor = "a_desc", format = "bf16", axes = [[32, 32, 8, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_desc", tensor = "b_desc", format = "bf16", axes = [[32, 32, 8, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "c_desc", tensor = "c_desc", format = "bf16", axes = [[32, 32, 8, 0], [32, 32, 8, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "a_desc", role = "load", format = "bf16", shape = [128, 64], pages = 8, slots = 2, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 1, name = "b_desc", role = "load", format = "bf16", shape = [128, 64], pages = 8, slots = 2, page_bytes = 2048, tiles = 1, offset = 32768, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 2, name = "c_desc", role = "store", format = "bf16", shape = [128, 128], pages = 16, slots = 1, page_bytes = 2048, tiles = 1, offset = 65536, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 3, name = "acc_3", role = "value", format = "fp32", shape = [128, 128], pages = 16, slots = 1, page_bytes = 4096, tiles = 1, offset = 98304, first = 3, last = 10} : () -> ()
    "plan.buffer"() {index = 4, name = "acc", role = "value", format = "bf16", shape = [64, 128], pages = 8, slots = 1, page_bytes = 2048, tiles = 1, offset = 163840, first = 6, last = 6} : () -> ()
    "plan.stream"() {access = "a_desc", kind = "load", buffer = "a_desc", layout = "a_desc", tile = [128, 64], starts = ["128 * tile_m", "64 * k"], inner = [], bounds = ["index < 256", "index < 128"], fill = "0.0", noc = 1, pattern = "multicast", ready = 2, valid = 1} : () -> ()
    "plan.group"() {access = "a_desc", reader = [1, 0], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [1, 0]]} : () -> ()
    "plan.group"() {access = "a_desc", reader = [1, 1], low = [0, 1], high = [0, 1], receivers = 1, cores = [[0, 1], [1, 1]]} : () -> ()
    "plan.stream"() {access = "b_desc", kind = "load", buffer = "b_desc", layout = "b_desc", tile = [128, 64], starts = ["128 * tile_n", "64 * k"], inner = [], bounds = ["index < 256", "index < 128"], fill = "0.0", noc = 0, pattern = "multicast", ready = 3, valid = 0} : () -> ()
    "plan.group"() {access = "b_desc", reader = [0, 0], low = [0, 1], high = [0, 1], receivers = 1, cores = [[0, 0], [0, 1]]} : () -> ()
    "plan.group"() {access = "b_desc", reader = [1, 0], low = [1, 1], high = [1, 1], receivers = 1, cores = [[1, 0], [1, 1]]} : () -> ()
    "plan.stream"() {access = "c_desc", kind = "store", buffer = "c_desc", layout = "c_desc", tile = [128, 128], starts = ["128 * tile_m", "128 * tile_n"], inner = [], bounds = ["index < 256", "index < 256"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["tile_n", 0], ["tile_m", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["tile_n", 0], ["tile_m", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["tile_n", 1], ["tile_m", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["tile_n", 1], ["tile_m", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "tile_m", value = "core_tile_m"} : () -> ()
      "plan.let"() {name = "tile_n", value = "core_tile_n"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "b_desc"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "tile_m", value = "core_tile_m"} : () -> ()
      "plan.let"() {name = "tile_n", value = "core_tile_n"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "a_desc"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
      "plan.move"() {stream = "c_desc"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "tile_m", value = "core_tile_m"} : () -> ()
      "plan.let"() {name = "tile_n", value = "core_tile_n"} : () -> ()
      "plan.compute"() {ops = ["constant"]} : () -> ()
      "plan.for"() ({
        "plan.take"() {buffer = "a_desc"} : () -> ()
        "plan.take"() {buffer = "b_desc"} : () -> ()
        "plan.compute"() {ops = ["acc", "acc_2"], loop = "k"} : () -> ()
        "plan.drop"() {buffer = "b_desc"} : () -> ()
        "plan.drop"() {buffer = "a_desc"} : () -> ()
      }) {counter = "k", stop = 2, source = "loop k of the kernel"} : () -> ()
      "plan.make"() {buffer = "c_desc"} : () -> ()
      "plan.compute"() {ops = ["cast"]} : () -> ()
      "plan.hand"() {buffer = "c_desc"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "persistent_matmul_kernel", device = "wormhole[2x2]", block = [["BLOCK_M", 128], ["BLOCK_N", 128], ["BLOCK_K", 64], ["GROUP_M", 8]], spatial = [["tile_n/2"], ["tile_m/2"]], order = [], origin = [], semaphores = 4} : () -> ()
}
