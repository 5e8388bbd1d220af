// The machine on which other projects' mappers are compared (bench/peers.py): 8x8 cores the size of Wormhole's and one
// DRAM. Those mappers know no latencies, processors or links, so all of these are left out or as fast as whole cycles
// allow: a page of 2048 bytes takes 8 cycles at the DRAM and one on anything else.
df.device @grid (
  clock_mhz = 1000 cite "wormhole.clock_mhz",
  launch_cycles = 0 cite "left out",
  overlap = "load|compute|store" cite "wormhole.overlap"
) {
  df.spatial_dim @x (extent = 8 cite "wormhole.cores_x", positions = [1, 2, 3, 4, 5, 6, 7, 8] cite "any")
  df.spatial_dim @y (extent = 8 cite "wormhole.cores_y", positions = [1, 2, 3, 4, 5, 6, 7, 8] cite "any")

  df.core @core (scaleout = [@x, @y]) {
    df.memory @l1 (
      size = 1499136 cite "wormhole.l1.size",
      reserved = 105824 cite "wormhole.l1.reserved",
      alignment = 16 cite "wormhole.l1.alignment",
      max_buffers = 32 cite "wormhole.l1.circular_buffers"
    )
    df.mat @matrix (
      thread = "math",
      shape = [32, 32, 32] cite "wormhole.matrix.shape",
      dst_tiles_16bit = 8 cite "wormhole.matrix.dst_tiles_16bit",
      dst_tiles_32bit = 4 cite "wormhole.matrix.dst_tiles_32bit",
      fidelity = {bf16 = "HiFi4"} cite "the 64 TFLOPS of the TileLoom paper"
    ) {
      df.cost @mac.HiFi4 (cycles = 64) cite "wormhole.matrix.hifi4"
    }
    df.vec @vector (thread = "math", shape = [32] cite "wormhole.vector.shape") {
      df.cost @op (cycles = 0) cite "left out"
    }
  }

  df.interconnects @noc (
    route = ["x", "y"] cite "any",
    torus = [9, 9] cite "any",
    wraps = false cite "any",
    link_rate = 1000000000000 cite "left out"
  )
  df.multicast @multicast (receivers = "rectangle" cite "any", handshake = 0 cite "left out") {
    df.transfer @send (
      latency = 0 cite "left out",
      issue = 0 cite "left out",
      rate = 1000000000000 cite "left out"
    )
  }

  df.memory @dram (
    banks = 1 cite "one DRAM for all banks",
    bank_bytes = 12884901888 cite "12 banks of wormhole.dram.bank_bytes",
    bank_read_rate = 256 cite "wormhole.dram.aggregate_read, rounded to whole cycles per page",
    bank_write_rate = 256 cite "wormhole.dram.aggregate_write, rounded to whole cycles per page",
    port_read_rate = 1000000000000 cite "left out",
    port_write_rate = 1000000000000 cite "left out",
    request_interval = 0 cite "left out",
    alignment = 32 cite "wormhole.dram.alignment"
  ) {
    df.transfer @read (
      latency = 0 cite "left out",
      issue = 0 cite "left out",
      rate = 2048 cite "a page per cycle"
    )
    df.transfer @write (
      latency = 0 cite "left out",
      issue = 0 cite "left out",
      rate = 2048 cite "a page per cycle"
    )
  }
  df.mux @dram_noc (source = @dram, destination = @noc, table = [[0, 0]]) cite "any"
}
