module {
  tile.program @attention_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64]], source = "examples/attention.py:48"} {
    %q_ptr = tile.tensor : memref<1x2x128x64xbf16, strided<[16384, 8192, 64, 1]>>
    %k_ptr = tile.tensor : memref<1x2x128x64xbf16, strided<[16384, 8192, 64, 1]>>
    %v_ptr = tile.tensor : memref<1x2x128x64xbf16, strided<[16384, 8192, 64, 1]>>
    %o_ptr = tile.tensor : memref<1x2x128x64xbf16, strided<[16384, 8192, 64, 1]>>
    affine.parallel (%batch, %block) = (0, 0) to (2, 2) {
      tile.buffer %acc_5 : tensor<64x64xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %peak : tensor<64xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %total_2 : tensor<64xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %q_4 : tensor<64x64xbf16> {loop = null, reason = "operand of a dot"}
      tile.buffer %k : tensor<64x64xbf16> {loop = "start", reason = "operand of a dot"}
      tile.buffer %acc : tensor<64x64xbf16> {loop = "start", reason = "operand of a dot"}
      tile.buffer %score : tensor<64x64xf32> {loop = "start", reason = "used by a reduction and again"}
      tile.buffer %weight_4 : tensor<64x64xf32> {loop = "start", reason = "used by a reduction and again"}
      %q = tile.load @q_ptr %q_ptr[affine_map<(batch, block) -> (0, 1 * batch, 64 * block, 0)>] : tile<1x1x64x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/attention.py:77", note = ""}
      %constant = tile.constant() {value = "0.180336878", source = ""} : () -> tensor<64x64xf32>
      %constant_2 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_3 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_4 = tile.constant() {value = "-1e+30", source = ""} : () -> tensor<64xf32>
      %constant_5 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64xf32>
      %q_2 = tile.cast(%q) {source = "examples/attention.py:78"} : (tensor<64x64xbf16>) -> tensor<64x64xf32>
      %q_3 = tile.mul(%q_2, %constant) {source = "examples/attention.py:78"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %q_4 = tile.cast(%q_3) {source = "examples/attention.py:78"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
      %acc_7, %peak_2, %total_5 = scf.for %start = 0 to 2 step 1 iter_args(%acc_5 = %constant_3, %peak = %constant_4, %total_2 = %constant_5) {
        %k_tile = tile.load @k_ptr %k_ptr[affine_map<(batch, block, start) -> (0, 1 * batch, 64 * start, 0)>] : tile<1x1x64x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/attention.py:28", note = ""}
        %v = tile.load @v_ptr %v_ptr[affine_map<(batch, block, start) -> (0, 1 * batch, 64 * start, 0)>] : tile<1x1x64x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/attention.py:29", note = ""}
        %k = tile.transpose(%k_tile) {order = "1,0", source = "examples/attention.py:28"} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
        %score = tile.dot(%q_4, %k, %constant_2) {k = 64, source = "examples/attention.py:33"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %new_peak = tile.reduce_max(%score) {axis = 1, source = "examples/attention.py:39"} : (tensor<64x64xf32>) -> tensor<64xf32>
        %new_peak_2 = tile.max(%peak, %new_peak) {source = "examples/attention.py:39"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %rescale = tile.sub(%peak, %new_peak_2) {source = "examples/attention.py:40"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %rescale_2 = tile.exp2(%rescale) {source = "examples/attention.py:40"} : (tensor<64xf32>) -> tensor<64xf32>
        %weight = tile.reshape(%new_peak_2) {axis = 1, source = "examples/attention.py:41"} : (tensor<64xf32>) -> tensor<64x1xf32>
        %weight_2 = tile.broadcast(%weight) {source = "examples/attention.py:41"} : (tensor<64x1xf32>) -> tensor<64x64xf32>
        %weight_3 = tile.sub(%score, %weight_2) {source = "examples/attention.py:41"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %weight_4 = tile.exp2(%weight_3) {source = "examples/attention.py:41"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
        %total = tile.mul(%total_2, %rescale_2) {source = "examples/attention.py:42"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %total_3 = tile.reduce_sum(%weight_4) {axis = 1, source = "examples/attention.py:42"} : (tensor<64x64xf32>) -> tensor<64xf32>
        %total_4 = tile.add(%total, %total_3) {source = "examples/attention.py:42"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %acc = tile.cast(%weight_4) {source = "examples/attention.py:43"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
        %acc_2 = tile.reshape(%rescale_2) {axis = 1, source = "examples/attention.py:43"} : (tensor<64xf32>) -> tensor<64x1xf32>
        %acc_3 = tile.broadcast(%acc_2) {source = "examples/attention.py:43"} : (tensor<64x1xf32>) -> tensor<64x64xf32>
        %acc_4 = tile.mul(%acc_5, %acc_3) {source = "examples/attention.py:43"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %acc_6 = tile.dot(%acc, %v, %acc_4) {k = 64, source = "examples/attention.py:43"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %acc_6, %new_peak_2, %total_4
      }
      %reshape = tile.reshape(%total_5) {axis = 1, source = "examples/attention.py:104"} : (tensor<64xf32>) -> tensor<64x1xf32>
      %broadcast = tile.broadcast(%reshape) {source = "examples/attention.py:104"} : (tensor<64x1xf32>) -> tensor<64x64xf32>
      %div = tile.div(%acc_7, %broadcast) {source = "examples/attention.py:104"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %cast = tile.cast(%div) {source = "examples/attention.py:104"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
      tile.store @o_ptr %cast to %o_ptr[affine_map<(batch, block) -> (0, 1 * batch, 64 * block, 0)>] : tile<1x1x64x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], class = "affine", source = "examples/attention.py:104", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "q_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "k_ptr", level = "start", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "v_ptr", level = "start", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "o_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "q_ptr", tensor = "q_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "k_ptr", tensor = "k_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "v_ptr", tensor = "v_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "o_ptr", tensor = "o_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "q_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 13} : () -> ()
    "plan.buffer"() {index = 1, name = "k_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 64], pages = 4, slots = 2, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 13} : () -> ()
    "plan.buffer"() {index = 2, name = "v_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 64], pages = 4, slots = 2, page_bytes = 2048, tiles = 1, offset = 24576, first = 0, last = 13} : () -> ()
    "plan.buffer"() {index = 3, name = "o_ptr", role = "store", format = "bf16", shape = [1, 1, 64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 40960, first = 0, last = 13} : () -> ()
    "plan.buffer"() {index = 4, name = "acc_5", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 49152, first = 4, last = 11} : () -> ()
    "plan.buffer"() {index = 5, name = "peak", role = "value", format = "fp32", shape = [64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 65536, first = 4, last = 9} : () -> ()
    "plan.buffer"() {index = 6, name = "total_2", role = "value", format = "fp32", shape = [64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 73728, first = 4, last = 11} : () -> ()
    "plan.buffer"() {index = 7, name = "q_4", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 81920, first = 3, last = 7} : () -> ()
    "plan.buffer"() {index = 8, name = "k", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 90112, first = 7, last = 7} : () -> ()
    "plan.buffer"() {index = 9, name = "acc", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 98304, first = 7, last = 7} : () -> ()
    "plan.buffer"() {index = 10, name = "score", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 106496, first = 7, last = 7} : () -> ()
    "plan.buffer"() {index = 11, name = "weight_4", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 122880, first = 7, last = 7} : () -> ()
    "plan.stream"() {access = "q_ptr", kind = "load", buffer = "q_ptr", layout = "q_ptr", tile = [1, 1, 64, 64], starts = ["0", "1 * batch", "64 * block", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "k_ptr", kind = "load", buffer = "k_ptr", layout = "k_ptr", tile = [1, 1, 64, 64], starts = ["0", "1 * batch", "64 * start", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "v_ptr", kind = "load", buffer = "v_ptr", layout = "v_ptr", tile = [1, 1, 64, 64], starts = ["0", "1 * batch", "64 * start", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "o_ptr", kind = "store", buffer = "o_ptr", layout = "o_ptr", tile = [1, 1, 64, 64], starts = ["0", "1 * batch", "64 * block", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["batch", 0], ["block", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["batch", 0], ["block", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["batch", 1], ["block", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["batch", 1], ["block", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "block", value = "core_block"} : () -> ()
      "plan.move"() {stream = "q_ptr"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "k_ptr"} : () -> ()
      }) {counter = "start", stop = 2, source = "loop start of the kernel"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "block", value = "core_block"} : () -> ()
      "plan.for"() ({
        "plan.move"() {stream = "v_ptr"} : () -> ()
      }) {counter = "start", stop = 2, source = "loop start of the kernel"} : () -> ()
      "plan.move"() {stream = "o_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "block", value = "core_block"} : () -> ()
      "plan.take"() {buffer = "q_ptr"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "constant_4", "constant_5", "q_2", "q_3", "q_4"]} : () -> ()
      "plan.for"() ({
        "plan.take"() {buffer = "k_ptr"} : () -> ()
        "plan.take"() {buffer = "v_ptr"} : () -> ()
        "plan.compute"() {ops = ["k", "score", "new_peak", "new_peak_2", "rescale", "rescale_2", "weight", "weight_2", "weight_3", "weight_4", "total", "total_3", "total_4", "acc", "acc_2", "acc_3", "acc_4", "acc_6"], loop = "start"} : () -> ()
        "plan.drop"() {buffer = "v_ptr"} : () -> ()
        "plan.drop"() {buffer = "k_ptr"} : () -> ()
      }) {counter = "start", stop = 2, source = "loop start of the kernel"} : () -> ()
      "plan.make"() {buffer = "o_ptr"} : () -> ()
      "plan.compute"() {ops = ["reshape", "broadcast", "div", "cast"]} : () -> ()
      "plan.hand"() {buffer = "o_ptr"} : () -> ()
      "plan.drop"() {buffer = "q_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "attention_kernel", device = "wormhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64]], spatial = [["batch/2"], ["block/2"]], order = [], origin = [], semaphores = 0} : () -> ()
}
