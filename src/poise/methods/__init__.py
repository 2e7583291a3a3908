"""The methods, one folder each; they share the core and do not import each other."""
