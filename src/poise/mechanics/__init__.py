"""How bodies move: compiled kernels, batched over frames, that every method and measure shares."""
