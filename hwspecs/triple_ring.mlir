// The triple ring of the TileLoom paper's listing (OSDI 2026), an IBM-Spyre-like machine: 32x2 cores, the two cores of
// an x share one L1; two small rings join cores, a big ring joins the L1s and carries DRAM traffic; one DRAM at each
// end. Figures as printed; the ring maps are corrected, since the listing wraps them after 8 of 32. Not measured.
df.device @triple_ring (
  clock_mhz = 1000 cite "choice.unmeasured",
  launch_cycles = 0 cite "choice.unmeasured",
  overlap = "load+store|compute" cite "paper.note"
) {
  df.spatial_dim @x (extent = 32) cite "ring.x"
  // Both cores of an x sit at the router of their L1.
  df.spatial_dim @y (extent = 2 cite "ring.y", positions = [0, 0] cite "paper.note")

  df.core @core (scaleout = [@x, @y]) {
    df.memory @l1 (
      scaleout = [@x],
      size = 2097152 cite "ring.l1_size",
      reserved = 0 cite "choice.unmeasured",
      alignment = 128 cite "choice.unmeasured",
      max_buffers = 128 cite "choice.unmeasured"
    )
    df.unpack @unpack (thread = "unpack") {
      df.cost @bytes (bytes_per_cycle = 128) cite "ring.l1_rate"
    }
    df.mat @pt (
      thread = "math",
      shape = [128, 128, 128] cite "ring.matrix_shape",
      throughput = 16384 cite "ring.matrix",
      dst_tiles_16bit = 16 cite "choice.unmeasured",
      dst_tiles_32bit = 16 cite "choice.unmeasured",
      fidelity = {bf16 = "full", fp16 = "full", fp32 = "full", fp8e4 = "full", fp8e5 = "full", int8 = "full",
                  uint8 = "full", bool = "full", int16 = "full", uint16 = "full", int32 = "full", uint32 = "full"}
        cite "ring.fidelity"
    )
    df.vec @sfp (
      thread = "math",
      shape = [128] cite "ring.vector_shape",
      throughput = 128 cite "ring.vector"
    )
    df.pack @pack (thread = "pack") {
      df.cost @bytes (bytes_per_cycle = 128) cite "ring.l1_rate"
    }
  }

  df.interconnects @small_rings (
    source = @core,
    destination = @core,
    map = affine_map<(x, y) -> ((x + 1) mod 32, y)> cite "paper.note",
    link_rate = 32 cite "ring.small_rate"
  )
  df.interconnects @big_ring (
    source = @l1,
    destination = @l1,
    map = affine_map<(x) -> ((x + 1) mod 32)> cite "paper.note",
    link_rate = 258 cite "ring.big_rate"
  )
  df.forward @chain (dims = [@x], over = @small_rings) {
    df.transfer @hop (
      latency = 0 cite "choice.unmeasured",
      issue = 0 cite "choice.unmeasured",
      rate = 32 cite "ring.small_rate"
    )
  }

  df.memory @dram (
    banks = 2 cite "ring.banks",
    bank_bytes = 34359738368 cite "ring.bank_bytes",
    bank_read_rate = 512 cite "ring.bank_rate",
    bank_write_rate = 512 cite "ring.bank_rate",
    port_read_rate = 512 cite "ring.bank_rate",
    port_write_rate = 512 cite "ring.bank_rate",
    request_interval = 0 cite "choice.unmeasured",
    alignment = 128 cite "choice.unmeasured"
  ) {
    df.transfer @read (
      latency = 0 cite "choice.unmeasured",
      issue = 0 cite "choice.unmeasured",
      rate = 128 cite "ring.l1_rate"
    )
    df.transfer @write (
      latency = 0 cite "choice.unmeasured",
      issue = 0 cite "choice.unmeasured",
      rate = 128 cite "ring.l1_rate"
    )
  }
  df.mux @ends (
    source = @dram,
    destination = @big_ring,
    map = affine_map<(bank) -> (31 * bank, 0)> cite "paper.note"
  )
}
