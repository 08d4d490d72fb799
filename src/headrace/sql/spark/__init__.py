"""Statements of Spark's: which tables they read and change, which functions they call."""
