module {
  tile.program @chunk_scan_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 32], ["BLOCK_K", 32]], source = "examples/mamba_chunk_scan.py:17"} {
    %x_ptr = tile.tensor : memref<1x128x2x32xbf16, strided<[8192, 64, 32, 1]>>
    %b_ptr = tile.tensor : memref<1x128x1x32xbf16, strided<[4096, 32, 32, 1]>>
    %c_ptr = tile.tensor : memref<1x128x1x32xbf16, strided<[4096, 32, 32, 1]>>
    %dt_ptr = tile.tensor : memref<1x128x2xf32, strided<[256, 2, 1]>>
    %decay_ptr = tile.tensor : memref<1x2x128xf32, strided<[256, 128, 1]>>
    %state_ptr = tile.tensor : memref<1x1x2x32x32xf32, strided<[2048, 2048, 1024, 32, 1]>>
    %d_ptr = tile.tensor : memref<2xf32, strided<[1]>>
    %y_ptr = tile.tensor : memref<1x128x2x32xbf16, strided<[8192, 64, 32, 1]>>
    affine.parallel (%tile, %head) = (0, 0) to (2, 2) {
      tile.buffer %acc_10 : tensor<64x32xf32> {loop = "k", reason = "carried from trip to trip"}
      tile.buffer %acc_2 : tensor<32x32xbf16> {loop = null, reason = "operand of a dot"}
      tile.buffer %b : tensor<32x32xbf16> {loop = "k", reason = "operand of a dot"}
      tile.buffer %acc_8 : tensor<64x32xbf16> {loop = "k", reason = "operand of a dot"}
      %c = tile.load @c_ptr %c_ptr[affine_map<(tile, head) -> (0, 64 * tile, 0, 0)>] : tile<1x64x1x32> {masked = [false, false, false, false], bounds = ["index", "index < 128", "index", "index"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_scan.py:62", note = ""}
      %before_tile = tile.load @state_ptr %state_ptr[affine_map<(tile, head) -> (0, 0, 1 * head, 0, 0)>] : tile<1x1x1x32x32> {masked = [false, false, false, false, false], bounds = ["index", "index", "index", "index < 32", "index"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_scan.py:63", note = ""}
      %decay = tile.load @decay_ptr %decay_ptr[affine_map<(tile, head) -> (0, 1 * head, 64 * tile)>] : tile<1x1x64> {masked = [false, false, false], class = "affine", source = "examples/mamba_chunk_scan.py:64", note = ""}
      %constant = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x32xf32>
      %constant_2 = tile.constant() {value = "-1e+30", source = ""} : () -> tensor<64x32xf32>
      %constant_3 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x32xf32>
      %before = tile.transpose(%before_tile) {order = "1,0", source = "examples/mamba_chunk_scan.py:63"} : (tensor<32x32xf32>) -> tensor<32x32xf32>
      %acc_2 = tile.cast(%before) {source = "examples/mamba_chunk_scan.py:65"} : (tensor<32x32xf32>) -> tensor<32x32xbf16>
      %acc_3 = tile.dot(%c, %acc_2, %constant) {k = 32, source = "examples/mamba_chunk_scan.py:65"} : (tensor<64x32xbf16>, tensor<32x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %acc_4 = tile.exp(%decay) {source = "examples/mamba_chunk_scan.py:65"} : (tensor<64xf32>) -> tensor<64xf32>
      %acc_5 = tile.reshape(%acc_4) {axis = 1, source = "examples/mamba_chunk_scan.py:65"} : (tensor<64xf32>) -> tensor<64x1xf32>
      %acc_6 = tile.broadcast(%acc_5) {source = "examples/mamba_chunk_scan.py:65"} : (tensor<64x1xf32>) -> tensor<64x32xf32>
      %acc_7 = tile.mul(%acc_3, %acc_6) {source = "examples/mamba_chunk_scan.py:65"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %acc_11 = scf.for %k = 0 to 4 step 1 iter_args(%acc_10 = %acc_7) attributes {total_trips = 12, trips = "min(4, max(2, (64 * tile + 64) ceildiv 32))"} {
        %b_tile = tile.load @b_ptr %b_ptr[affine_map<(tile, head, k) -> (0, 32 * k, 0, 0)>] : tile<1x32x1x32> {masked = [false, false, false, false], bounds = ["index", "index < 128", "index", "index"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_scan.py:71", note = ""}
        %dt = tile.load @dt_ptr %dt_ptr[affine_map<(tile, head, k) -> (0, 32 * k, 1 * head)>] : tile<1x32x1> {masked = [false, false, false], bounds = ["index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_scan.py:72", note = ""}
        %source_decay = tile.load @decay_ptr_2 %decay_ptr[affine_map<(tile, head, k) -> (0, 1 * head, 32 * k)>] : tile<1x1x32> {masked = [false, false, false], class = "affine", source = "examples/mamba_chunk_scan.py:73", note = ""}
        %x = tile.load @x_ptr %x_ptr[affine_map<(tile, head, k) -> (0, 32 * k, 1 * head, 0)>] : tile<1x32x1x32> {masked = [false, false, false, false], bounds = ["index", "index < 128", "index", "index < 32"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_scan.py:75", note = ""}
        %b = tile.transpose(%b_tile) {order = "1,0", source = "examples/mamba_chunk_scan.py:71"} : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
        %exponent = tile.mask() {"0.const" = 0, "0.lane0" = 1, "0.lane1" = -1, "0.k" = -32, "0.tile" = 64, source = "examples/mamba_chunk_scan.py:78"} : () -> tensor<64x32xi1>
        %exponent_2 = tile.reshape(%decay) {axis = 1, source = "examples/mamba_chunk_scan.py:78"} : (tensor<64xf32>) -> tensor<64x1xf32>
        %exponent_3 = tile.reshape(%source_decay) {axis = 0, source = "examples/mamba_chunk_scan.py:78"} : (tensor<32xf32>) -> tensor<1x32xf32>
        %exponent_4 = tile.broadcast(%exponent_2) {source = "examples/mamba_chunk_scan.py:78"} : (tensor<64x1xf32>) -> tensor<64x32xf32>
        %exponent_5 = tile.broadcast(%exponent_3) {source = "examples/mamba_chunk_scan.py:78"} : (tensor<1x32xf32>) -> tensor<64x32xf32>
        %exponent_6 = tile.sub(%exponent_4, %exponent_5) {source = "examples/mamba_chunk_scan.py:78"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %exponent_7 = tile.where(%exponent, %exponent_6, %constant_2) {source = "examples/mamba_chunk_scan.py:78"} : (tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %weight = tile.dot(%c, %b, %constant_3) {k = 32, source = "examples/mamba_chunk_scan.py:79"} : (tensor<64x32xbf16>, tensor<32x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %weight_2 = tile.exp(%exponent_7) {source = "examples/mamba_chunk_scan.py:79"} : (tensor<64x32xf32>) -> tensor<64x32xf32>
        %weight_3 = tile.mul(%weight, %weight_2) {source = "examples/mamba_chunk_scan.py:79"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %weight_4 = tile.reshape(%dt) {axis = 0, source = "examples/mamba_chunk_scan.py:79"} : (tensor<32xf32>) -> tensor<1x32xf32>
        %weight_5 = tile.broadcast(%weight_4) {source = "examples/mamba_chunk_scan.py:79"} : (tensor<1x32xf32>) -> tensor<64x32xf32>
        %weight_6 = tile.mul(%weight_3, %weight_5) {source = "examples/mamba_chunk_scan.py:79"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %acc_8 = tile.cast(%weight_6) {source = "examples/mamba_chunk_scan.py:80"} : (tensor<64x32xf32>) -> tensor<64x32xbf16>
        %acc_9 = tile.dot(%acc_8, %x, %acc_10) {k = 32, source = "examples/mamba_chunk_scan.py:80"} : (tensor<64x32xbf16>, tensor<32x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        scf.yield %acc_9
      }
      %skip = tile.load @x_ptr_2 %x_ptr[affine_map<(tile, head) -> (0, 64 * tile, 1 * head, 0)>] : tile<1x64x1x32> {masked = [false, false, false, false], bounds = ["index", "index < 128", "index", "index < 32"], fill = 0.0, class = "affine", source = "examples/mamba_chunk_scan.py:83", note = ""}
      %acc = tile.load @d_ptr %d_ptr[affine_map<(tile, head) -> (1 * head)>] : tile<1> {masked = [false], class = "affine", source = "examples/mamba_chunk_scan.py:84", note = ""}
      %skip_2 = tile.cast(%skip) {source = "examples/mamba_chunk_scan.py:83"} : (tensor<64x32xbf16>) -> tensor<64x32xf32>
      %acc_12 = tile.broadcast(%acc) {source = "examples/mamba_chunk_scan.py:84"} : (tensor<f32>) -> tensor<64x32xf32>
      %acc_13 = tile.mul(%acc_12, %skip_2) {source = "examples/mamba_chunk_scan.py:84"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %acc_14 = tile.add(%acc_11, %acc_13) {source = "examples/mamba_chunk_scan.py:84"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %cast = tile.cast(%acc_14) {source = "examples/mamba_chunk_scan.py:86"} : (tensor<64x32xf32>) -> tensor<64x32xbf16>
      tile.store @y_ptr %cast to %y_ptr[affine_map<(tile, head) -> (0, 64 * tile, 1 * head, 0)>] : tile<1x64x1x32> {masked = [false, false, false, false], bounds = ["index", "index < 128", "index", "index < 32"], class = "affine", source = "examples/mamba_chunk_scan.py:86", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "c_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "state_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "decay_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "b_ptr", level = "k", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "dt_ptr", level = "k", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "decay_ptr_2", level = "k", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "x_ptr", level = "k", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "x_ptr_2", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "d_ptr", level = "", depth = 1, groups = [2, 1], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "y_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "c_ptr", tensor = "c_ptr", format = "bf16", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 1, 0], [32, 32, 1, 0]], rows = 1, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "state_ptr", tensor = "state_ptr", format = "fp32", axes = [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 1, 0], [32, 32, 1, 0]], rows = 3, columns = 4, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "decay_ptr", tensor = "decay_ptr", format = "fp32", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0]], rows = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "b_ptr", tensor = "b_ptr", format = "bf16", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 1, 0], [32, 32, 1, 0]], rows = 1, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "dt_ptr", tensor = "dt_ptr", format = "fp32", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 2, 0]], columns = 1, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "decay_ptr.2", tensor = "decay_ptr", format = "fp32", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0]], columns = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "x_ptr", tensor = "x_ptr", format = "bf16", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 2, 0], [32, 32, 1, 0]], rows = 1, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "d_ptr", tensor = "d_ptr", format = "fp32", axes = [[1, 1, 2, 0]], in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "y_ptr", tensor = "y_ptr", format = "bf16", axes = [[1, 1, 1, 0], [32, 32, 4, 0], [1, 1, 2, 0], [32, 32, 1, 0]], rows = 1, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "c_ptr", role = "load", format = "bf16", shape = [1, 64, 1, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 1, name = "state_ptr", role = "load", format = "fp32", shape = [1, 1, 1, 32, 32], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 4096, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 2, name = "decay_ptr", role = "load", format = "fp32", shape = [1, 1, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 8192, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 3, name = "b_ptr", role = "load", format = "bf16", shape = [1, 32, 1, 32], pages = 1, slots = 2, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 4, name = "dt_ptr", role = "load", format = "fp32", shape = [1, 32, 1], pages = 1, slots = 2, page_bytes = 4096, tiles = 1, offset = 20480, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 5, name = "decay_ptr_2", role = "load", format = "fp32", shape = [1, 1, 32], pages = 1, slots = 2, page_bytes = 4096, tiles = 1, offset = 28672, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 6, name = "x_ptr", role = "load", format = "bf16", shape = [1, 32, 1, 32], pages = 1, slots = 2, page_bytes = 2048, tiles = 1, offset = 36864, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 7, name = "x_ptr_2", role = "load", format = "bf16", shape = [1, 64, 1, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 40960, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 8, name = "d_ptr", role = "load", format = "fp32", shape = [1], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 45056, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 9, name = "y_ptr", role = "store", format = "bf16", shape = [1, 64, 1, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 49152, first = 0, last = 26} : () -> ()
    "plan.buffer"() {index = 10, name = "acc_10", role = "value", format = "fp32", shape = [64, 32], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 53248, first = 8, last = 20} : () -> ()
    "plan.buffer"() {index = 11, name = "acc_2", role = "value", format = "bf16", shape = [32, 32], pages = 1, slots = 1, page_bytes = 2048, tiles = 1, offset = 61440, first = 7, last = 7} : () -> ()
    "plan.buffer"() {index = 12, name = "b", role = "value", format = "bf16", shape = [32, 32], pages = 1, slots = 1, page_bytes = 2048, tiles = 1, offset = 63488, first = 14, last = 14} : () -> ()
    "plan.buffer"() {index = 13, name = "acc_8", role = "value", format = "bf16", shape = [64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 65536, first = 14, last = 14} : () -> ()
    "plan.stream"() {access = "c_ptr", kind = "load", buffer = "c_ptr", layout = "c_ptr", tile = [1, 64, 1, 32], starts = ["0", "64 * tile", "0", "0"], inner = [], bounds = ["index", "index < 128", "index", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "state_ptr", kind = "load", buffer = "state_ptr", layout = "state_ptr", tile = [1, 1, 1, 32, 32], starts = ["0", "0", "1 * head", "0", "0"], inner = [], bounds = ["index", "index", "index", "index < 32", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "decay_ptr", kind = "load", buffer = "decay_ptr", layout = "decay_ptr", tile = [1, 1, 64], starts = ["0", "1 * head", "64 * tile"], inner = [], bounds = ["index", "index", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "b_ptr", kind = "load", buffer = "b_ptr", layout = "b_ptr", tile = [1, 32, 1, 32], starts = ["0", "32 * k", "0", "0"], inner = [], bounds = ["index", "index < 128", "index", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "dt_ptr", kind = "load", buffer = "dt_ptr", layout = "dt_ptr", tile = [1, 32, 1], starts = ["0", "32 * k", "1 * head"], inner = [], bounds = ["index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "decay_ptr_2", kind = "load", buffer = "decay_ptr_2", layout = "decay_ptr.2", tile = [1, 1, 32], starts = ["0", "1 * head", "32 * k"], inner = [], bounds = ["index", "index", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "x_ptr", kind = "load", buffer = "x_ptr", layout = "x_ptr", tile = [1, 32, 1, 32], starts = ["0", "32 * k", "1 * head", "0"], inner = [], bounds = ["index", "index < 128", "index", "index < 32"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "x_ptr_2", kind = "load", buffer = "x_ptr_2", layout = "x_ptr", tile = [1, 64, 1, 32], starts = ["0", "64 * tile", "1 * head", "0"], inner = [], bounds = ["index", "index < 128", "index", "index < 32"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "d_ptr", kind = "load", buffer = "d_ptr", layout = "d_ptr", tile = [1], starts = ["1 * head"], inner = [], bounds = ["index"], noc = 1, pattern = "multicast", ready = 1, valid = 0} : () -> ()
    "plan.group"() {access = "d_ptr", reader = [1, 0], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [1, 0]]} : () -> ()
    "plan.group"() {access = "d_ptr", reader = [1, 1], low = [0, 1], high = [0, 1], receivers = 1, cores = [[0, 1], [1, 1]]} : () -> ()
    "plan.stream"() {access = "y_ptr", kind = "store", buffer = "y_ptr", layout = "y_ptr", tile = [1, 64, 1, 32], starts = ["0", "64 * tile", "1 * head", "0"], inner = [], bounds = ["index", "index < 128", "index", "index < 32"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["tile", 0], ["head", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["tile", 0], ["head", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["tile", 1], ["head", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["tile", 1], ["head", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "tile", value = "core_tile"} : () -> ()
      "plan.let"() {name = "head", value = "core_head"} : () -> ()
      "plan.move"() {stream = "c_ptr"} : () -> ()
      "plan.move"() {stream = "state_ptr"} : () -> ()
      "plan.move"() {stream = "x_ptr_2"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "b_ptr"} : () -> ()
        "plan.move"() {stream = "dt_ptr"} : () -> ()
      }) {counter = "k", stop = 4, trips = "min(4, max(2, (64 * tile + 64) ceildiv 32))", source = "loop k of the kernel"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "tile", value = "core_tile"} : () -> ()
      "plan.let"() {name = "head", value = "core_head"} : () -> ()
      "plan.move"() {stream = "decay_ptr"} : () -> ()
      "plan.move"() {stream = "d_ptr"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "decay_ptr_2"} : () -> ()
        "plan.move"() {stream = "x_ptr"} : () -> ()
      }) {counter = "k", stop = 4, trips = "min(4, max(2, (64 * tile + 64) ceildiv 32))", source = "loop k of the kernel"} : () -> ()
      "plan.move"() {stream = "y_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "tile", value = "core_tile"} : () -> ()
      "plan.let"() {name = "head", value = "core_head"} : () -> ()
      "plan.take"() {buffer = "c_ptr"} : () -> ()
      "plan.take"() {buffer = "state_ptr"} : () -> ()
      "plan.take"() {buffer = "decay_ptr"} : () -> ()
      "plan.take"() {buffer = "x_ptr_2"} : () -> ()
      "plan.take"() {buffer = "d_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "before", "acc_2", "acc_3", "acc_4", "acc_5", "acc_6", "acc_7"]} : () -> ()
      "plan.for"() ({
        "plan.take"() {buffer = "b_ptr"} : () -> ()
        "plan.take"() {buffer = "dt_ptr"} : () -> ()
        "plan.take"() {buffer = "decay_ptr_2"} : () -> ()
        "plan.take"() {buffer = "x_ptr"} : () -> ()
        "plan.guard"() ({
          "plan.compute"() {ops = ["b", "exponent", "exponent_2", "exponent_3", "exponent_4", "exponent_5", "exponent_6", "exponent_7", "weight", "weight_2", "weight_3", "weight_4", "weight_5", "weight_6", "acc_8", "acc_9"], loop = "k"} : () -> ()
        }) {extents = [], trips = ["k"]} : () -> ()
        "plan.drop"() {buffer = "x_ptr"} : () -> ()
        "plan.drop"() {buffer = "decay_ptr_2"} : () -> ()
        "plan.drop"() {buffer = "dt_ptr"} : () -> ()
        "plan.drop"() {buffer = "b_ptr"} : () -> ()
      }) {counter = "k", stop = 4, trips = "min(4, max(2, (64 * tile + 64) ceildiv 32))", source = "loop k of the kernel"} : () -> ()
      "plan.make"() {buffer = "y_ptr"} : () -> ()
      "plan.compute"() {ops = ["skip_2", "acc_12", "acc_13", "acc_14", "cast"]} : () -> ()
      "plan.hand"() {buffer = "y_ptr"} : () -> ()
      "plan.drop"() {buffer = "d_ptr"} : () -> ()
      "plan.drop"() {buffer = "x_ptr_2"} : () -> ()
      "plan.drop"() {buffer = "decay_ptr"} : () -> ()
      "plan.drop"() {buffer = "state_ptr"} : () -> ()
      "plan.drop"() {buffer = "c_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "chunk_scan_kernel", device = "wormhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 32], ["BLOCK_K", 32]], spatial = [["tile/2"], ["head/2"]], order = [], origin = [], semaphores = 2} : () -> ()
}
