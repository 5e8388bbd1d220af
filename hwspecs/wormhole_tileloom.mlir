// The Wormhole of the TileLoom paper's listing (OSDI 2026), figures as printed: links of 28 and 30, four DRAM channels
// of one quadrant each. The channel map is corrected: the listing rounds up and so reaches channel 6 of 4.
// Latencies are not in the listing; they come from the cost functions of the planner that followed it.
df.device @wormhole_tileloom (
  clock_mhz = 1000 cite "paper.clock_mhz",
  launch_cycles = 0 cite "choice.unmeasured",
  overlap = "load+store|compute" cite "paper.note"
) {
  df.spatial_dim @x (extent = 8) cite "paper.mesh"
  df.spatial_dim @y (extent = 8) cite "paper.mesh"

  df.core @core (scaleout = [@x, @y]) {
    df.memory @l1 (
      size = 1499136 cite "paper.l1_size",
      reserved = 0 cite "choice.unmeasured",
      alignment = 16 cite "wormhole.l1.alignment",
      max_buffers = 32 cite "wormhole.l1.circular_buffers"
    )
    df.unpack @unpack (thread = "unpack") {
      df.cost @bytes (bytes_per_cycle = 60) cite "paper.l1_rate"
    }
    df.mat @fpu (
      thread = "math",
      shape = [32, 32, 32] cite "paper.matrix_shape",
      throughput = 98 cite "paper.matrix",
      count = 8 cite "paper.matrix_count",
      dst_tiles_16bit = 8 cite "wormhole.matrix.dst_tiles_16bit",
      dst_tiles_32bit = 4 cite "wormhole.matrix.dst_tiles_32bit",
      fidelity = {bf16 = "full", fp16 = "full", fp32 = "full", fp8e4 = "full", fp8e5 = "full", int8 = "full",
                  uint8 = "full", bool = "full", int16 = "full", uint16 = "full", int32 = "full", uint32 = "full"}
        cite "ring.fidelity"
    )
    df.vec @sfpu (
      thread = "math",
      shape = [32] cite "paper.vector_shape",
      throughput = 3 cite "paper.vector"
    )
    df.pack @pack (thread = "pack") {
      df.cost @bytes (bytes_per_cycle = 60) cite "paper.l1_rate"
    }
  }

  df.interconnects @noc_h (
    network = "noc",
    source = @core,
    destination = @core,
    map = affine_map<(x, y) -> ((x + 1) mod 8, y)> cite "paper.note",
    link_rate = 28 cite "paper.link_rate"
  )
  df.interconnects @noc_v (
    network = "noc",
    source = @core,
    destination = @core,
    map = affine_map<(x, y) -> (x, (y + 1) mod 8)> cite "paper.note",
    link_rate = 28 cite "paper.link_rate"
  )
  df.multicast @broadcast (receivers = "rectangle" cite "paper.note", handshake = 0 cite "choice.unmeasured") {
    df.transfer @broadcast (
      latency = 344 cite "paper.multicast_latency",
      issue = 0 cite "choice.unmeasured",
      rate = 28 cite "paper.link_rate"
    )
  }

  df.memory @dram (
    banks = 4 cite "paper.channels",
    bank_bytes = 3221225472 cite "paper.channel_bytes",
    bank_read_rate = 66.75 cite "paper.channel_rate",
    bank_write_rate = 66.75 cite "paper.channel_rate",
    port_read_rate = 66.75 cite "paper.channel_rate",
    port_write_rate = 66.75 cite "paper.channel_rate",
    request_interval = 0 cite "choice.unmeasured",
    alignment = 32 cite "wormhole.dram.alignment"
  ) {
    df.transfer @read (
      latency = 454 cite "paper.read_latency",
      issue = 0 cite "choice.unmeasured",
      rate = 30 cite "paper.dram_link"
    )
    df.transfer @write (
      latency = 454 cite "paper.read_latency",
      issue = 0 cite "choice.unmeasured",
      rate = 30 cite "paper.dram_link"
    )
  }
  df.mux @channel (
    source = @core,
    destination = @dram,
    map = affine_map<(x, y) -> (x floordiv 4 + 2 * (y floordiv 4))> cite "paper.note"
  )
}
