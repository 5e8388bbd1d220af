module {
  tile.program @decode_part_kernel attributes {block = [["BLOCK_N", 64]], source = "examples/flash_decode.py:15"} {
    %q_ptr = tile.tensor : memref<2x2x4x64xbf16, strided<[512, 256, 64, 1]>>
    %k_ptr = tile.tensor : memref<2x2x256x64xbf16, strided<[32768, 16384, 64, 1]>>
    %v_ptr = tile.tensor : memref<2x2x256x64xbf16, strided<[32768, 16384, 64, 1]>>
    %part_ptr = tile.tensor : memref<2x2x4x2x64xf32, strided<[1024, 512, 128, 64, 1]>>
    %lse_ptr = tile.tensor : memref<2x2x4x2xf32, strided<[16, 8, 2, 1]>>
    affine.parallel (%batch, %kv_head, %part) = (0, 0, 0) to (2, 2, 2) {
      tile.buffer %peak : tensor<16xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %total_2 : tensor<16xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %acc_5 : tensor<16x64xf32> {loop = "start", reason = "carried from trip to trip"}
      tile.buffer %q_4 : tensor<16x64xbf16> {loop = null, reason = "operand of a dot"}
      tile.buffer %k : tensor<64x64xbf16> {loop = "start", reason = "operand of a dot"}
      tile.buffer %acc : tensor<16x64xbf16> {loop = "start", reason = "operand of a dot"}
      tile.buffer %score : tensor<16x64xf32> {loop = "start", reason = "used by a reduction and again"}
      tile.buffer %weight_4 : tensor<16x64xf32> {loop = "start", reason = "used by a reduction and again"}
      %q = tile.load @q_ptr %q_ptr[affine_map<(batch, kv_head, part) -> (1 * batch, 1 * kv_head, 0, 0)>] : tile<1x1x16x64> {masked = [false, false, true, false], bounds = ["index", "index", "index < 4", "index"], fill = 0.0, class = "affine", source = "examples/flash_decode.py:40", note = ""}
      %constant = tile.constant() {value = "0.180336878", source = ""} : () -> tensor<16x64xf32>
      %constant_2 = tile.constant() {value = "0.0", source = ""} : () -> tensor<16x64xf32>
      %constant_3 = tile.constant() {value = "-1e+30", source = ""} : () -> tensor<16xf32>
      %constant_4 = tile.constant() {value = "0.0", source = ""} : () -> tensor<16xf32>
      %constant_5 = tile.constant() {value = "0.0", source = ""} : () -> tensor<16x64xf32>
      %q_2 = tile.cast(%q) {source = "examples/flash_decode.py:41"} : (tensor<16x64xbf16>) -> tensor<16x64xf32>
      %q_3 = tile.mul(%q_2, %constant) {source = "examples/flash_decode.py:41"} : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
      %q_4 = tile.cast(%q_3) {source = "examples/flash_decode.py:41"} : (tensor<16x64xf32>) -> tensor<16x64xbf16>
      %peak_2, %total_5, %acc_7 = scf.for %start = 0 to 2 step 1 iter_args(%peak = %constant_3, %total_2 = %constant_4, %acc_5 = %constant_5) {
        %k_tile = tile.load @k_ptr %k_ptr[affine_map<(batch, kv_head, part, start) -> (1 * batch, 1 * kv_head, 128 * part + 64 * start, 0)>] : tile<1x1x64x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128 * part + 128", "index"], fill = 0.0, class = "affine", source = "examples/flash_decode.py:53", note = ""}
        %v = tile.load @v_ptr %v_ptr[affine_map<(batch, kv_head, part, start) -> (1 * batch, 1 * kv_head, 128 * part + 64 * start, 0)>] : tile<1x1x64x64> {masked = [false, false, false, false], bounds = ["index", "index", "index < 128 * part + 128", "index"], fill = 0.0, class = "affine", source = "examples/flash_decode.py:54", note = ""}
        %k = tile.transpose(%k_tile) {order = "1,0", source = "examples/flash_decode.py:53"} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
        %score = tile.dot(%q_4, %k, %constant_2) {k = 64, source = "examples/flash_decode.py:55"} : (tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>) -> tensor<16x64xf32>
        %new_peak = tile.reduce_max(%score) {axis = 1, source = "examples/flash_decode.py:56"} : (tensor<16x64xf32>) -> tensor<16xf32>
        %new_peak_2 = tile.max(%peak, %new_peak) {source = "examples/flash_decode.py:56"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
        %rescale = tile.sub(%peak, %new_peak_2) {source = "examples/flash_decode.py:57"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
        %rescale_2 = tile.exp2(%rescale) {source = "examples/flash_decode.py:57"} : (tensor<16xf32>) -> tensor<16xf32>
        %weight = tile.reshape(%new_peak_2) {axis = 1, source = "examples/flash_decode.py:58"} : (tensor<16xf32>) -> tensor<16x1xf32>
        %weight_2 = tile.broadcast(%weight) {source = "examples/flash_decode.py:58"} : (tensor<16x1xf32>) -> tensor<16x64xf32>
        %weight_3 = tile.sub(%score, %weight_2) {source = "examples/flash_decode.py:58"} : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
        %weight_4 = tile.exp2(%weight_3) {source = "examples/flash_decode.py:58"} : (tensor<16x64xf32>) -> tensor<16x64xf32>
        %total = tile.mul(%total_2, %rescale_2) {source = "examples/flash_decode.py:59"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
        %total_3 = tile.reduce_sum(%weight_4) {axis = 1, source = "examples/flash_decode.py:59"} : (tensor<16x64xf32>) -> tensor<16xf32>
        %total_4 = tile.add(%total, %total_3) {source = "examples/flash_decode.py:59"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
        %acc = tile.cast(%weight_4) {source = "examples/flash_decode.py:60"} : (tensor<16x64xf32>) -> tensor<16x64xbf16>
        %acc_2 = tile.reshape(%rescale_2) {axis = 1, source = "examples/flash_decode.py:60"} : (tensor<16xf32>) -> tensor<16x1xf32>
        %acc_3 = tile.broadcast(%acc_2) {source = "examples/flash_decode.py:60"} : (tensor<16x1xf32>) -> tensor<16x64xf32>
        %acc_4 = tile.mul(%acc_5, %acc_3) {source = "examples/flash_decode.py:60"} : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
        %acc_6 = tile.dot(%acc, %v, %acc_4) {k = 64, source = "examples/flash_decode.py:60"} : (tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>) -> tensor<16x64xf32>
        scf.yield %new_peak_2, %total_4, %acc_6
      }
      %reshape = tile.reshape(%total_5) {axis = 1, source = "examples/flash_decode.py:64"} : (tensor<16xf32>) -> tensor<16x1xf32>
      %broadcast = tile.broadcast(%reshape) {source = "examples/flash_decode.py:64"} : (tensor<16x1xf32>) -> tensor<16x64xf32>
      %div = tile.div(%acc_7, %broadcast) {source = "examples/flash_decode.py:64"} : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
      tile.store @part_ptr %div to %part_ptr[affine_map<(batch, kv_head, part) -> (1 * batch, 1 * kv_head, 0, 1 * part, 0)>] : tile<1x1x16x1x64> {masked = [false, false, true, false, false], bounds = ["index", "index", "index < 4", "index", "index"], class = "affine", source = "examples/flash_decode.py:64", note = ""}
      %log2 = tile.log2(%total_5) {source = "examples/flash_decode.py:65"} : (tensor<16xf32>) -> tensor<16xf32>
      %add = tile.add(%peak_2, %log2) {source = "examples/flash_decode.py:65"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      tile.store @lse_ptr %add to %lse_ptr[affine_map<(batch, kv_head, part) -> (1 * batch, 1 * kv_head, 0, 1 * part)>] : tile<1x1x16x1> {masked = [false, false, true, false], bounds = ["index", "index", "index < 4", "index"], class = "affine", source = "examples/flash_decode.py:65", note = ""}
    }
  }
}

// -----

builtin.module {
  "plan.schedule"() ({
    "plan.placement"() {access = "q_ptr", level = "wave.kv_head.part", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "k_ptr", level = "wave.kv_head.part", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "v_ptr", level = "wave.kv_head.part", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.placement"() {access = "part_ptr", level = "wave.kv_head.part", depth = 2, groups = [1, 1], pattern = "private", noc = 0, reader = "first"} : () -> ()
    "plan.placement"() {access = "lse_ptr", level = "wave.kv_head.part", depth = 2, groups = [1, 1], pattern = "private", noc = 1, reader = "first"} : () -> ()
    "plan.layout"() {name = "q_ptr", tensor = "q_ptr", format = "bf16", axes = [[1, 1, 2, 0], [1, 1, 2, 0], [16, 32, 1, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "k_ptr", tensor = "k_ptr", format = "bf16", axes = [[1, 1, 2, 0], [1, 1, 2, 0], [32, 32, 8, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "v_ptr", tensor = "v_ptr", format = "bf16", axes = [[1, 1, 2, 0], [1, 1, 2, 0], [32, 32, 8, 0], [32, 32, 2, 0]], rows = 2, columns = 3, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "part_ptr", tensor = "part_ptr", format = "fp32", axes = [[1, 1, 2, 0], [1, 1, 2, 0], [16, 32, 1, 0], [1, 1, 2, 0], [32, 32, 2, 0]], rows = 2, columns = 4, in_runs = false, padding = "0.0"} : () -> ()
    "plan.layout"() {name = "lse_ptr", tensor = "lse_ptr", format = "fp32", axes = [[1, 1, 2, 0], [1, 1, 2, 0], [16, 32, 1, 0], [1, 1, 2, 0]], rows = 2, in_runs = false, padding = "0.0"} : () -> ()
    "plan.buffer"() {index = 0, name = "q_ptr", role = "load", format = "bf16", shape = [1, 1, 16, 64], pages = 2, slots = 2, page_bytes = 2048, tiles = 1, offset = 0, first = 0, last = 19} : () -> ()
    "plan.buffer"() {index = 1, name = "k_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 64], pages = 4, slots = 2, page_bytes = 2048, tiles = 1, offset = 8192, first = 0, last = 19} : () -> ()
    "plan.buffer"() {index = 2, name = "v_ptr", role = "load", format = "bf16", shape = [1, 1, 64, 64], pages = 4, slots = 2, page_bytes = 2048, tiles = 1, offset = 24576, first = 0, last = 19} : () -> ()
    "plan.buffer"() {index = 3, name = "part_ptr", role = "store", format = "fp32", shape = [1, 1, 16, 1, 64], pages = 2, slots = 2, page_bytes = 4096, tiles = 1, offset = 40960, first = 0, last = 19} : () -> ()
    "plan.buffer"() {index = 4, name = "lse_ptr", role = "store", format = "fp32", shape = [1, 1, 16, 1], pages = 1, slots = 2, page_bytes = 4096, tiles = 1, offset = 57344, first = 0, last = 19} : () -> ()
    "plan.buffer"() {index = 5, name = "peak", role = "value", format = "fp32", shape = [16], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 65536, first = 8, last = 14} : () -> ()
    "plan.buffer"() {index = 6, name = "total_2", role = "value", format = "fp32", shape = [16], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 69632, first = 8, last = 14} : () -> ()
    "plan.buffer"() {index = 7, name = "acc_5", role = "value", format = "fp32", shape = [16, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 73728, first = 8, last = 14} : () -> ()
    "plan.buffer"() {index = 8, name = "q_4", role = "value", format = "bf16", shape = [16, 64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 81920, first = 7, last = 10} : () -> ()
    "plan.buffer"() {index = 9, name = "k", role = "value", format = "bf16", shape = [64, 64], pages = 4, slots = 1, page_bytes = 2048, tiles = 1, offset = 86016, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 10, name = "acc", role = "value", format = "bf16", shape = [16, 64], pages = 2, slots = 1, page_bytes = 2048, tiles = 1, offset = 94208, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 11, name = "score", role = "value", format = "fp32", shape = [16, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 98304, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 12, name = "weight_4", role = "value", format = "fp32", shape = [16, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 106496, first = 10, last = 10} : () -> ()
    "plan.buffer"() {index = 13, name = "combine.peak_2", role = "partial", format = "fp32", shape = [16], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 114688, first = 11, last = 11} : () -> ()
    "plan.buffer"() {index = 14, name = "outgoing.peak_2", role = "outgoing", format = "fp32", shape = [16], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 118784, first = 11, last = 11} : () -> ()
    "plan.buffer"() {index = 15, name = "combine.total_5", role = "partial", format = "fp32", shape = [16], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 122880, first = 11, last = 11} : () -> ()
    "plan.buffer"() {index = 16, name = "outgoing.total_5", role = "outgoing", format = "fp32", shape = [16], pages = 1, slots = 1, page_bytes = 4096, tiles = 1, offset = 126976, first = 11, last = 11} : () -> ()
    "plan.buffer"() {index = 17, name = "combine.acc_7", role = "partial", format = "fp32", shape = [16, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 131072, first = 11, last = 11} : () -> ()
    "plan.buffer"() {index = 18, name = "outgoing.acc_7", role = "outgoing", format = "fp32", shape = [16, 64], pages = 2, slots = 1, page_bytes = 4096, tiles = 1, offset = 139264, first = 11, last = 11} : () -> ()
    "plan.stream"() {access = "q_ptr", kind = "load", buffer = "q_ptr", layout = "q_ptr", tile = [1, 1, 16, 64], starts = ["1 * batch", "1 * kv_head", "0", "0"], inner = [], bounds = ["index", "index", "index < 4", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "k_ptr", kind = "load", buffer = "k_ptr", layout = "k_ptr", tile = [1, 1, 64, 64], starts = ["1 * batch", "1 * kv_head", "128 * part + 64 * start", "0"], inner = [], bounds = ["index", "index", "index < 128 * part + 128", "index"], fill = "0.0", noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "v_ptr", kind = "load", buffer = "v_ptr", layout = "v_ptr", tile = [1, 1, 64, 64], starts = ["1 * batch", "1 * kv_head", "128 * part + 64 * start", "0"], inner = [], bounds = ["index", "index", "index < 128 * part + 128", "index"], fill = "0.0", noc = 1, pattern = "private"} : () -> ()
    "plan.stream"() {access = "part_ptr", kind = "store", buffer = "part_ptr", layout = "part_ptr", tile = [1, 1, 16, 1, 64], starts = ["1 * batch", "1 * kv_head", "0", "1 * part", "0"], inner = [], bounds = ["index", "index", "index < 4", "index", "index"], noc = 0, pattern = "private"} : () -> ()
    "plan.stream"() {access = "lse_ptr", kind = "store", buffer = "lse_ptr", layout = "lse_ptr", tile = [1, 1, 16, 1], starts = ["1 * batch", "1 * kv_head", "0", "1 * part"], inner = [], bounds = ["index", "index", "index < 4", "index"], noc = 1, pattern = "private"} : () -> ()
    "plan.combining"() {loop = "start", noc = 1, ready = 0, valid = 1} : () -> ()
    "plan.core"() {at = [0, 0], digits = [["batch", 0], ["start", 0]], partners = [[0, 1]]} : () -> ()
    "plan.core"() {at = [0, 1], digits = [["batch", 0], ["start", 1]], partners = [[0, 0]]} : () -> ()
    "plan.core"() {at = [1, 0], digits = [["batch", 1], ["start", 0]], partners = [[1, 1]]} : () -> ()
    "plan.core"() {at = [1, 1], digits = [["batch", 1], ["start", 1]], partners = [[1, 0]]} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "start", value = "core_start"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "kv_head", value = "wave.kv_head.part floordiv 2"} : () -> ()
        "plan.let"() {name = "part", value = "wave.kv_head.part mod 2"} : () -> ()
        "plan.move"() {stream = "q_ptr"} : () -> ()
        "plan.move"() {stream = "k_ptr"} : () -> ()
      }) {counter = "wave.kv_head.part", stop = 1, source = "first loads of waves of kv_head, part"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "kv_head", value = "wave.kv_head.part floordiv 2"} : () -> ()
        "plan.let"() {name = "part", value = "wave.kv_head.part mod 2"} : () -> ()
        "plan.move"() {stream = "q_ptr", ahead = true} : () -> ()
        "plan.move"() {stream = "k_ptr", ahead = true} : () -> ()
        "plan.move"() {stream = "part_ptr"} : () -> ()
      }) {counter = "wave.kv_head.part", stop = 4, source = "waves of kv_head, part"} : () -> ()
    }) {name = "noc0"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.let"() {name = "start", value = "core_start"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "kv_head", value = "wave.kv_head.part floordiv 2"} : () -> ()
        "plan.let"() {name = "part", value = "wave.kv_head.part mod 2"} : () -> ()
        "plan.move"() {stream = "v_ptr"} : () -> ()
      }) {counter = "wave.kv_head.part", stop = 1, source = "first loads of waves of kv_head, part"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "kv_head", value = "wave.kv_head.part floordiv 2"} : () -> ()
        "plan.let"() {name = "part", value = "wave.kv_head.part mod 2"} : () -> ()
        "plan.exchange"() {loop = "start", method = "tree", noc = 1} : () -> ()
        "plan.move"() {stream = "v_ptr", ahead = true} : () -> ()
        "plan.move"() {stream = "lse_ptr"} : () -> ()
      }) {counter = "wave.kv_head.part", stop = 4, source = "waves of kv_head, part"} : () -> ()
    }) {name = "noc1"} : () -> ()
    "plan.thread"() ({
      "plan.let"() {name = "batch", value = "core_batch"} : () -> ()
      "plan.for"() ({
        "plan.let"() {name = "kv_head", value = "wave.kv_head.part floordiv 2"} : () -> ()
        "plan.let"() {name = "part", value = "wave.kv_head.part mod 2"} : () -> ()
        "plan.take"() {buffer = "q_ptr"} : () -> ()
        "plan.take"() {buffer = "k_ptr"} : () -> ()
        "plan.take"() {buffer = "v_ptr"} : () -> ()
        "plan.compute"() {ops = ["constant", "constant_2", "constant_3", "constant_4", "constant_5", "q_2", "q_3", "q_4"]} : () -> ()
        "plan.for"() ({
          "plan.let"() {name = "start", value = "core_start + 2 * turn_start"} : () -> ()
          "plan.compute"() {ops = ["k", "score", "new_peak", "new_peak_2", "rescale", "rescale_2", "weight", "weight_2", "weight_3", "weight_4", "total", "total_3", "total_4", "acc", "acc_2", "acc_3", "acc_4", "acc_6"], loop = "start"} : () -> ()
        }) {counter = "turn_start", stop = 1, source = "loop start of the kernel, shared by 2 cores"} : () -> ()
        "plan.exchange"() {loop = "start", method = "tree", noc = 1} : () -> ()
        "plan.make"() {buffer = "part_ptr"} : () -> ()
        "plan.make"() {buffer = "lse_ptr"} : () -> ()
        "plan.compute"() {ops = ["reshape", "broadcast", "div", "log2", "add"]} : () -> ()
        "plan.hand"() {buffer = "lse_ptr"} : () -> ()
        "plan.hand"() {buffer = "part_ptr"} : () -> ()
        "plan.drop"() {buffer = "v_ptr"} : () -> ()
        "plan.drop"() {buffer = "k_ptr"} : () -> ()
        "plan.drop"() {buffer = "q_ptr"} : () -> ()
      }) {counter = "wave.kv_head.part", stop = 4, source = "waves of kv_head, part"} : () -> ()
    }) {name = "compute"} : () -> ()
  }) {sym_name = "decode_part_kernel", device = "wormhole[2x2]", block = [["BLOCK_N", 64]], spatial = [["batch/2"], ["start/2"]], order = [["kv_head", "part"]], origin = [], semaphores = 2, combine = "tree", combine_noc = 1} : () -> ()
}
