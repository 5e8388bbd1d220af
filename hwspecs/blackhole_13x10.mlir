// A Blackhole without harvested columns, Tensix dispatch: 13x10 cores.
df.device @blackhole_13x10 base "blackhole" (
  launch_cycles = 5800 cite "blackhole.launch_13x10"
) {
  df.spatial_dim @x (
    extent = 13 cite "blackhole.cores_x_full",
    positions = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15] cite "blackhole.positions_x"
  )
}
