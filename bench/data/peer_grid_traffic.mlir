// peer_grid.mlir with tile ops that take next to no time and a DRAM of one byte per cycle: the fastest plan is the one
// that moves the fewest bytes, and its makespan in cycles is that number plus a few cycles of tile ops.
df.device @grid_traffic base "peer_grid.mlir" () {
  df.core @core () {
    df.mat @matrix () {
      df.cost @mac.HiFi4 (cycles = 0.000001) cite "left out"
    }
  }
  df.memory @dram (
    bank_read_rate = 1 cite "slow on purpose",
    bank_write_rate = 1 cite "slow on purpose"
  )
}
