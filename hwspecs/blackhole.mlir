// Tenstorrent Blackhole p150 with 12x10 Tensix cores: the Wormhole design at 1.35 GHz with wider links, 8 DRAM banks
// of their own ports per NoC, and a gap at columns 8 (routers only) and 9 (DRAM). What equals Wormhole stands there.
df.device @blackhole base "wormhole" (
  clock_mhz = 1350 cite "blackhole.clock_mhz",
  launch_cycles = 5562 cite "blackhole.launch_cycles"
) {
  df.spatial_dim @x (
    extent = 12 cite "blackhole.cores_x",
    positions = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14] cite "blackhole.positions_x"
  )
  df.spatial_dim @y (
    extent = 10 cite "blackhole.cores_y",
    positions = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] cite "blackhole.positions_y"
  )

  df.core @tensix () {
    df.memory @l1 (
      size = 1572864 cite "blackhole.l1.size",
      reserved = 111744 cite "blackhole.l1.reserved",
      alignment = 16 cite "blackhole.l1.alignment",
      max_buffers = 64 cite "blackhole.l1.circular_buffers"
    )
    df.unpack @unpack () {
      df.cost @bytes (bytes_per_cycle = 80) cite "blackhole.unpack.both"
      df.cost @bytes_single (bytes_per_cycle = 64) cite "blackhole.unpack.single"
    }
    df.mat @matrix () {
      df.cost @per_call (cycles = 112) cite "blackhole.matrix.per_call"
    }
    df.vec @vector () {
      df.cost @op (cycles = 124.06) cite "blackhole.vector.op"
      df.cost @exp (cycles = 93.59) cite "blackhole.vector.exp"
      df.cost @exp2 (cycles = 93.59) cite "blackhole.vector.exp"
      df.cost @tanh (cycles = 125.95) cite "blackhole.vector.tanh"
      df.cost @sigmoid (cycles = 221.2) cite "blackhole.vector.sigmoid"
      df.cost @gelu (cycles = 222.76) cite "blackhole.vector.gelu"
      df.cost @recip (cycles = 287.64) cite "blackhole.vector.recip"
      df.cost @div (cycles = 287.64) cite "blackhole.vector.recip"
      df.cost @log (cycles = 287.64) cite "blackhole.vector.root"
      df.cost @log2 (cycles = 287.64) cite "blackhole.vector.root"
      df.cost @sqrt (cycles = 287.64) cite "blackhole.vector.root"
      df.cost @rsqrt (cycles = 287.64) cite "blackhole.vector.root"
      df.cost @abs (cycles = 47) cite "blackhole.vector.abs"
      df.cost @floor (cycles = 476.23) cite "blackhole.vector.floor"
      df.cost @ceil (cycles = 476.23) cite "blackhole.vector.floor"
    }
    df.pack @pack () {
      df.cost @bytes (bytes_per_cycle = 64) cite "blackhole.pack.bytes"
      df.cost @tile (cycles = 16) cite "blackhole.pack.tile"
      df.cost @tile_accumulate (cycles = 24) cite "blackhole.pack.tile_accumulate"
      df.cost @per_call (cycles = 9.13) cite "blackhole.pack.per_call"
    }
  }

  df.interconnects @noc0 (
    torus = [17, 12] cite "blackhole.noc.torus",
    link_rate = 60.9 cite "blackhole.noc.link_rate"
  )
  df.interconnects @noc1 (
    torus = [17, 12] cite "blackhole.noc.torus",
    link_rate = 60.9 cite "blackhole.noc.link_rate"
  )
  df.multicast @linked (handshake = 0 cite "blackhole.noc.handshake") {
    df.transfer @linked (
      latency = 0 cite "blackhole.multicast.latency",
      issue = 22.5 cite "blackhole.multicast.issue",
      rate = 58.0 cite "blackhole.multicast.rate",
      per_target = 1.034 cite "blackhole.multicast.per_target",
      max_packet = 16384 cite "blackhole.noc.max_packet"
    )
  }

  df.memory @dram (
    banks = 8 cite "blackhole.dram.banks",
    bank_bytes = 4278190080 cite "blackhole.dram.bank_bytes",
    bank_read_rate = 46.3 cite "blackhole.dram.bank_read_rate",
    bank_write_rate = 45.6 cite "blackhole.dram.bank_write_rate",
    port_read_rate = 40 cite "blackhole.dram.port_rate",
    port_write_rate = 40 cite "blackhole.dram.port_rate",
    request_interval = 16.4 cite "blackhole.dram.request_interval",
    alignment = 64 cite "blackhole.dram.alignment"
  ) {
    df.transfer @read (
      latency = 470 cite "blackhole.read.latency",
      issue = 27.5 cite "blackhole.read.issue",
      rate = 60.8 cite "blackhole.read.rate",
      max_packet = 16384 cite "blackhole.noc.max_packet"
    )
    df.transfer @write (
      latency = 500 cite "blackhole.write.latency",
      issue = 30 cite "blackhole.write.issue",
      rate = 60.9 cite "blackhole.write.rate",
      max_packet = 16384 cite "blackhole.noc.max_packet"
    )
  }
  df.mux @dram_noc0 (
    table = [[0, 11], [0, 2], [0, 9], [0, 5], [9, 11], [9, 3], [9, 8], [9, 6]]
  ) cite "blackhole.dram.endpoints0"
  df.mux @dram_noc1 (
    table = [[0, 1], [0, 10], [0, 4], [0, 7], [9, 1], [9, 10], [9, 4], [9, 7]]
  ) cite "blackhole.dram.endpoints1"
}
