#!/usr/bin/env python
"""Django's command line."""

import os
import sys
from contextlib import nullcontext


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from accounts.tenancy.scope import system_scope

    with system_scope() if sys.argv[1:2] != ["serve"] else nullcontext():  # an operator's; requests are their askers'
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
