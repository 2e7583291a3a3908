"""Where: grounds, height fields and convex parts; the nearest surface to many points at once."""
