"""The page where an animator works: a server for this machine and what it says to its page."""
