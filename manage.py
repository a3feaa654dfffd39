#!/usr/bin/env python
"""Django's command line."""

import gc
import logging
import os
import sys
from contextlib import nullcontext

COLLECT_AFTER = 10_000  # objects; what is imported and migrated stays, and rounds over it are a sixth of the time


def main() -> None:
    gc.set_threshold(COLLECT_AFTER, 20, 50)
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
