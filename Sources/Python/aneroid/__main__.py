"""Runs the command ``aneroid`` with ``python -m aneroid``."""

from .tool import main

main()
