"""``python -m whether`` is the program ``whether``, where its script is not on the path."""

from whether.cli import main

if __name__ == "__main__":
    main()
