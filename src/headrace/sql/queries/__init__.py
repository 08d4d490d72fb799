"""What a query reads and returns, by sqlglot; only the engine needs it."""
