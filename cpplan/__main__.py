"""``python -m cpplan``."""

from cpplan.cli import main

if __name__ == "__main__":
    main(prog_name="cpplan")
