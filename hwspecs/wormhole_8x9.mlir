// One chip of a Galaxy with Tensix dispatch: 8x9 cores.
df.device @wormhole_8x9 base "wormhole" () {
  df.spatial_dim @y (
    extent = 9 cite "wormhole.galaxy_y",
    positions = [1, 2, 3, 4, 5, 7, 8, 9, 10] cite "wormhole.positions_y"
  )
}
