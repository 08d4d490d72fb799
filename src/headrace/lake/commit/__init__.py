"""Commits that take place on one version only, carry a mark, or change a schema."""
