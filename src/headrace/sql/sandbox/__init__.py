"""What the statements of a served lake must not reach, decided on their text."""
