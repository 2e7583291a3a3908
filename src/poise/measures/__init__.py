"""What came out: every figure anyone quotes, defined once and independent of the methods."""
