"""Type check of kernels against the vendor's real device headers."""
