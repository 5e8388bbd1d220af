"""From a schedule to a TT-Metalium program: kernels in C++, their arguments and buffers, and a host script."""
