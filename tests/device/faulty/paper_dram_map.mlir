// The Wormhole listing as printed: rounding up sends the cores at the lower right to channel 6 of 4.
df.device @paper_dram_map base "wormhole_tileloom" () {
  df.mux @channel (
    map = affine_map<(d0, d1) -> (d0 ceildiv 4 + 2 * (d1 ceildiv 4))> cite "paper.note"
  )
}
