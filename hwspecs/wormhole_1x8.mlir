// One column of a Wormhole: 1x8 cores.
df.device @wormhole_1x8 base "wormhole" () {
  df.spatial_dim @x (
    extent = 1 cite "choice.cut",
    positions = [1] cite "wormhole.positions_x"
  )
}
