"""The grammar that all statement families share, and what is read off a statement once."""
