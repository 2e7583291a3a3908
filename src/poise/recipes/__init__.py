"""An edit written down: what a recipe may say, how it is read, and how it runs."""
