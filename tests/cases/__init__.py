"""Tables of samplers, kernels and expressions that several test files go through."""
