"""``python -m headrace``."""

from headrace.cli.main import main

main()
