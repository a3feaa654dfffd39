"""Django's PostgreSQL, each statement in its party's name. `accounts.tenancy.postgresql` is a database engine."""
