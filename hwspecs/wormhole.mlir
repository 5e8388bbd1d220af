// Tenstorrent Wormhole B0 as an n150 shows it: 8x8 Tensix cores, two torus NoCs of 10x12 routers, 12 GDDR6 banks.
// Column 0 and 5 hold DRAM, rows 0 and 6 ethernet. Citations are keys of facts.toml.
df.device @wormhole (
  clock_mhz = 1000 cite "wormhole.clock_mhz",
  launch_cycles = 2475 cite "wormhole.launch_cycles",
  overlap = "load|compute|store" cite "wormhole.overlap"
) {
  df.spatial_dim @x (
    extent = 8 cite "wormhole.cores_x",
    positions = [1, 2, 3, 4, 6, 7, 8, 9] cite "wormhole.positions_x"
  )
  df.spatial_dim @y (
    extent = 8 cite "wormhole.cores_y",
    positions = [1, 2, 3, 4, 5, 7, 8, 9] cite "wormhole.positions_y"
  )

  df.core @tensix (scaleout = [@x, @y]) {
    df.memory @l1 (
      size = 1499136 cite "wormhole.l1.size",
      reserved = 105824 cite "wormhole.l1.reserved",
      alignment = 16 cite "wormhole.l1.alignment",
      max_buffers = 32 cite "wormhole.l1.circular_buffers"
    )
    df.unpack @unpack (thread = "unpack") {
      df.cost @bytes (bytes_per_cycle = 80) cite "wormhole.unpack.both"
      df.cost @bytes_single (bytes_per_cycle = 52) cite "wormhole.unpack.single"
    }
    df.mat @matrix (
      thread = "math",
      shape = [32, 32, 32] cite "wormhole.matrix.shape",
      dst_tiles_16bit = 8 cite "wormhole.matrix.dst_tiles_16bit",
      dst_tiles_32bit = 4 cite "wormhole.matrix.dst_tiles_32bit",
      fidelity = {bf16 = "HiFi2", fp16 = "HiFi4", fp32 = "HiFi4", fp8e4 = "LoFi", fp8e5 = "LoFi", int8 = "LoFi",
                  uint8 = "LoFi", bool = "LoFi", int16 = "HiFi4", uint16 = "HiFi4", int32 = "HiFi4", uint32 = "HiFi4",
                  bfp8_b = "HiFi2", bfp4_b = "LoFi"}
        cite "wormhole.matrix.fidelity"
    ) {
      df.cost @mac.LoFi (cycles = 16) cite "wormhole.matrix.lofi"
      df.cost @mac.HiFi2 (cycles = 32) cite "wormhole.matrix.hifi2"
      df.cost @mac.HiFi3 (cycles = 48) cite "wormhole.matrix.hifi3"
      df.cost @mac.HiFi4 (cycles = 64) cite "wormhole.matrix.hifi4"
      df.cost @elementwise (cycles = 8) cite "wormhole.matrix.elementwise"
      df.cost @bcast (cycles = 8) cite "wormhole.matrix.elementwise"
      df.cost @per_call (cycles = 202) cite "wormhole.matrix.per_call"
      df.cost @reduce (cycles = 4) cite "wormhole.matrix.reduce"
    }
    df.vec @vector (thread = "math", shape = [32] cite "wormhole.vector.shape") {
      df.cost @op (cycles = 124.06) cite "wormhole.vector.op"
      df.cost @exp (cycles = 96) cite "wormhole.vector.exp"
      df.cost @exp2 (cycles = 96) cite "wormhole.vector.exp"
      df.cost @tanh (cycles = 192.1) cite "wormhole.vector.tanh"
      df.cost @sigmoid (cycles = 256.1) cite "wormhole.vector.sigmoid"
      df.cost @gelu (cycles = 255.9) cite "wormhole.vector.gelu"
      df.cost @softplus (cycles = 1449.7) cite "wormhole.vector.softplus"
      df.cost @recip (cycles = 1059.5) cite "wormhole.vector.recip"
      df.cost @div (cycles = 1059.5) cite "wormhole.vector.recip"
      df.cost @log (cycles = 1059.5) cite "wormhole.vector.root"
      df.cost @log2 (cycles = 1059.5) cite "wormhole.vector.root"
      df.cost @sqrt (cycles = 1059.5) cite "wormhole.vector.root"
      df.cost @rsqrt (cycles = 1059.5) cite "wormhole.vector.root"
    }
    df.scalar @scalar (thread = "scalar") {
      df.cost @op (cycles = 1.75) cite "wormhole.scalar.op"
    }
    df.pack @pack (thread = "pack") {
      df.cost @bytes (bytes_per_cycle = 64) cite "wormhole.pack.bytes"
      df.cost @tile (cycles = 16) cite "wormhole.pack.tile"
      df.cost @tile_accumulate (cycles = 24) cite "wormhole.pack.tile_accumulate"
      df.cost @per_call (cycles = 9.13) cite "wormhole.pack.per_call"
    }
  }

  df.interconnects @noc0 (
    route = ["+x", "+y"] cite "wormhole.noc.route0",
    torus = [10, 12] cite "wormhole.noc.torus",
    wraps = true cite "wormhole.noc.torus",
    link_rate = 30 cite "wormhole.noc.link_rate"
  )
  df.interconnects @noc1 (
    route = ["-y", "-x"] cite "wormhole.noc.route1",
    torus = [10, 12] cite "wormhole.noc.torus",
    wraps = true cite "wormhole.noc.torus",
    link_rate = 30 cite "wormhole.noc.link_rate"
  )
  df.multicast @linked (
    receivers = "rectangle" cite "wormhole.noc.route0",
    handshake = 70 cite "wormhole.noc.handshake"
  ) {
    df.transfer @linked (
      latency = 0 cite "wormhole.multicast.latency",
      issue = 22.5 cite "wormhole.multicast.issue",
      rate = 29.8 cite "wormhole.multicast.rate",
      per_target = 1.094 cite "wormhole.multicast.per_target",
      max_packet = 8192 cite "wormhole.noc.max_packet"
    )
  }

  df.memory @dram (
    banks = 12 cite "wormhole.dram.banks",
    bank_bytes = 1073741824 cite "wormhole.dram.bank_bytes",
    bank_read_rate = 22.3 cite "wormhole.dram.bank_read_rate",
    bank_write_rate = 22.0 cite "wormhole.dram.bank_write_rate",
    port_read_rate = 23.2 cite "wormhole.dram.port_read_rate",
    port_write_rate = 24.0 cite "wormhole.dram.port_write_rate",
    request_interval = 6.8 cite "wormhole.dram.request_interval",
    alignment = 32 cite "wormhole.dram.alignment"
  ) {
    df.transfer @read (
      latency = 410 cite "wormhole.read.latency",
      issue = 35 cite "wormhole.read.issue",
      rate = 31.2 cite "wormhole.read.rate",
      max_packet = 8192 cite "wormhole.noc.max_packet"
    )
    df.transfer @write (
      latency = 320 cite "wormhole.write.latency",
      issue = 40 cite "wormhole.write.issue",
      rate = 28.8 cite "wormhole.write.rate",
      max_packet = 8192 cite "wormhole.noc.max_packet"
    )
  }
  df.mux @dram_noc0 (
    source = @dram,
    destination = @noc0,
    table = [[0, 11], [0, 1], [0, 5], [0, 7], [5, 1], [5, 11], [5, 2], [5, 9], [5, 8], [5, 3], [5, 5], [5, 7]]
  ) cite "wormhole.dram.endpoints"
  df.mux @dram_noc1 (
    source = @dram,
    destination = @noc1,
    table = [[0, 11], [0, 1], [0, 5], [0, 7], [5, 1], [5, 11], [5, 2], [5, 9], [5, 8], [5, 3], [5, 5], [5, 7]]
  ) cite "wormhole.dram.endpoints"
}
