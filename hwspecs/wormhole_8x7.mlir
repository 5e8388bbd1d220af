// One chip of an n300 with Tensix dispatch: 8x7 cores.
df.device @wormhole_8x7 base "wormhole" () {
  df.spatial_dim @y (
    extent = 7 cite "wormhole.n300_y",
    positions = [1, 2, 3, 4, 5, 7, 8] cite "wormhole.positions_y"
  )
}
