module {
  tile.program @add_gelu_kernel attributes {block = [["BLOCK", 2048]], source = "examples/elementwise.py:13"} {
    %x_ptr = tile.tensor : memref<3300xbf16, strided<[1]>>
    %r_ptr = tile.tensor : memref<3300xbf16, strided<[1]>>
    %y_ptr = tile.tensor : memref<3300xbf16, strided<[1]>>
    affine.parallel (%pid) = (0) to (2) {
      %x = tile.load @x_ptr %x_ptr[affine_map<(pid) -> (2048 * pid)>] : tile<2048> {masked = [true], bounds = ["index < 3300"], class = "affine", source = "examples/elementwise.py:18", note = ""}
      %r = tile.load @r_ptr %r_ptr[affine_map<(pid) -> (2048 * pid)>] : tile<2048> {masked = [true], bounds = ["index < 3300"], class = "affine", source = "examples/elementwise.py:19", note = ""}
      %constant = tile.constant() {value = "0.5", source = ""} : () -> tensor<2048xf32>
      %constant_2 = tile.constant() {value = "0.707106769", source = ""} : () -> tensor<2048xf32>
      %constant_3 = tile.constant() {value = "1.0", source = ""} : () -> tensor<2048xf32>
      %x_2 = tile.cast(%x) {source = "examples/elementwise.py:18"} : (tensor<2048xbf16>) -> tensor<2048xf32>
      %r_2 = tile.cast(%r) {source = "examples/elementwise.py:19"} : (tensor<2048xbf16>) -> tensor<2048xf32>
      %s = tile.add(%x_2, %r_2) {source = "examples/elementwise.py:20"} : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32>
      %y = tile.mul(%s, %constant) {source = "examples/elementwise.py:21"} : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32>
      %y_2 = tile.mul(%s, %constant_2) {source = "examples/elementwise.py:21"} : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32>
      %y_3 = tile.erf(%y_2) {source = "examples/elementwise.py:21"} : (tensor<2048xf32>) -> tensor<2048xf32>
      %y_4 = tile.add(%y_3, %constant_3) {source = "examples/elementwise.py:21"} : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32>
      %y_5 = tile.mul(%y, %y_4) {source = "examples/elementwise.py:21"} : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32>
      %cast = tile.cast(%y_5) {source = "examples/elementwise.py:22"} : (tensor<2048xf32>) -> tensor<2048xbf16>
      tile.store @y_ptr %cast to %y_ptr[affine_map<(pid) -> (2048 * pid)>] : tile<2048> {masked = [true], bounds = ["index < 3300"], class = "affine", source = "examples/elementwise.py:22", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "x_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "r_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[1024, 1024, 4, 0]], columns = 0, in_runs = true, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "r_ptr", tensor = "r_ptr", format = "bf16", axes = [[1024, 1024, 4, 0]], columns = 0, in_runs = true, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[1024, 1024, 4, 0]], columns = 0, in_runs = true, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "x_ptr", role = "load", format = "bf16", shape = [2048], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 7} : () -> ()
    "plan.buffer"() {index = 1, name = "r_ptr", role = "load", format = "bf16", shape = [2048], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 4096, first = 0, last = 7} : () -> ()
    "plan.buffer"() {index = 2, name = "y_ptr", role = "store", format = "bf16", shape = [2048], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 7} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [2048], starts = ["2048 * pid"], inner = [], bounds = ["index < 3300"], noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "r_ptr", kind = "load", buffer = "r_ptr", layout = "r_ptr", tile = [2048], starts = ["2048 * pid"], inner = [], bounds = ["index < 3300"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [2048], starts = ["2048 * pid"], inner = [], bounds = ["index < 3300"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["pid", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["pid", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid", value = "core_pid"} : () -> ()
      "plan.move"() {stream = "x_ptr"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid", value = "core_pid"} : () -> ()
      "plan.move"() {stream = "r_ptr"} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "pid", value = "core_pid"} : () -> ()
      "plan.take"() {buffer = "x_ptr"} : () -> ()
      "plan.take"() {buffer = "r_ptr"} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "x_2", "r_2", "s", "y", "y_2", "y_3", "y_4", "y_5", "cast"]} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.drop"() {buffer = "r_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "add_gelu_kernel", device = "blackhole[2x2]", block = [["BLOCK", 2048]], spatial = [[], ["pid/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
