"""Text of statements as tokens with their places: splitting, reading, limits."""
