"""Data in and out: one file per format, one table from extensions to readers and writers."""
