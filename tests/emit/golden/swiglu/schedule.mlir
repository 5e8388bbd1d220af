module {
  tile.program @swiglu_kernel attributes {block = [["BLOCK_M", 32], ["BLOCK_N", 128]], source = "examples/swiglu.py:18"} {
    %x_ptr = tile.tensor : memref<33x2x100xbf16, strided<[200, 100, 1]>>
    %y_ptr = tile.tensor : memref<33x100xbf16, strided<[100, 1]>>
    affine.parallel (%offs_m) = (0) to (2) {
      %gate = tile.load @x_ptr %x_ptr[affine_map<(offs_m) -> (32 * offs_m, 0, 0)>] : tile<32x1x128> {masked = [true, false, true], bounds = ["index < 33", "index", "index < 100"], fill = 0.0, class = "affine", source = "examples/swiglu.py:38", note = ""}
      %up = tile.load @x_ptr_2 %x_ptr[affine_map<(offs_m) -> (32 * offs_m, 1, 0)>] : tile<32x1x128> {masked = [true, false, true], bounds = ["index < 33", "index", "index < 100"], fill = 0.0, class = "affine", source = "examples/swiglu.py:39", note = ""}
      %constant = tile.constant() {value = "1.0", source = ""} : () -> tensor<32x128xf32>
      %constant_2 = tile.constant() {value = "1.0", source = ""} : () -> tensor<32x128xf32>
      %gate_2 = tile.cast(%gate) {source = "examples/swiglu.py:38"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
      %up_2 = tile.cast(%up) {source = "examples/swiglu.py:39"} : (tensor<32x128xbf16>) -> tensor<32x128xf32>
      %neg = tile.neg(%gate_2) {source = "examples/swiglu.py:15"} : (tensor<32x128xf32>) -> tensor<32x128xf32>
      %exp = tile.exp(%neg) {source = "examples/swiglu.py:15"} : (tensor<32x128xf32>) -> tensor<32x128xf32>
      %add = tile.add(%exp, %constant) {source = "examples/swiglu.py:15"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %div = tile.div(%constant_2, %add) {source = "examples/swiglu.py:15"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %mul = tile.mul(%gate_2, %div) {source = "examples/swiglu.py:15"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %y = tile.mul(%mul, %up_2) {source = "examples/swiglu.py:40"} : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
      %cast = tile.cast(%y) {source = "examples/swiglu.py:41"} : (tensor<32x128xf32>) -> tensor<32x128xbf16>
      tile.store @y_ptr %cast to %y_ptr[affine_map<(offs_m) -> (32 * offs_m, 0)>] : tile<32x128> {masked = [true, true], bounds = ["index < 33", "index < 100"], class = "affine", source = "examples/swiglu.py:41", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "x_ptr_2", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[32, 32, 2, 0], [1, 1, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[32, 32, 2, 0], [32, 32, 4, 0]], rows = 0, columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "x_ptr", role = "load", format = "bf16", shape = [32, 1, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 7} : () -> ()
    "plan.buffer"() {index = 1, name = "x_ptr_2", role = "load", format = "bf16", shape = [32, 1, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 7} : () -> ()
    "plan.buffer"() {index = 2, name = "y_ptr", role = "store", format = "bf16", shape = [32, 128], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 7} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [32, 1, 128], starts = ["32 * offs_m", "0", "0"], inner = [], bounds = ["index < 33", "index", "index < 100"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "x_ptr_2", kind = "load", buffer = "x_ptr_2", layout = "x_ptr", tile = [32, 1, 128], starts = ["32 * offs_m", "1", "0"], inner = [], bounds = ["index < 33", "index", "index < 100"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [32, 128], starts = ["32 * offs_m", "0"], inner = [], bounds = ["index < 33", "index < 100"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["offs_m", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["offs_m", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "offs_m", value = "core_offs_m"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "offs_m", value = "core_offs_m"} : () -> ()
      "plan.move"() {stream = "x_ptr_2"} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "offs_m", value = "core_offs_m"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.take"() {buffer = "x_ptr_2"} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "gate_2", "up_2", "neg", "exp", "add", "div", "mul", "y", "cast"]} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr_2"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "swiglu_kernel", device = "wormhole[2x2]", block = [["BLOCK_M", 32], ["BLOCK_N", 128]], spatial = [[], ["offs_m/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
