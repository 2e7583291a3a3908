"""What people run: thin, no algorithm lives here."""
