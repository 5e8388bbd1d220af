// A Blackhole with two harvested columns, Tensix dispatch: 11x10 cores, as public p100 and p150 traces show it.
df.device @blackhole_11x10 base "blackhole" (
  launch_cycles = 5325 cite "blackhole.launch_11x10"
) {
  df.spatial_dim @x (
    extent = 11 cite "blackhole.cores_x_two",
    positions = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13] cite "blackhole.positions_x"
  )
}
