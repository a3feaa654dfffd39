#!/usr/bin/env python
"""Django's command line."""

import logging
import os
import sys
from contextlib import nullcontext


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    if sys.argv[1:2] != ["serve"]:
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # each attempt; the command says it once, at its end
    try:
        from accounts.tenancy.scope import system_scope

        with system_scope() if sys.argv[1:2] != ["serve"] else nullcontext():  # an operator's; requests: their askers'
            execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))
    except OperationalError as error:
        from accounts.management.full_disk import disk_advice

        told = str(error) if getattr(error.__cause__, "is_unreachable", False) else disk_advice(error)
        if "--traceback" in sys.argv or not told:
            raise
        sys.exit(told)


if __name__ == "__main__":
    main()
