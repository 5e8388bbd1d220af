module {
  tile.program @attention_kernel attributes {block = [["BLOCK_M", 64], ["BLOCK_N", 64]], source = "examples/attention.py:48"} {
    %q_ptr = tile.tensor : memref<1x2x128x32xbf16, strided<[8192, 4096, 32, 1]>>
    %k_ptr = tile.tensor : memref<1x2x128x32xbf16, strided<[8192, 4096, 32, 1]>>
    %v_ptr = tile.tensor : memref<1x2x128x32xbf16, strided<[8192, 4096, 32, 1]>>
    %o_ptr = tile.tensor : memref<1x2x128x32xbf16, strided<[8192, 4096, 32, 1]>>
    affine.parallel (%batch, %block) = (0, 0) to (2, 2) {
      tile.buffer %acc_5 : tensor<64x32xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %peak : tensor<64xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %total_2 : tensor<64xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %acc_12 : tensor<64x32xf32> {loop = "start_2", reason = "carried from trip to trip"}
      tile.buffer %peak_3 : tensor<64xf32> {loop = "start_2", reason = "carried from trip to trip"}
      tile.buffer %total_7 : tensor<64xf32> {loop = "start_2", reason = "carried from trip to trip"}
      tile.buffer %q_4 : tensor<64x32xbf16> {loop = null, reason = "operand of a dot"}
      tile.buffer %k : tensor<32x64xbf16> {loop = "start", reason = "operand of a dot"}
      tile.buffer %acc : tensor<64x64xbf16> {loop = "start", reason = "operand of a dot"}
      tile.buffer %k_2 : tensor<32x64xbf16> {loop = "start_2", reason = "operand of a dot"}
      tile.buffer %acc_8 : tensor<64x64xbf16> {loop = "start_2", reason = "operand of a dot"}
      tile.buffer %score : tensor<64x64xf32> {loop = "start", reason = "used by a reduction and again"}
      tile.buffer %weight_4 : tensor<64x64xf32> {loop = "start", reason = "used by a reduction and again"}
      tile.buffer %score_3 : tensor<64x64xf32> {loop = "start_2", reason = "used by a reduction and again"}
      tile.buffer %weight_8 : tensor<64x64xf32> {loop = "start_2", reason = "used by a reduction and again"}
      %q = tile.load @q_ptr %q_ptr[affine_map<(batch, block) -> (0, 1 * batch, 64 * block, 0)>] : tile<1x1x64x32> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/attention.py:77", note = ""}
      %constant = tile.constant() {value = "0.255034864", source = ""} : () -> tensor<64x32xf32>
      %constant_2 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_3 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x32xf32>
      %constant_4 = tile.constant() {value = "-1e+30", source = ""} : () -> tensor<64xf32>
      %constant_5 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64xf32>
      %constant_6 = tile.constant() {value = "0.0", source = ""} : () -> tensor<64x64xf32>
      %constant_7 = tile.constant() {value = "-1e+30", source = ""} : () -> tensor<64x64xf32>
      %q_2 = tile.cast(%q) {source = "examples/attention.py:78"} : (tensor<64x32xbf16>) -> tensor<64x32xf32>
      %q_3 = tile.mul(%q_2, %constant) {source = "examples/attention.py:78"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %q_4 = tile.cast(%q_3) {source = "examples/attention.py:78"} : (tensor<64x32xf32>) -> tensor<64x32xbf16>
      %acc_7, %peak_2, %total_5 = scf.for %start = 0 to 1 step 1 iter_args(%acc_5 = %constant_3, %peak = %constant_4, %total_2 = %constant_5) attributes {total_trips = 2, trips = "min(1, max(0, (64 * block + 0) ceildiv 64))"} {
        %k_tile = tile.load @k_ptr %k_ptr[affine_map<(batch, block, start) -> (0, 1 * batch, 0, 0)>] : tile<1x1x64x32> {masked = [false, false, false, false], class = "affine", source = "examples/attention.py:31", note = ""}
        %v = tile.load @v_ptr %v_ptr[affine_map<(batch, block, start) -> (0, 1 * batch, 0, 0)>] : tile<1x1x64x32> {masked = [false, false, false, false], class = "affine", source = "examples/attention.py:32", note = ""}
        %k = tile.transpose(%k_tile) {order = "1,0", source = "examples/attention.py:31"} : (tensor<64x32xbf16>) -> tensor<32x64xbf16>
        %score = tile.dot(%q_4, %k, %constant_2) {k = 32, source = "examples/attention.py:33"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
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
        %acc_3 = tile.broadcast(%acc_2) {source = "examples/attention.py:43"} : (tensor<64x1xf32>) -> tensor<64x32xf32>
        %acc_4 = tile.mul(%acc_5, %acc_3) {source = "examples/attention.py:43"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %acc_6 = tile.dot(%acc, %v, %acc_4) {k = 64, source = "examples/attention.py:43"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        scf.yield %acc_6, %new_peak_2, %total_4
      }
      %acc_14, %peak_4, %total_10 = scf.for %start_2 = 0 to 1 step 1 iter_args(%acc_12 = %acc_7, %peak_3 = %peak_2, %total_7 = %total_5) {
        %k_tile_2 = tile.load @k_ptr_2 %k_ptr[affine_map<(batch, block, start_2) -> (0, 1 * batch, 64 * block, 0)>] : tile<1x1x64x32> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/attention.py:28", note = ""}
        %v_2 = tile.load @v_ptr_2 %v_ptr[affine_map<(batch, block, start_2) -> (0, 1 * batch, 64 * block, 0)>] : tile<1x1x64x32> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], fill = 0.0, class = "affine", source = "examples/attention.py:29", note = ""}
        %k_2 = tile.transpose(%k_tile_2) {order = "1,0", source = "examples/attention.py:28"} : (tensor<64x32xbf16>) -> tensor<32x64xbf16>
        %score_2 = tile.dot(%q_4, %k_2, %constant_6) {k = 32, source = "examples/attention.py:33"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %seen = tile.mask() {"0.const" = 127, "0.lane1" = -1, "0.block" = -64, "1.const" = 0, "1.lane0" = 1, "1.lane1" = -1, source = "examples/attention.py:37"} : () -> tensor<64x64xi1>
        %score_3 = tile.where(%seen, %score_2, %constant_7) {source = "examples/attention.py:38"} : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %new_peak_3 = tile.reduce_max(%score_3) {axis = 1, source = "examples/attention.py:39"} : (tensor<64x64xf32>) -> tensor<64xf32>
        %new_peak_4 = tile.max(%peak_3, %new_peak_3) {source = "examples/attention.py:39"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %rescale_3 = tile.sub(%peak_3, %new_peak_4) {source = "examples/attention.py:40"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %rescale_4 = tile.exp2(%rescale_3) {source = "examples/attention.py:40"} : (tensor<64xf32>) -> tensor<64xf32>
        %weight_5 = tile.reshape(%new_peak_4) {axis = 1, source = "examples/attention.py:41"} : (tensor<64xf32>) -> tensor<64x1xf32>
        %weight_6 = tile.broadcast(%weight_5) {source = "examples/attention.py:41"} : (tensor<64x1xf32>) -> tensor<64x64xf32>
        %weight_7 = tile.sub(%score_3, %weight_6) {source = "examples/attention.py:41"} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %weight_8 = tile.exp2(%weight_7) {source = "examples/attention.py:41"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
        %total_6 = tile.mul(%total_7, %rescale_4) {source = "examples/attention.py:42"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %total_8 = tile.reduce_sum(%weight_8) {axis = 1, source = "examples/attention.py:42"} : (tensor<64x64xf32>) -> tensor<64xf32>
        %total_9 = tile.add(%total_6, %total_8) {source = "examples/attention.py:42"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        %acc_8 = tile.cast(%weight_8) {source = "examples/attention.py:43"} : (tensor<64x64xf32>) -> tensor<64x64xbf16>
        %acc_9 = tile.reshape(%rescale_4) {axis = 1, source = "examples/attention.py:43"} : (tensor<64xf32>) -> tensor<64x1xf32>
        %acc_10 = tile.broadcast(%acc_9) {source = "examples/attention.py:43"} : (tensor<64x1xf32>) -> tensor<64x32xf32>
        %acc_11 = tile.mul(%acc_12, %acc_10) {source = "examples/attention.py:43"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %acc_13 = tile.dot(%acc_8, %v_2, %acc_11) {k = 64, source = "examples/attention.py:43"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        scf.yield %acc_13, %new_peak_4, %total_9
      }
      %reshape = tile.reshape(%total_10) {axis = 1, source = "examples/attention.py:104"} : (tensor<64xf32>) -> tensor<64x1xf32>
      %broadcast = tile.broadcast(%reshape) {source = "examples/attention.py:104"} : (tensor<64x1xf32>) -> tensor<64x32xf32>
      %div = tile.div(%acc_14, %broadcast) {source = "examples/attention.py:104"} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %cast = tile.cast(%div) {source = "examples/attention.py:104"} : (tensor<64x32xf32>) -> tensor<64x32xbf16>
      tile.store @o_ptr %cast to %o_ptr[affine_map<(batch, block) -> (0, 1 * batch, 64 * block, 0)>] : tile<1x1x64x32> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128", "index"], class = "affine", source = "examples/attention.py:104", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "q_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "k_ptr", level = "", depth = 1, groups = [1, 2], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "v_ptr", level = "", depth = 1, groups = [1, 2], pattern = "multicast", noc = 1, reader = "nearest"} : () -> ()
    "plan.placement"() {access = "k_ptr_2", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "v_ptr_2", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "o_ptr", level = "", depth = 1, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "q_ptr", tensor = "q_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 1, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "k_ptr", tensor = "k_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 1, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "v_ptr", tensor = "v_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 1, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "o_ptr", tensor = "o_ptr", format = "bf16", axes = [[1, 1, 1, 0], [1, 1, 2, 0], [32, 32, 4, 0], [32, 32, 1, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "q_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 20} : () -> ()
    "plan.buffer"() {index = 1, name = "k_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 4096, first = 0, last = 20} : () -> ()
    "plan.buffer"() {index = 2, name = "v_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 20} : () -> ()
    "plan.buffer"() {index = 3, name = "k_ptr_2", role = "load", format = "bf16", shape = [1, 1, 64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 12288, first = 0, last = 20} : () -> ()
    "plan.buffer"() {index = 4, name = "v_ptr_2", role = "load", format = "bf16", shape = [1, 1, 64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 16384, first = 0, last = 20} : () -> ()
    "plan.buffer"() {index = 5, name = "o_ptr", role = "store", format = "bf16", shape = [1, 1, 64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 20480, first = 0, last = 20} : () -> ()
    "plan.buffer"() {index = 6, name = "acc_5", role = "value", format = "fp32", shape = [64, 32], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 24576, first = 8, last = 10} : () -> ()
    "plan.buffer"() {index = 7, name = "peak", role = "value", format = "fp32", shape = [64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 32768, first = 8, last = 10} : () -> ()
    "plan.buffer"() {index = 8, name = "total_2", role = "value", format = "fp32", shape = [64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 40960, first = 8, last = 10} : () -> ()
    "plan.buffer"() {index = 9, name = "acc_12", role = "value", format = "fp32", shape = [64, 32], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 49152, first = 11, last = 14} : () -> ()
    "plan.buffer"() {index = 10, name = "peak_3", role = "value", format = "fp32", shape = [64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 57344, first = 11, last = 12} : () -> ()
    "plan.buffer"() {index = 11, name = "total_7", role = "value", format = "fp32", shape = [64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 65536, first = 11, last = 14} : () -> ()
    "plan.buffer"() {index = 12, name = "q_4", role = "value", format = "bf16", shape = [64, 32], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 73728, first = 7, last = 12} : () -> ()
    "plan.buffer"() {index = 13, name = "k", role = "value", format = "bf16", shape = [32, 64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 77824, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 14, name = "acc", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 81920, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 15, name = "k_2", role = "value", format = "bf16", shape = [32, 64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 90112, first = 12, last = 12} : () -> ()
    "plan.buffer"() {index = 16, name = "acc_8", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 94208, first = 12, last = 12} : () -> ()
    "plan.buffer"() {index = 17, name = "score", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 102400, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 18, name = "weight_4", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 118784, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 19, name = "score_3", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 135168, first = 12, last = 12} : () -> ()
    "plan.buffer"() {index = 20, name = "weight_8", role = "value", format = "fp32", shape = [64, 64], pages = 4, slots = 1, page_bytes = 4096, tiles = 1, offset = 151552, first = 12, last = 12} : () -> ()
    "plan.stream"() {access = "q_ptr", kind = "load", buffer = "q_ptr", layout = "q_ptr", tile = [1, 1, 64, 32], starts = ["0", "1 * batch", "64 * block", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "k_ptr", kind = "load", buffer = "k_ptr", layout = "k_ptr", tile = [1, 1, 64, 32], starts = ["0", "1 * batch", "0", "0"], inner = [], bounds = ["index", "index", "index", "index"], noc = 1, pattern = "multicast", ready = 1, valid = 0} : () -> ()
    "plan.group"() {access = "k_ptr", reader = [0, 1], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [0, 1]]} : () -> ()
    "plan.group"() {access = "k_ptr", reader = [1, 1], low = [1, 0], high = [1, 0], receivers = 1, cores = [[1, 0], [1, 1]]} : () -> ()
    "plan.stream"() {access = "v_ptr", kind = "load", buffer = "v_ptr", layout = "v_ptr", tile = [1, 1, 64, 32], starts = ["0", "1 * batch", "0", "0"], inner = [], bounds = ["index", "index", "index", "index"], noc = 1, pattern = "multicast", ready = 2, valid = 0} : () -> ()
    "plan.group"() {access = "v_ptr", reader = [0, 1], low = [0, 0], high = [0, 0], receivers = 1, cores = [[0, 0], [0, 1]]} : () -> ()
    "plan.group"() {access = "v_ptr", reader = [1, 1], low = [1, 0], high = [1, 0], receivers = 1, cores = [[1, 0], [1, 1]]} : () -> ()
    "plan.stream"() {access = "k_ptr_2", kind = "load", buffer = "k_ptr_2", layout = "k_ptr", tile = [1, 1, 64, 32], starts = ["0", "1 * batch", "64 * block", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "v_ptr_2", kind = "load", buffer = "v_ptr_2", layout = "v_ptr", tile = [1, 1, 64, 32], starts = ["0", "1 * batch", "64 * block", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "o_ptr", kind = "store", buffer = "o_ptr", layout = "o_ptr", tile = [1, 1, 64, 32], starts = ["0", "1 * batch", "64 * block", "0"], inner = [], bounds = ["index", "index", "index < 128", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["batch", 0], ["block", 0]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["batch", 0], ["block", 1]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["batch", 1], ["block", 0]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["batch", 1], ["block", 1]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "block", value = "core_block"} : () -> ()
      "plan.let"() {name = "start", value = "0"} : () -> ()
      "plan.let"() {name = "start_2", value = "0"} : () -> ()
      "plan.move"() {stream = "q_ptr"} : () -> ()
      "plan.move"() {stream = "k_ptr_2"} : () -> ()
      "plan.move"() {stream = "v_ptr_2"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "block", value = "core_block"} : () -> ()
      "plan.let"() {name = "start", value = "0"} : () -> ()
      "plan.let"() {name = "start_2", value = "0"} : () -> ()
      "plan.move"() {stream = "k_ptr"} : () -> ()
      "plan.move"() {stream = "v_ptr"} : () -> ()
      "plan.move"() {stream = "o_ptr"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "block", value = "core_block"} : () -> ()
      "plan.take"() {buffer = "q_ptr"} : () -> ()
      "plan.take"() {buffer = "k_ptr"} : () -> ()
      "plan.take"() {buffer = "v_ptr"} : () -> ()
      "plan.take"() {buffer = "k_ptr_2"} : () -> ()
      "plan.take"() {buffer = "v_ptr_2"} : () -> ()
      "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "constant_4", "constant_5", "constant_6", "constant_7", "q_2", "q_3", "q_4"]} : () -> ()
      "plan.for"() ({
        "plan.guard"() ({
          "plan.compute"() {ops = ["k", "score", "new_peak", "new_peak_2", "rescale", "rescale_2", "weight", "weight_2", "weight_3", "weight_4", "total", "total_3", "total_4", "acc", "acc_2", "acc_3", "acc_4", "acc_6"], loop = "start"} : () -> ()
        }) {extents = [], trips = ["start"]} : () -> ()
      }) {counter = "start", stop = 1, trips = "min(1, max(0, (64 * block + 0) ceildiv 64))", source = "loop start of the kernel"} : () -> ()
      "plan.for"() ({
        "plan.compute"() {ops = ["k_2", "score_2", "seen", "score_3", "new_peak_3", "new_peak_4", "rescale_3", "rescale_4", "weight_5", "weight_6", "weight_7", "weight_8", "total_6", "total_8", "total_9", "acc_8", "acc_9", "acc_10", "acc_11", "acc_13"], loop = "start_2"} : () -> ()
      }) {counter = "start_2", stop = 1, source = "loop start_2 of the kernel"} : () -> ()
      "plan.make"() {buffer = "o_ptr"} : () -> ()
      "plan.compute"() {ops = ["reshape", "broadcast", "div", "cast"]} : () -> ()
      "plan.hand"() {buffer = "o_ptr"} : () -> ()
      "plan.drop"() {buffer = "v_ptr_2"} : () -> ()
      "plan.drop"() {buffer = "k_ptr_2"} : () -> ()
      "plan.drop"() {buffer = "v_ptr"} : () -> ()
      "plan.drop"() {buffer = "k_ptr"} : () -> ()
      "plan.drop"() {buffer = "q_ptr"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "attention_kernel", device = "blackhole[2x2]", block = [["BLOCK_M", 64], ["BLOCK_N", 64]], spatial = [["batch/2"], ["block/2"]], order = [], origin = [], semaphores = 3} : () -> ()
}
