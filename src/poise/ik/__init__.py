"""From constraints to poses, frame by frame: what several methods need."""
