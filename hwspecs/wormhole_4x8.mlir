// The left half of a Wormhole: 4x8 cores.
df.device @wormhole_4x8 base "wormhole" () {
  df.spatial_dim @x (
    extent = 4 cite "choice.cut",
    positions = [1, 2, 3, 4] cite "wormhole.positions_x"
  )
}
