// One chip of a Galaxy with ethernet dispatch: all 8x10 cores.
df.device @wormhole_8x10 base "wormhole" () {
  df.spatial_dim @y (
    extent = 10 cite "wormhole.galaxy_eth_y",
    positions = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11] cite "wormhole.positions_y"
  )
}
