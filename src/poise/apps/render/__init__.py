"""Pictures without a screen: figure strips and short animations, drawn by ourselves."""
