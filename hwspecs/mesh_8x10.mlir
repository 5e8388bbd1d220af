// A synthetic torus of 8x10 cores, for tests.
// Round figures, no gaps, the two NoCs mirror each other: exchanging x and y turns mesh_8x10 into mesh_10x8.
df.device @mesh_8x10 (
  clock_mhz = 1000,
  launch_cycles = 4000,
  overlap = "load|compute|store"
) cite "choice.mesh" {
  df.spatial_dim @x (extent = 8, positions = [1, 2, 3, 4, 5, 6, 7, 8]) cite "choice.mesh"
  df.spatial_dim @y (extent = 10, positions = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) cite "choice.mesh"

  df.core @core (scaleout = [@x, @y]) {
    df.memory @l1 (size = 1572864, reserved = 131072, alignment = 16, max_buffers = 32) cite "choice.mesh"
    df.unpack @unpack (thread = "unpack") {
      df.cost @bytes (bytes_per_cycle = 80) cite "choice.mesh"
    }
    df.mat @matrix (
      thread = "math",
      shape = [32, 32, 32],
      dst_tiles_16bit = 8,
      dst_tiles_32bit = 4,
      fidelity = {bf16 = "HiFi2", fp16 = "HiFi4", fp32 = "HiFi4", fp8e4 = "LoFi", fp8e5 = "LoFi", int8 = "LoFi",
                  uint8 = "LoFi", bool = "LoFi", int16 = "HiFi4", uint16 = "HiFi4", int32 = "HiFi4", uint32 = "HiFi4"}
    ) cite "choice.mesh" {
      df.cost @mac.LoFi (cycles = 16) cite "choice.mesh"
      df.cost @mac.HiFi2 (cycles = 32) cite "choice.mesh"
      df.cost @mac.HiFi4 (cycles = 64) cite "choice.mesh"
      df.cost @elementwise (cycles = 8) cite "choice.mesh"
      df.cost @reduce (cycles = 4) cite "choice.mesh"
    }
    df.vec @vector (thread = "math", shape = [32]) cite "choice.mesh" {
      df.cost @op (cycles = 128) cite "choice.mesh"
    }
    df.pack @pack (thread = "pack") {
      df.cost @bytes (bytes_per_cycle = 64) cite "choice.mesh"
    }
  }

  df.interconnects @noc0 (route = ["+x", "+y"], torus = [9, 11], wraps = true, link_rate = 32) cite "choice.mesh"
  df.interconnects @noc1 (route = ["-y", "-x"], torus = [9, 11], wraps = true, link_rate = 32) cite "choice.mesh"
  df.multicast @linked (receivers = "rectangle", handshake = 200) cite "choice.mesh" {
    df.transfer @linked (latency = 550, issue = 25, rate = 30, per_target = 0.5, max_packet = 8192) cite "choice.mesh"
  }

  df.memory @dram (
    banks = 8,
    bank_bytes = 1073741824,
    bank_read_rate = 24,
    bank_write_rate = 24,
    port_read_rate = 24,
    port_write_rate = 24,
    request_interval = 8,
    alignment = 32
  ) cite "choice.mesh" {
    df.transfer @read (latency = 400, issue = 30, rate = 30, max_packet = 8192) cite "choice.mesh"
    df.transfer @write (latency = 400, issue = 30, rate = 30, max_packet = 8192) cite "choice.mesh"
  }
  // Four banks in row 0, four in column 0.
  df.mux @dram_noc0 (source = @dram, destination = @noc0, table = [[1, 0], [3, 0], [5, 0], [7, 0], [0, 1], [0, 3], [0, 5], [0, 7]]) cite "choice.mesh"
  df.mux @dram_noc1 (source = @dram, destination = @noc1, table = [[1, 0], [3, 0], [5, 0], [7, 0], [0, 1], [0, 3], [0, 5], [0, 7]]) cite "choice.mesh"
}
