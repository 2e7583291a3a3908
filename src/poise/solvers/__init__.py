"""Numbers only: no solver ever sees a character."""
