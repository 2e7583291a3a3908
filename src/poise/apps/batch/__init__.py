"""One recipe over a library of clips: what is there, what is left to do, what came of it."""
