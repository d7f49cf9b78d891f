"""``python -m aneroid`` is the command ``aneroid``."""

from .tool import main

main()
