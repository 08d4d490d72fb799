"""Reading SQL: pure functions from text to facts."""
