"""acumen's C++ kernels."""
