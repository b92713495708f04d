"""``python -m eval.human``."""

from eval.human.cli import main

if __name__ == "__main__":
    main()
