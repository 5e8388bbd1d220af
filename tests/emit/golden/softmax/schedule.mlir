module {
  tile.program @softmax_kernel attributes {block = [["BLOCK_ROWS", 32]], source = "examples/softmax.py:13"} {
    %x_ptr = tile.tensor : memref<33x100xbf16, strided<[100, 1]>>
    %y_ptr = tile.tensor : memref<33x100xbf16, strided<[100, 1]>>
    affine.parallel (%row) = (0) to (2) {
      tile.buffer %x_2 : tensor<32x128xf32> {loop = null, reason = "used by a reduction and again"}
      tile.buffer %weight_5 : tensor<32x128xf32> {loop = null, reason = "used by a reduction and again"}
      %x_tile = tile.load @x_ptr %x_ptr[affine_map<(row) -> (32 * row, 0)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 100"], fill = -Infinity, class = "affine", source = "examples/softmax.py:29", note = ""}
      %x = tile.fill(%x_tile) {value = "-inf", source = "examples/softmax.py:29"} : (tensor<32x128xbf16>) -> tensor<32x128xbf16>
      %x_2 = tile.cast(%x) {source = "examples/softmax.py:29"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
      %weight = tile.reduce_max(%x_2) {axis = 1, source = "examples/softmax.py:30"} : (tensor<32x128xf32>) -> tensor<32xf32>
      %weight_2 = tile.reshape(%weight) {axis = 1, source = "examples/softmax.py:30"} : (tensor<32xf32>) -> tensor<32x1xf32>
      %weight_3 = tile.broadcast(%weight_2) {source = "examples/softmax.py:30"} : (tensor<32x1xf32>) -> tensor<32x128xf32>
      %weight_4 = tile.sub(%x_2, %weight_3) {source = "examples/softmax.py:30"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %weight_5 = tile.exp(%weight_4) {source = "examples/softmax.py:30"} : (tensor<32x128xf32>) -> tensor<32x128xf32>
      %y = tile.reduce_sum(%weight_5) {axis = 1, source = "examples/softmax.py:31"} : (tensor<32x128xf32>) -> tensor<32xf32>
      %y_2 = tile.reshape(%y) {axis = 1, source = "examples/softmax.py:31"} : (tensor<32xf32>) -> tensor<32x1xf32>
      %y_3 = tile.broadcast(%y_2) {source = "examples/softmax.py:31"} : (tensor<32x1xf32>) -> tensor<32x128xf32>
      %y_4 = tile.div(%weight_5, %y_3) {source = "examples/softmax.py:31"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %cast = tile.cast(%y_4) {source = "examples/softmax.py:32"} : (tensor<32x128xf32>) -> tensor<32x128xbf16>
      tile.store @y_ptr %cast to %y_ptr[affine_map<(row) -> (32 * row, 0)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 100"], class = "affine", source = "examples/softmax.py:32", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "-inf"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "x_ptr", role = "load", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 5} : () -> ()
    "plan.buffer"() {index = 1, name = "y_ptr", role = "store", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 5} : () -> ()
    "plan.buffer"() {index = 2, name = "x_2", role = "value", format = "fp32", shape = [32, 128], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 16384, first = 3, last = 3} : () -> ()
    "plan.buffer"() {index = 3, name = "weight_5", role = "value", format = "fp32", shape = [32, 128], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 32768, first = 3, last = 3} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [32, 128], starts = ["32 * row", "0"], inner = [], bounds = ["index < 33", "index < 100"], fill = "-inf", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [32, 128], starts = ["32 * row", "0"], inner = [], bounds = ["index < 33", "index < 100"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["row", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["row", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "row", value = "core_row"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.compute"() {ops = ["x", "x_2", "weight", "weight_2", "weight_3", "weight_4", "weight_5", "y", "y_2", "y_3", "y_4", "cast"]} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "softmax_kernel", device = "blackhole[2x2]", block = [["BLOCK_ROWS", 32]], spatial = [[], ["row/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
