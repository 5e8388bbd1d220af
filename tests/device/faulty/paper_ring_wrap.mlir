// The triple-ring listing as printed: both ring maps wrap after 8 cores, but x has 32.
df.device @paper_ring_wrap base "triple_ring" () {
  df.interconnects @small_rings (
    map = affine_map<(d0, d1) -> ((d0 + 1) mod 8, d1)> cite "paper.note"
  )
  df.interconnects @big_ring (
    map = affine_map<(d0) -> ((d0 + 1) mod 8)> cite "paper.note"
  )
}
