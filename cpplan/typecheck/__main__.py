"""``python -m cpplan.typecheck`` fetches the vendor's headers into the cache and prints where they are."""

from __future__ import annotations

import sys

from cpplan.errors import CpplanError
from cpplan.typecheck.wheel import headers


def main() -> int:
    try:
        print(headers())
    except CpplanError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
