module {
  tile.program @layer_norm_kernel attributes {block = [["BLOCK_ROWS", 32], ["BLOCK_COLUMNS", 128]], source = "examples/layer_norm.py:14"} {
    %x_ptr = tile.tensor : memref<33x300xbf16, strided<[300, 1]>>
    %w_ptr = tile.tensor : memref<300xbf16, strided<[1]>>
    %b_ptr = tile.tensor : memref<300xbf16, strided<[1]>>
    %y_ptr = tile.tensor : memref<33x300xbf16, strided<[300, 1]>>
    %mean_ptr = tile.tensor : memref<33xf32, strided<[1]>>
    %rstd_ptr = tile.tensor : memref<33xf32, strided<[1]>>
    affine.parallel (%row) = (0) to (2) {
      tile.buffer %total_4 : tensor<32x128xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %square_3 : tensor<32x128xf32> {loop = "start_2", reason = "carried from trip to trip"}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<32x128xf32>
      %constant_2 = tile.constant() {value = "300.0", source = ""} : () -> tensor<32xf32>
      %constant_3 = tile.constant() {value = "0.0", source = ""} : () -> tensor<32x128xf32>
      %constant_4 = tile.constant() {value = "0.0", source = ""} : () -> tensor<32x128xf32>
      %constant_5 = tile.constant() {value = "300.0", source = ""} : () -> tensor<32xf32>
      %constant_6 = tile.constant() {value = "9.99999974e-06", source = ""} : () -> tensor<32xf32>
      %constant_7 = tile.constant() {value = "1.0", source = ""} : () -> tensor<32xf32>
      %total_5 = scf.for %start = 0 to 3 step 1 iter_args(%total_4 = %constant) {
        %total = tile.load @x_ptr %x_ptr[affine_map<(row, start) -> (32 * row, 128 * start)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 300"], fill = 0.0, class = "affine", source = "examples/layer_norm.py:38", note = ""}
        %total_2 = tile.cast(%total) {source = "examples/layer_norm.py:38"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
        %total_3 = tile.add(%total_4, %total_2) {source = "examples/layer_norm.py:38"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        scf.yield %total_3
      }
      %mean_2 = tile.reduce_sum(%total_5) {axis = 1, source = "examples/layer_norm.py:39"} : (tensor<32x128xf32>) -> tensor<32xf32>
      %mean = tile.div(%mean_2, %constant_2) {source = "examples/layer_norm.py:39"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
      %square_4 = scf.for %start_2 = 0 to 3 step 1 iter_args(%square_3 = %constant_4) {
        %x = tile.load @x_ptr_2 %x_ptr[affine_map<(row, start_2) -> (32 * row, 128 * start_2)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 300"], fill = 0.0, class = "affine", source = "examples/layer_norm.py:46", note = ""}
        %x_3 = tile.mask() {"0.const" = 299, "0.lane1" = -1, "0.start_2" = -128, source = "examples/layer_norm.py:46"} : () -> tensor<32x128xi1>
        %x_4 = tile.cast(%x) {source = "examples/layer_norm.py:46"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
        %difference = tile.reshape(%mean) {axis = 1, source = "examples/layer_norm.py:47"} : (tensor<32xf32>) -> tensor<32x1xf32>
        %difference_2 = tile.broadcast(%difference) {source = "examples/layer_norm.py:47"} : (tensor<32x1xf32>) -> tensor<32x128xf32>
        %difference_3 = tile.sub(%x_4, %difference_2) {source = "examples/layer_norm.py:47"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %difference_4 = tile.where(%x_3, %difference_3, %constant_3) {source = "examples/layer_norm.py:47"} : (tensor<32x128xi1>, tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %square = tile.mul(%difference_4, %difference_4) {source = "examples/layer_norm.py:48"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %square_2 = tile.add(%square_3, %square) {source = "examples/layer_norm.py:48"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        scf.yield %square_2
      }
      tile.store @mean_ptr %mean to %mean_ptr[affine_map<(row) -> (32 * row)>] : tile<32> {masked = [true], bounds = ["index < 33"], class = "affine", source = "examples/layer_norm.py:51", note = ""}
      %rstd_2 = tile.reduce_sum(%square_4) {axis = 1, source = "examples/layer_norm.py:49"} : (tensor<32x128xf32>) -> tensor<32xf32>
      %rstd_3 = tile.div(%rstd_2, %constant_5) {source = "examples/layer_norm.py:49"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
      %rstd_4 = tile.add(%rstd_3, %constant_6) {source = "examples/layer_norm.py:49"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
      %rstd_5 = tile.sqrt(%rstd_4) {source = "examples/layer_norm.py:49"} : (tensor<32xf32>) -> tensor<32xf32>
      %rstd = tile.div(%constant_7, %rstd_5) {source = "examples/layer_norm.py:49"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
      tile.store @rstd_ptr %rstd to %rstd_ptr[affine_map<(row) -> (32 * row)>] : tile<32> {masked = [true], bounds = ["index < 33"], class = "affine", source = "examples/layer_norm.py:52", note = ""}
      scf.for %start_3 = 0 to 3 step 1 {
        %w = tile.load @w_ptr %w_ptr[affine_map<(row, start_3) -> (128 * start_3)>] : tile<128> {masked = [true], bounds = ["index < 300"], fill = 0.0, class = "affine", source = "examples/layer_norm.py:56", note = ""}
        %b = tile.load @b_ptr %b_ptr[affine_map<(row, start_3) -> (128 * start_3)>] : tile<128> {masked = [true], bounds = ["index < 300"], fill = 0.0, class = "affine", source = "examples/layer_norm.py:57", note = ""}
        %x_2 = tile.load @x_ptr_3 %x_ptr[affine_map<(row, start_3) -> (32 * row, 128 * start_3)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 300"], fill = 0.0, class = "affine", source = "examples/layer_norm.py:58", note = ""}
        %w_2 = tile.cast(%w) {source = "examples/layer_norm.py:56"} : (tensor<128xbf16>) -> tensor<128xf32>
        %b_2 = tile.cast(%b) {source = "examples/layer_norm.py:57"} : (tensor<128xbf16>) -> tensor<128xf32>
        %x_5 = tile.cast(%x_2) {source = "examples/layer_norm.py:58"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
        %y = tile.reshape(%mean) {axis = 1, source = "examples/layer_norm.py:59"} : (tensor<32xf32>) -> tensor<32x1xf32>
        %y_2 = tile.broadcast(%y) {source = "examples/layer_norm.py:59"} : (tensor<32x1xf32>) -> tensor<32x128xf32>
        %y_3 = tile.sub(%x_5, %y_2) {source = "examples/layer_norm.py:59"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %y_4 = tile.reshape(%rstd) {axis = 1, source = "examples/layer_norm.py:59"} : (tensor<32xf32>) -> tensor<32x1xf32>
        %y_5 = tile.broadcast(%y_4) {source = "examples/layer_norm.py:59"} : (tensor<32x1xf32>) -> tensor<32x128xf32>
        %y_6 = tile.mul(%y_3, %y_5) {source = "examples/layer_norm.py:59"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %y_7 = tile.reshape(%w_2) {axis = 0, source = "examples/layer_norm.py:59"} : (tensor<128xf32>) -> tensor<1x128xf32>
        %y_8 = tile.broadcast(%y_7) {source = "examples/layer_norm.py:59"} : (tensor<1x128xf32>) -> tensor<32x128xf32>
        %y_9 = tile.mul(%y_6, %y_8) {source = "examples/layer_norm.py:59"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %y_10 = tile.reshape(%b_2) {axis = 0, source = "examples/layer_norm.py:59"} : (tensor<128xf32>) -> tensor<1x128xf32>
        %y_11 = tile.broadcast(%y_10) {source = "examples/layer_norm.py:59"} : (tensor<1x128xf32>) -> tensor<32x128xf32>
        %y_12 = tile.add(%y_9, %y_11) {source = "examples/layer_norm.py:59"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
        %cast = tile.cast(%y_12) {source = "examples/layer_norm.py:60"} : (tensor<32x128xf32>) -> tensor<32x128xbf16>
        tile.store @y_ptr %cast to %y_ptr[affine_map<(row, start_3) -> (32 * row, 128 * start_3)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 300"], class = "affine", source = "examples/layer_norm.py:60", note = ""}
        scf.yield
      }
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "x_ptr_2", level = "start_2", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "mean_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "rstd_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "w_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "x_ptr_3", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 10, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "mean_ptr", tensor = "mean_ptr", format = "fp32", axes = [[32, 32, 2, 0]], rows = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "rstd_ptr", tensor = "rstd_ptr", format = "fp32", axes = [[32, 32, 2, 0]], rows = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "w_ptr", tensor = "w_ptr", format = "bf16", axes = [[32, 32, 10, 0]], columns = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bf16", axes = [[32, 32, 10, 0]], columns = 0, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 10, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "x_ptr", role = "load", format = "bf16", shape = [32, 128], pages = 12, slots = 1, page_bytes = 2048, tiles = 3, offset = 0, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 1, name = "x_ptr_2", role = "load", format = "bf16", shape = [32, 128], pages = 4, slots = 2, page_bytes = 2048, tiles = 1, offset = 24576, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 2, name = "mean_ptr", role = "store", format = "fp32", shape = [32], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 40960, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 3, name = "rstd_ptr", role = "store", format = "fp32", shape = [32], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 45056, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 4, name = "w_ptr", role = "load", format = "bf16", shape = [128], pages = 12, slots = 1, page_bytes = 2048, tiles = 3, offset = 49152, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 5, name = "b_ptr", role = "load", format = "bf16", shape = [128], pages = 12, slots = 1, page_bytes = 2048, tiles = 3, offset = 73728, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 6, name = "x_ptr_3", role = "load", format = "bf16", shape = [32, 128], pages = 12, slots = 1, page_bytes = 2048, tiles = 3, offset = 98304, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 7, name = "y_ptr", role = "store", format = "bf16", shape = [32, 128], pages = 12, slots = 1, page_bytes = 2048, tiles = 3, offset = 122880, first = 0, last = 25} : () -> ()
    "plan.buffer"() {index = 8, name = "total_4", role = "value", format = "fp32", shape = [32, 128], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 147456, first = 6, last = 9} : () -> ()
    "plan.buffer"() {index = 9, name = "square_3", role = "value", format = "fp32", shape = [32, 128], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 163840, first = 11, last = 16} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [32, 128], starts = ["32 * row", "128 * start"], inner = [["start", 3]], bounds = ["index < 33", "index < 300"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "x_ptr_2", kind = "load", buffer = "x_ptr_2", layout = "x_ptr", tile = [32, 128], starts = ["32 * row", "128 * start_2"], inner = [], bounds = ["index < 33", "index < 300"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "mean_ptr", kind = "store", buffer = "mean_ptr", layout = "mean_ptr", tile = [32], starts = ["32 * row"], inner = [], bounds = ["index < 33"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "rstd_ptr", kind = "store", buffer = "rstd_ptr", layout = "rstd_ptr", tile = [32], starts = ["32 * row"], inner = [], bounds = ["index < 33"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "w_ptr", kind = "load", buffer = "w_ptr", layout = "w_ptr", tile = [128], starts = ["128 * start_3"], inner = [["start_3", 3]], bounds = ["index < 300"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [128], starts = ["128 * start_3"], inner = [["start_3", 3]], bounds = ["index < 300"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "x_ptr_3", kind = "load", buffer = "x_ptr_3", layout = "x_ptr", tile = [32, 128], starts = ["32 * row", "128 * start_3"], inner = [["start_3", 3]], bounds = ["index < 33", "index < 300"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [32, 128], starts = ["32 * row", "128 * start_3"], inner = [["start_3", 3]], bounds = ["index < 33", "index < 300"], noc = 0, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["row", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["row", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
      "plan.move"() {stream = "w_ptr"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "x_ptr_2"} : () -> ()
      }) {counter = "start_2", stop = 3, source = "loop start_2 of the kernel"} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.move"() {stream = "b_ptr"} : () -> ()
      "plan.move"() {stream = "x_ptr_3"} : () -> ()
      "plan.move"() {stream = "mean_ptr"} : () -> ()
      "plan.move"() {stream = "rstd_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.take"() {buffer = "w_ptr"} : () -> ()
      "plan.take"() {buffer = "b_ptr"} : () -> ()
      "plan.take"() {buffer = "x_ptr_3"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "constant_4", "constant_5", "constant_6", "constant_7"]} : () -> ()
      "plan.for"() ({
        "plan.compute"() {ops = ["total_2", "total_3"], loop = "start"} : () -> ()
      }) {counter = "start", stop = 3, source = "loop start of the kernel"} : () -> ()
      "plan.make"() {buffer = "mean_ptr"} : () -> ()
      "plan.compute"() {ops = ["mean_2", "mean"]} : () -> ()
      "plan.hand"() {buffer = "mean_ptr"} : () -> ()
      "plan.for"() ({
        "plan.take"() {buffer = "x_ptr_2"} : () -> ()
        "plan.compute"() {ops = ["x_3", "x_4", "difference", "difference_2", "difference_3", "difference_4", "square", "square_2"], loop = "start_2"} : () -> ()
        "plan.drop"() {buffer = "x_ptr_2"} : () -> ()
      }) {counter = "start_2", stop = 3, source = "loop start_2 of the kernel"} : () -> ()
      "plan.make"() {buffer = "rstd_ptr"} : () -> ()
      "plan.compute"() {ops = ["rstd_2", "rstd_3", "rstd_4", "rstd_5", "rstd"]} : () -> ()
      "plan.hand"() {buffer = "rstd_ptr"} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.for"() ({
        "plan.compute"() {ops = ["w_2", "b_2", "x_5", "y", "y_2", "y_3", "y_4", "y_5", "y_6", "y_7", "y_8", "y_9", "y_10", "y_11", "y_12", "cast"], loop = "start_3"} : () -> ()
      }) {counter = "start_3", stop = 3, source = "loop start_3 of the kernel"} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr_3"} : () -> ()
      "plan.drop"() {buffer = "b_ptr"} : () -> ()
      "plan.drop"() {buffer = "w_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "layer_norm_kernel", device = "wormhole[2x2]", block = [["BLOCK_ROWS", 32], ["BLOCK_COLUMNS", 128]], spatial = [[], ["row/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
