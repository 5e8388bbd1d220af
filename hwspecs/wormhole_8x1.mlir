// One row of a Wormhole: 8x1 cores.
df.device @wormhole_8x1 base "wormhole" () {
  df.spatial_dim @y (
    extent = 1 cite "choice.cut",
    positions = [1] cite "wormhole.positions_y"
  )
}
