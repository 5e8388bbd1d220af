"""Kernels that move data, as C++."""
