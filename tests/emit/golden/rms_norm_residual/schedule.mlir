module {
  tile.program @rms_norm_residual_kernel attributes {block = [["BLOCK_ROWS", 32], ["BLOCK_COLUMNS", 128]], source = "examples/rms_norm_residual.py:14"} {
    %x_ptr = tile.tensor : memref<64x128xbf16, strided<[128, 1]>>
    %r_ptr = tile.tensor : memref<64x128xbf16, strided<[128, 1]>>
    %w_ptr = tile.tensor : memref<128xbf16, strided<[1]>>
    %h_ptr = tile.tensor : memref<64x128xbf16, strided<[128, 1]>>
    %y_ptr = tile.tensor : memref<64x128xbf16, strided<[128, 1]>>
    affine.parallel (%row) = (0) to (2) {
      %x = tile.load @x_ptr %x_ptr[affine_map<(row) -> (32 * row, 0)>] : tile<32x128> {masked = [false, false], bounds = ["index < 64", "index < 128"], fill = 0.0, class = "affine", source = "examples/rms_norm_residual.py:26", note = ""}
      %r = tile.load @r_ptr %r_ptr[affine_map<(row) -> (32 * row, 0)>] : tile<32x128> {masked = [false, false], bounds = ["index < 64", "index < 128"], fill = 0.0, class = "affine", source = "examples/rms_norm_residual.py:27", note = ""}
      %constant = tile.constant() {value = "128.0", source = ""} : () -> tensor<32x1xf32>
      %constant_2 = tile.constant() {value = "9.99999997e-07", source = ""} : () -> tensor<32x1xf32>
      %x_2 = tile.cast(%x) {source = "examples/rms_norm_residual.py:26"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
      %r_2 = tile.cast(%r) {source = "examples/rms_norm_residual.py:27"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
      %h = tile.add(%x_2, %r_2) {source = "examples/rms_norm_residual.py:28"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %cast = tile.cast(%h) {source = "examples/rms_norm_residual.py:29"} : (tensor<32x128xf32>) -> tensor<32x128xbf16>
      tile.store @h_ptr %cast to %h_ptr[affine_map<(row) -> (32 * row, 0)>] : tile<32x128> {masked = [false, false], bounds = ["index < 64", "index < 128"], class = "affine", source = "examples/rms_norm_residual.py:29", note = ""}
      %w = tile.load @w_ptr %w_ptr[affine_map<(row) -> (0)>] : tile<128> {masked = [false], bounds = ["index < 128"], fill = 0.0, class = "affine", source = "examples/rms_norm_residual.py:32", note = ""}
      %scale = tile.mul(%h, %h) {source = "examples/rms_norm_residual.py:31"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %scale_2 = tile.reduce_sum(%scale) {axis = 1, source = "examples/rms_norm_residual.py:31"} : (tensor<32x128xf32>) -> tensor<32xf32>
      %scale_3 = tile.reshape(%scale_2) {axis = 1, source = "examples/rms_norm_residual.py:31"} : (tensor<32xf32>) -> tensor<32x1xf32>
      %scale_4 = tile.div(%scale_3, %constant) {source = "examples/rms_norm_residual.py:31"} : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
      %scale_5 = tile.add(%scale_4, %constant_2) {source = "examples/rms_norm_residual.py:31"} : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
      %scale_6 = tile.rsqrt(%scale_5) {source = "examples/rms_norm_residual.py:31"} : (tensor<32x1xf32>) -> tensor<32x1xf32>
      %w_2 = tile.cast(%w) {source = "examples/rms_norm_residual.py:32"} : (tensor<128xbf16>) -> tensor<128xf32>
      %y = tile.broadcast(%scale_6) {source = "examples/rms_norm_residual.py:33"} : (tensor<32x1xf32>) -> tensor<32x128xf32>
      %y_2 = tile.mul(%h, %y) {source = "examples/rms_norm_residual.py:33"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %y_3 = tile.reshape(%w_2) {axis = 0, source = "examples/rms_norm_residual.py:33"} : (tensor<128xf32>) -> tensor<1x128xf32>
      %y_4 = tile.broadcast(%y_3) {source = "examples/rms_norm_residual.py:33"} : (tensor<1x128xf32>) -> tensor<32x128xf32>
      %y_5 = tile.mul(%y_2, %y_4) {source = "examples/rms_norm_residual.py:33"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %cast_2 = tile.cast(%y_5) {source = "examples/rms_norm_residual.py:34"} : (tensor<32x128xf32>) -> tensor<32x128xbf16>
      tile.store @y_ptr %cast_2 to %y_ptr[affine_map<(row) -> (32 * row, 0)>] : tile<32x128> {masked = [false, false], bounds = ["index < 64", "index < 128"], class = "affine", source = "examples/rms_norm_residual.py:34", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "r_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "h_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "w_ptr", level = "", depth = 1, groups = [1, 2], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "r_ptr", tensor = "r_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "h_ptr", tensor = "h_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "w_ptr", tensor = "w_ptr", format = "bf16", axes = [[32, 32, 4, 0]], columns = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "x_ptr", role = "load", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 1, name = "r_ptr", role = "load", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 2, name = "h_ptr", role = "store", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 3, name = "w_ptr", role = "load", format = "bf16", shape = [128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 24576, first = 0, last = 11} : () -> ()
    "plan.buffer"() {index = 4, name = "y_ptr", role = "store", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 32768, first = 0, last = 11} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [32, 128], starts = ["32 * row", "0"], inner = [], bounds = ["index < 64", "index < 128"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "r_ptr", kind = "load", buffer = "r_ptr", layout = "r_ptr", tile = [32, 128], starts = ["32 * row", "0"], inner = [], bounds = ["index < 64", "index < 128"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "h_ptr", kind = "store", buffer = "h_ptr", layout = "h_ptr", tile = [32, 128], starts = ["32 * row", "0"], inner = [], bounds = ["index < 64", "index < 128"], noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "w_ptr", kind = "load", buffer = "w_ptr", layout = "w_ptr", tile = [128], starts = ["0"], inner = [], bounds = ["index < 128"], fill = "0.0", noc = 1, pattern = "multicast", ready = 1, valid = 0} : () -> ()
    "plan.group"() {access = "w_ptr", reader = [0, 1], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [0, 1]]} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [32, 128], starts = ["32 * row", "0"], inner = [], bounds = ["index < 64", "index < 128"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["row", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["row", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
      "plan.move"() {stream = "r_ptr"} : () -> ()
      "plan.move"() {stream = "h_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.move"() {stream = "w_ptr"} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.take"() {buffer = "r_ptr"} : () -> ()
      "plan.take"() {buffer = "w_ptr"} : () -> ()
      "plan.make"() {buffer = "h_ptr"} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "x_2", "r_2", "h", "cast", "scale", "scale_2", "scale_3", "scale_4", "scale_5", "scale_6", "w_2", "y", "y_2", "y_3", "y_4", "y_5", "cast_2"]} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.hand"() {buffer = "h_ptr"} : () -> ()
      "plan.drop"() {buffer = "w_ptr"} : () -> ()
      "plan.drop"() {buffer = "r_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "rms_norm_residual_kernel", device = "blackhole[2x2]", block = [["BLOCK_ROWS", 32], ["BLOCK_COLUMNS", 128]], spatial = [[], ["row/2"]], order = [], origin = [], semaphores = 2} : () -> ()
}
