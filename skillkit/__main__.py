"""`python -m skillkit`."""

from skillkit.cli import main

main()
