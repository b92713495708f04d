"""``python -m grga``."""

from grga.cli import main

if __name__ == "__main__":
    main()
