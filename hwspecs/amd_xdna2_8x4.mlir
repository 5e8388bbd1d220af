// AMD XDNA2 NPU (Strix): 8 columns of 4 compute tiles, one DRAM port (interface tile, row 0) per column, memory tiles in
// row 1. A first model: what is cited "choice.unmeasured" has no published figure, and memory tiles are only crossed.
df.device @amd_xdna2_8x4 (
  clock_mhz = 1800 cite "xdna2.clock_mhz",
  launch_cycles = 144000 cite "xdna2.launch_cycles",
  overlap = "load|compute|store" cite "choice.unmeasured"
) {
  df.spatial_dim @x (extent = 8) cite "xdna2.x"
  df.spatial_dim @y (extent = 4 cite "xdna2.y", positions = [2, 3, 4, 5] cite "choice.unmeasured")

  df.core @tile (scaleout = [@x, @y]) {
    df.memory @data (
      size = 65536 cite "xdna2.l1_size",
      reserved = 1024 cite "choice.unmeasured",
      alignment = 32 cite "choice.unmeasured",
      max_buffers = 16 cite "choice.unmeasured"
    )
    df.unpack @load (thread = "unpack") {
      df.cost @bytes (bytes_per_cycle = 64) cite "xdna2.load_rate"
    }
    df.mat @mmul (
      thread = "math",
      shape = [32, 32, 32] cite "choice.unmeasured",
      dst_tiles_16bit = 8 cite "choice.unmeasured",
      dst_tiles_32bit = 4 cite "choice.unmeasured",
      fidelity = {bf16 = "bf16", fp16 = "bf16", fp32 = "bf16", fp8e4 = "int8", fp8e5 = "int8", int8 = "int8",
                  uint8 = "int8", bool = "int8", int16 = "bf16", uint16 = "bf16", int32 = "bf16", uint32 = "bf16"}
        cite "xdna2.fidelity"
    ) {
      df.cost @mac.int8 (cycles = 64) cite "xdna2.mac_int8"
      df.cost @mac.bf16 (cycles = 128) cite "xdna2.mac_bf16"
    }
    df.vec @vector (thread = "math", shape = [16] cite "xdna2.lanes") {
      df.cost @op (cycles = 64) cite "xdna2.vector_op"
    }
    df.pack @store (thread = "pack") {
      df.cost @bytes (bytes_per_cycle = 32) cite "xdna2.store_rate"
    }
  }

  // The stream switches form a mesh: packets go either way, along the row and then up or down the column.
  df.interconnects @streams (
    route = ["x", "y"] cite "choice.unmeasured",
    torus = [8, 6] cite "choice.unmeasured",
    wraps = false,
    link_rate = 8 cite "xdna2.shim_rate"
  )
  df.multicast @switch (receivers = "rectangle" cite "choice.unmeasured", handshake = 100 cite "choice.unmeasured") {
    df.transfer @switch (
      latency = 100 cite "choice.unmeasured",
      issue = 10 cite "choice.unmeasured",
      rate = 4 cite "xdna2.stream_rate"
    )
  }
  df.forward @cascade (dims = [@x, @y]) {
    df.transfer @hop (
      latency = 20 cite "choice.unmeasured",
      issue = 1 cite "choice.unmeasured",
      rate = 32 cite "xdna2.store_rate"
    )
  }

  df.memory @dram (
    banks = 8 cite "xdna2.x",
    bank_bytes = 1073741824 cite "choice.unmeasured",
    bank_read_rate = 4.375 cite "xdna2.column_rate",
    bank_write_rate = 4.375 cite "xdna2.column_rate",
    port_read_rate = 8 cite "xdna2.shim_rate",
    port_write_rate = 8 cite "xdna2.shim_rate",
    request_interval = 1 cite "choice.unmeasured",
    alignment = 32 cite "choice.unmeasured"
  ) {
    df.transfer @read (
      latency = 500 cite "choice.unmeasured",
      issue = 10 cite "choice.unmeasured",
      rate = 8 cite "xdna2.shim_rate"
    )
    df.transfer @write (
      latency = 500 cite "choice.unmeasured",
      issue = 10 cite "choice.unmeasured",
      rate = 8 cite "xdna2.shim_rate"
    )
  }
  df.mux @shim (
    source = @dram,
    destination = @streams,
    map = affine_map<(bank) -> (bank, 0)> cite "choice.unmeasured"
  )
}
