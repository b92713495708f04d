"""``python -m annotation``."""

from annotation.cli import main

if __name__ == "__main__":
    main()
