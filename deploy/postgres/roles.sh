#!/bin/bash
# The two roles of row-level security (docs/deploy.md, "Two roles"): acervo_owner owns the tables and migrates them,
# acervo_app is the application's and owns nothing. PostgreSQL's image runs this once, when it makes the database. On a
# database that was made before there were two, run it again: it changes what is there, and a second time nothing.
set -eu
: "${DATABASE_OWNER_PASSWORD:?}" "${DATABASE_PASSWORD:?}"
psql --set ON_ERROR_STOP=1 --no-psqlrc --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv password DATABASE_PASSWORD
\getenv database POSTGRES_DB
SELECT format('CREATE ROLE %I LOGIN', wanted) FROM unnest(ARRAY['acervo_owner', 'acervo_app']) AS wanted
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) \gexec
ALTER ROLE acervo_owner PASSWORD :'owner_password';
ALTER ROLE acervo_app PASSWORD :'password';
ALTER DATABASE :"database" OWNER TO acervo_owner;
ALTER SCHEMA public OWNER TO acervo_owner;
SELECT format('ALTER TABLE %s OWNER TO acervo_owner', oid::regclass) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') \gexec
SELECT format('ALTER FUNCTION %s OWNER TO acervo_owner', oid::regprocedure) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace \gexec
SQL
