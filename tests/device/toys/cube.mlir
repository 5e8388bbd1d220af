// A torus of 2x3x4 cores: three spatial dims.
df.device @cube (clock_mhz = 1000, launch_cycles = 100, overlap = "load|compute|store") cite "toy" {
  df.spatial_dim @i (extent = 2, positions = [1, 2]) cite "toy"
  df.spatial_dim @j (extent = 3) cite "toy"
  df.spatial_dim @k (extent = 4) cite "toy"
  df.core @core (scaleout = [@i, @j, @k]) {
    df.memory @sram (size = 262144, reserved = 4096, alignment = 16, max_buffers = 16) cite "toy"
    df.mat @mat (
      thread = "math", dst_tiles_16bit = 8, dst_tiles_32bit = 4, fidelity = {bf16 = "full", fp32 = "full"}
    ) cite "toy" {
      df.cost @mac.full (cycles = 32) cite "toy"
    }
    df.vec @vec (thread = "math") {
      df.cost @op (cycles = 100) cite "toy"
    }
  }
  df.interconnects @noc (route = ["+k", "+j", "+i"], torus = [3, 3, 4], wraps = true, link_rate = 32) cite "toy"
  df.memory @dram (
    banks = 2, bank_bytes = 1048576, bank_read_rate = 20, bank_write_rate = 20, port_read_rate = 20,
    port_write_rate = 20, request_interval = 4, alignment = 32
  ) cite "toy" {
    df.transfer @read (latency = 100, issue = 10, rate = 30) cite "toy"
    df.transfer @write (latency = 100, issue = 10, rate = 30) cite "toy"
  }
  df.mux @banks (source = @dram, destination = @noc, table = [[0, 0, 0], [0, 2, 3]]) cite "toy"
}
