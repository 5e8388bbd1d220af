// The upper half of a Wormhole: 8x4 cores.
df.device @wormhole_8x4 base "wormhole" () {
  df.spatial_dim @y (
    extent = 4 cite "choice.cut",
    positions = [1, 2, 3, 4] cite "wormhole.positions_y"
  )
}
