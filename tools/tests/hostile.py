"""Statements that want more than they may have, by what they try. Nothing of `secret`, and no email, may come out.

What may be read: customers(id, region, email masked), orders(id, customer_id, total, placed). `{file}` is a file of the
machine with the same words in it.
"""

EMAIL, WORD = "canary@hidden.example", "hushword"

SEVERAL = """
SELECT 1; SELECT 2
SELECT id FROM customers; DROP TABLE customers
SELECT id FROM customers; DELETE FROM customers; --
SELECT 1;; SELECT word FROM secret
SELECT id FROM customers; SELECT word FROM secret
SELECT id FROM customers /* */; /* */ UPDATE customers SET region = 'x'
;SELECT 1; SELECT 2;
BEGIN; SELECT 1; COMMIT
SELECT 1 \\; SELECT 2
SELECT 'a'; INSERT INTO customers VALUES (9, 'x', 'y')
"""
WRITING = """
INSERT INTO customers VALUES (9, 'x', 'y')
UPDATE customers SET region = 'x'
DELETE FROM customers
DROP TABLE customers
TRUNCATE customers
CREATE TABLE x AS SELECT * FROM secret
CREATE TEMP TABLE x AS SELECT 1
CREATE VIEW x AS SELECT word FROM secret
CREATE OR REPLACE FUNCTION f() RETURNS int AS 'select 1' LANGUAGE sql
CREATE MACRO f(a) AS a + 1
CREATE TRIGGER t AFTER INSERT ON customers BEGIN DELETE FROM orders; END
ALTER TABLE customers ADD COLUMN x int
SELECT * INTO x FROM customers
SELECT id INTO TEMP x FROM customers
WITH w AS (DELETE FROM customers RETURNING *) SELECT * FROM w
WITH w AS (INSERT INTO customers VALUES (9, 'x', 'y') RETURNING id) SELECT * FROM w
WITH w AS (UPDATE customers SET region = 'x' RETURNING *) SELECT * FROM w
WITH w AS (SELECT 1) DELETE FROM customers
WITH w AS (SELECT 1) INSERT INTO customers SELECT 9, 'x', 'y'
MERGE INTO customers USING orders ON true WHEN MATCHED THEN DELETE
REPLACE INTO customers VALUES (1, 'x', 'y')
SELECT id FROM customers FOR UPDATE
SELECT id FROM customers FOR SHARE SKIP LOCKED
SELECT nextval('s')
SELECT setval('s', 1)
SELECT lo_create(0)
SELECT lo_unlink(1)
VACUUM
ANALYZE
REINDEX customers
GRANT ALL ON customers TO public
COMMENT ON TABLE customers IS 'x'
"""
COMMANDS = """
COPY customers TO '{file}'
COPY secret FROM '{file}'
COPY (SELECT word FROM secret) TO '/tmp/out.csv'
COPY customers TO PROGRAM 'cat'
EXPORT DATABASE '/tmp/out'
IMPORT DATABASE '/tmp/out'
ATTACH '{file}' AS other
ATTACH DATABASE ':memory:' AS other
DETACH DATABASE main
INSTALL httpfs
LOAD httpfs
LOAD '{file}'
PRAGMA table_info('secret')
PRAGMA database_list
PRAGMA writable_schema = 1
PRAGMA query_only = OFF
PRAGMA enable_external_access = true
SET enable_external_access = true
SET lock_configuration = false
SET memory_limit = '100GB'
SET search_path = public
SET ROLE postgres
SET SESSION AUTHORIZATION postgres
RESET ALL
RESET statement_timeout
SHOW ALL
SHOW TABLES
DESCRIBE secret
SUMMARIZE secret
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT word FROM secret
CALL pragma_version()
CHECKPOINT
USE other
PREPARE p AS SELECT word FROM secret
EXECUTE p
DEALLOCATE ALL
DO $$ BEGIN PERFORM 1; END $$
LISTEN x
NOTIFY x, 'y'
LOCK TABLE customers
DECLARE c CURSOR FOR SELECT word FROM secret
FETCH ALL FROM c
DISCARD ALL
VALUES (1), (2)
TABLE secret
FROM secret
FROM secret SELECT word
PIVOT secret ON word
"""
FUNCTIONS = """
SELECT pg_sleep(10)
SELECT id FROM customers WHERE pg_sleep(1) IS NOT NULL
SELECT pg_sleep_for('5 minutes')
SELECT pg_read_file('{file}')
SELECT pg_read_binary_file('{file}')
SELECT pg_ls_dir('/')
SELECT pg_stat_file('{file}')
SELECT lo_import('{file}')
SELECT lo_get(1)
SELECT lo_export(1, '/tmp/x')
SELECT dblink('host=127.0.0.1', 'select 1')
SELECT * FROM dblink('host=127.0.0.1', 'select 1') AS t(a int)
SELECT pg_terminate_backend(1)
SELECT pg_cancel_backend(1)
SELECT pg_reload_conf()
SELECT pg_advisory_lock(1)
SELECT set_config('statement_timeout', '0', false)
SELECT current_setting('data_directory')
SELECT query_to_xml('select word from secret', true, true, '')
SELECT table_to_xml('secret', true, true, '')
SELECT database_to_xml(true, true, '')
SELECT xpath('/a', '<a/>')
SELECT pg_get_viewdef('secret')
SELECT pg_get_functiondef(1)
SELECT has_table_privilege('secret', 'select')
SELECT to_regclass('secret')
SELECT 'secret'::regclass
SELECT 'secret'::regclass::oid
SELECT CAST('secret' AS regclass)
SELECT version()
SELECT current_user
SELECT session_user
SELECT inet_server_addr()
SELECT txid_current()
SELECT load_extension('x')
SELECT readfile('{file}')
SELECT writefile('/tmp/x', 'y')
SELECT edit('x')
SELECT fts3_tokenizer('simple')
SELECT randomblob(1000000000)
SELECT zeroblob(1000000000)
SELECT hex(zeroblob(100000000))
SELECT printf('%.*c', 100000000, 'x')
SELECT format('%1000000000s', 'x')
SELECT repeat('x', 1000000000)
SELECT repeat(region, 1000000) FROM customers
SELECT rpad('x', 1000000000)
SELECT lpad('x', 1000000000, region) FROM customers
SELECT replace(region, 'n', 'nnnnnnnnnnnnnnn') FROM customers
SELECT replace(region, '', 'n') FROM customers
SELECT replace(region, 'n', 'ñ') FROM customers
SELECT replace(region, 'n', '😀') FROM customers
SELECT replace(region, 'ñ', 'nn') FROM customers
SELECT replace(region, 'n', region) FROM customers
SELECT replace(region, region, 'n') FROM customers
SELECT replace(region, 'n', upper('nn')) FROM customers
SELECT replace(region, 'n', 'n' || 'n') FROM customers
SELECT replace(region, 'nn', (SELECT 'n')) FROM customers
SELECT replace(region, 'n', CAST('n' AS TEXT)) FROM customers
SELECT replace(region, 'n') FROM customers
SELECT replace(region, 1, 1) FROM customers
SELECT replace(region, 'n', NULL) FROM customers
SELECT replace(region, 'n', :new) FROM customers
SELECT replace(replace(region, 'n', 'm'), 'm', 'mm') FROM customers
SELECT region FROM customers ORDER BY replace(region, 'n', 'nn')
SELECT array_fill(1, ARRAY[1000000])
SELECT generate_series(1, 1000000000)
SELECT regexp_replace(region, '(a+)+', '') FROM customers
SELECT region ~ '(a+)+$' FROM customers
SELECT region SIMILAR TO '(a|b)*' FROM customers
SELECT getenv('HOME')
SELECT current_setting('access_mode')
SELECT getvariable('x')
SELECT query('select word from secret')
SELECT sqlite_version()
SELECT sqlite_source_id()
SELECT sqlite_compileoption_get(1)
SELECT last_insert_rowid()
SELECT changes()
SELECT json_group_array(email) FROM customers
SELECT eval('select 1')
SELECT system('id')
SELECT sys_exec('id')
SELECT pg_catalog.pg_sleep(1)
SELECT "pg_sleep"(1)
SELECT main.readfile('{file}')
SELECT apply(1)
SELECT list_transform([1], x -> x)
"""
SOURCES = """
SELECT * FROM secret
SELECT word FROM main.secret
SELECT word FROM public.secret
SELECT word FROM "secret"
SELECT word FROM "SECRET"
SELECT word FROM sEcReT
SELECT word FROM [secret]
SELECT word FROM `secret`
SELECT word FROM secret AS customers
SELECT c.id FROM customers c, secret
SELECT c.id FROM customers c JOIN secret ON true
SELECT c.id FROM customers c CROSS JOIN secret s
SELECT id FROM customers UNION SELECT word FROM secret
SELECT id FROM customers UNION ALL SELECT word FROM secret
SELECT id FROM customers EXCEPT SELECT word FROM secret
SELECT (SELECT word FROM secret LIMIT 1)
SELECT id FROM customers WHERE EXISTS (SELECT 1 FROM secret WHERE word LIKE 'h%')
SELECT id FROM customers WHERE region IN (SELECT word FROM secret)
SELECT id FROM customers ORDER BY (SELECT word FROM secret LIMIT 1)
SELECT id FROM customers LIMIT (SELECT count(*) FROM secret)
SELECT id FROM customers OFFSET (SELECT length(word) FROM secret)
SELECT CASE WHEN (SELECT count(*) FROM secret) > 0 THEN 1 END
SELECT count(*) FROM secret
WITH secret AS (SELECT * FROM secret) SELECT * FROM secret
WITH a AS (SELECT word FROM secret), secret AS (SELECT 1 AS word) SELECT word FROM a
WITH customers AS (SELECT word FROM secret) SELECT * FROM customers
WITH orders AS (SELECT word FROM secret) SELECT orders.word FROM orders
SELECT * FROM (WITH secret AS (SELECT 1 AS word) SELECT word FROM secret) q, secret
WITH a AS (SELECT 1 AS word) SELECT * FROM main.a
SELECT word FROM acervo_1
WITH a AS (SELECT 1 AS x) SELECT * FROM acervo_1
SELECT * FROM customers, LATERAL (SELECT word FROM secret) s
SELECT * FROM customers c, LATERAL (SELECT c.email) s(word)
SELECT * FROM sqlite_master
SELECT sql FROM sqlite_schema
SELECT * FROM sqlite_temp_master
SELECT * FROM main.sqlite_master
SELECT * FROM pragma_table_info('secret')
SELECT * FROM pragma_database_list
SELECT name FROM customers UNION SELECT name FROM sqlite_master
SELECT * FROM dbstat
SELECT * FROM information_schema.tables
SELECT table_name FROM information_schema.columns
SELECT id FROM customers UNION SELECT table_name FROM information_schema.tables
SELECT * FROM pg_catalog.pg_class
SELECT * FROM pg_class
SELECT usename, passwd FROM pg_shadow
SELECT rolpassword FROM pg_authid
SELECT * FROM pg_stat_activity
SELECT * FROM pg_settings
SELECT * FROM pg_largeobject
SELECT * FROM pg_file_settings
SELECT srvoptions FROM pg_foreign_server
SELECT * FROM pg_user_mappings
SELECT * FROM duckdb_tables()
SELECT * FROM duckdb_columns()
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_extensions()
SELECT * FROM sniff_csv('{file}')
SELECT * FROM read_csv('{file}')
SELECT * FROM read_csv_auto('{file}')
SELECT * FROM read_parquet('{file}')
SELECT * FROM parquet_metadata('{file}')
SELECT * FROM read_json('{file}')
SELECT * FROM read_text('{file}')
SELECT * FROM read_blob('{file}')
SELECT * FROM glob('/etc/*')
SELECT * FROM '{file}'
SELECT * FROM "{file}"
SELECT * FROM 'https://example.org/x.parquet'
SELECT * FROM read_csv('https://example.org/x.csv')
SELECT * FROM 's3://bucket/x.parquet'
SELECT * FROM sqlite_scan('{file}', 'secret')
SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 'secret')
SELECT * FROM postgres_query('db', 'select 1')
SELECT * FROM query('SELECT word FROM secret')
SELECT * FROM query_table('secret')
SELECT * FROM generate_series(1, 1000000000)
SELECT * FROM range(1000000000)
SELECT * FROM unnest(ARRAY[1, 2])
SELECT unnest([1, 2])
SELECT * FROM json_each('[1]')
SELECT * FROM customers TABLESAMPLE SYSTEM (10)
SELECT * FROM ONLY customers
SELECT * FROM ROWS FROM (pg_ls_dir('/')) AS t
SELECT * FROM (VALUES (1)) v(x)
SELECT * FROM otherdb.main.customers
SELECT * FROM temp.customers
SELECT * FROM pg_temp.customers
SELECT COLUMNS('.*') FROM secret
SELECT * FROM (PIVOT secret ON word USING count(*))
SELECT * FROM (SHOW TABLES)
SELECT * FROM (DESCRIBE secret)
SELECT * FROM (SUMMARIZE secret)
SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (a int PATH '$'))
SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS b int)
"""
COLUMNS = """
SELECT password FROM customers
SELECT customers.password FROM customers
SELECT c.password FROM customers AS c
SELECT id FROM customers WHERE password LIKE 'a%'
SELECT id FROM customers ORDER BY password
SELECT count(*) FROM customers GROUP BY password
SELECT max(password) FROM customers
SELECT id FROM customers HAVING max(password) > 'a'
SELECT o.id FROM orders o JOIN customers c ON c.password = o.placed
SELECT o.id FROM orders o JOIN customers c USING (password)
SELECT rowid FROM customers
SELECT _rowid_ FROM customers
SELECT oid FROM customers
SELECT ctid FROM customers
SELECT xmin FROM customers
SELECT tableoid FROM customers
SELECT customers FROM customers
SELECT c FROM customers c
SELECT c::text FROM customers c
SELECT CAST(c AS text) FROM customers c
SELECT (c).email FROM customers c
SELECT (customers).password FROM customers
SELECT (c).* FROM customers c
SELECT row_to_json(c) FROM customers c
SELECT to_json(c) FROM customers c
SELECT to_jsonb(c) FROM customers c
SELECT json_agg(c) FROM customers c
SELECT jsonb_agg(to_jsonb(c)) FROM customers c
SELECT array_agg(c) FROM customers c
SELECT string_agg(c::text, ',') FROM customers c
SELECT hstore(c) FROM customers c
SELECT md5(c::text) FROM customers c
SELECT count(DISTINCT c) FROM customers c
SELECT length(c::text) FROM customers c
SELECT c = c FROM customers c
SELECT c IS NULL FROM customers c
SELECT ROW(c.*) FROM customers c
SELECT ROW(c.id, c.email) FROM customers c
SELECT coalesce(c) FROM customers c
SELECT struct_pack(c) FROM customers c
SELECT {'a': email} FROM customers
SELECT [password] FROM customers
SELECT id AS a FROM customers ORDER BY length(password)
SELECT ARRAY(SELECT email FROM customers)
SELECT * EXCLUDE (id) FROM customers NATURAL JOIN secret
SELECT * REPLACE (password AS id) FROM customers
SELECT COLUMNS(*) FROM customers
SELECT COLUMNS('pass.*') FROM customers
SELECT * FROM customers NATURAL JOIN orders
SELECT * FROM customers NATURAL JOIN secret
SELECT id FROM customers NATURAL LEFT JOIN secret
SELECT * FROM customers ASOF JOIN orders ON customers.id >= orders.id
SELECT * FROM customers POSITIONAL JOIN secret
SELECT * FROM customers SEMI JOIN secret ON true
SELECT id FROM customers WHERE (id, email) IN (SELECT 1, 'a')
SELECT id FROM customers WHERE email = ANY (SELECT word FROM secret)
SELECT id FROM customers QUALIFY row_number() OVER (ORDER BY password) = 1
SELECT sum(id) OVER (PARTITION BY password) FROM customers
SELECT id FROM customers GROUP BY ROLLUP (password)
SELECT id FROM customers GROUP BY GROUPING SETS ((password), ())
SELECT DISTINCT ON (password) id FROM customers
SELECT id AS a, a || a AS b, b || b AS c FROM customers
SELECT lower(customers) FROM customers
SELECT password(customers) FROM customers
SELECT count(customers) FROM customers
SELECT id FROM customers ORDER BY customers
SELECT id FROM customers GROUP BY ALL
SELECT id FROM customers UNION BY NAME SELECT id FROM orders
SELECT region COLLATE "C" FROM customers
SELECT region OPERATOR(pg_catalog.=) 'a' FROM customers
SELECT regclass 'secret'
SELECT id::oid::regclass FROM customers
SELECT id::main.customers FROM customers
"""
SPELLINGS = """
SELECT/**/word/**/FROM/**/secret
SELECT word FROM -- customers
SELECT 1 /*! UNION SELECT word FROM secret */ FROM secret
SELECT /*+ NO_INDEX */ word FROM secret
SELECT id FROM customers -- \u2028 UNION
SELECT word FROM\u00a0secret
SELECT word FROM \uff53ecret
SELECT word FROM secre\u0301t
SELECT w\u200bord FROM secret
SELECT 1\u202e FROM secret
SELECT word FROM U&"\\0073ecret"
SELECT U&'\\0061' FROM secret
SELECT E'\\'; SELECT word FROM secret --'
SELECT $$a$$ FROM secret
SELECT $tag$x$tag$, word FROM secret
SELECT x'41' FROM secret
SELECT B'1' FROM secret
SELECT 'a' 'b' FROM secret
SELECT N'a' FROM secret
SELECT '\\' FROM secret --'
SELECT "a"" FROM secret -- "
SELECT date_trunc('month'') ; drop table customers --', placed) FROM orders, secret
SELECT extract('x; drop' FROM placed) FROM orders, secret
SELECT INTERVAL '1' "day; drop" FROM secret
SELECT extract("year FROM session_user IS DISTINCT" FROM placed) FROM orders
SELECT id FROM customers WHERE id = ?
SELECT id FROM customers WHERE id = $1
SELECT id FROM customers WHERE id = :nowhere
SELECT id FROM customers WHERE id = @x
SELECT id FROM customers WHERE id = %s
SELECT id FROM customers WHERE id = %(a)s
SELECT id FROM customers LIMIT 1 + 1
SELECT id FROM customers LIMIT ALL OFFSET -1
SELECT id FROM customers LIMIT -1
SELECT id FROM customers LIMIT 10 PERCENT
SELECT id FROM customers LIMIT 1e3
SELECT id FROM customers FETCH FIRST 10 ROWS WITH TIES
SELECT
nonsense
{{7*7}}
${jndi:ldap://x}
"""
ENDLESS = """
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r
WITH RECURSIVE r(n) AS (SELECT 'x' UNION ALL SELECT n || n FROM r) SELECT max(length(n)) FROM r
WITH RECURSIVE r AS (SELECT id FROM customers UNION SELECT id + 1 FROM r) SELECT * FROM r
"""
OF_MYSQL = """
SELECT id FROM customers INTO OUTFILE '{file}'
SELECT id FROM customers INTO DUMPFILE '{file}'
SELECT id INTO OUTFILE '{file}' FROM customers
SELECT id FROM customers INTO @x
SELECT word INTO @x FROM secret
SELECT LOAD_FILE('{file}')
LOAD DATA INFILE '{file}' INTO TABLE secret
LOAD DATA LOCAL INFILE '{file}' INTO TABLE secret
LOAD XML LOCAL INFILE '{file}' INTO TABLE secret
SELECT SLEEP(5)
SELECT id FROM customers WHERE SLEEP(1) = 0
SELECT BENCHMARK(1000000000, MD5('x'))
SELECT GET_LOCK('x', 10)
SELECT RELEASE_ALL_LOCKS()
SELECT MASTER_POS_WAIT('x', 1, 10)
SELECT @a := word FROM secret
SELECT @a := email FROM customers
SELECT @@version
SELECT @@global.secure_file_priv
SELECT @@datadir
SET @a = (SELECT word FROM secret)
SET GLOBAL general_log = 1
SET SESSION sql_mode = 'ANSI_QUOTES'
SET SESSION TRANSACTION READ WRITE
SET PASSWORD = PASSWORD('x')
SET STATEMENT max_statement_time = 0 FOR SELECT word FROM secret
SELECT id FROM customers PROCEDURE ANALYSE()
HANDLER secret OPEN
HANDLER secret READ FIRST
SELECT id FROM customers LOCK IN SHARE MODE
SELECT id FROM customers FOR UPDATE NOWAIT
SELECT id FROM customers PARTITION (p0)
SELECT id FROM customers USE INDEX (x)
SELECT SQL_CALC_FOUND_ROWS id FROM customers
SELECT STRAIGHT_JOIN id FROM customers
SELECT FOUND_ROWS()
SELECT DATABASE()
SELECT USER()
SELECT CURRENT_ROLE()
SELECT CONNECTION_ID()
SELECT UUID()
SELECT RAND()
SELECT LAST_INSERT_ID()
SELECT EXTRACTVALUE(1, CONCAT(0x7e, (SELECT word FROM secret)))
SELECT UPDATEXML(1, CONCAT(0x7e, (SELECT word FROM secret)), 1)
SELECT GROUP_CONCAT(email) FROM customers
SELECT JSON_ARRAYAGG(email) FROM customers
SELECT JSON_OBJECT('a', password) FROM customers
SELECT NAME_CONST('a', password) FROM customers
SELECT VALUES(password) FROM customers
SELECT DEFAULT(password) FROM customers
SELECT RPAD('x', 1000000000, 'y')
SELECT SPACE(1000000000)
SELECT REPEAT('x', 1000000000) AS a
SELECT REGEXP_REPLACE(region, '(a+)+', '') AS a FROM customers
SELECT region REGEXP '(a+)+$' FROM customers
SELECT region RLIKE 'a' FROM customers
SELECT region SOUNDS LIKE 'a' FROM customers
SELECT MATCH (region) AGAINST ('north') FROM customers
SELECT AES_ENCRYPT(region, 'k') FROM customers
SELECT UNHEX('41')
SELECT CHAR(65, 66)
SELECT CONVERT(region USING latin1) FROM customers
SELECT CAST(region AS BINARY) FROM customers
SELECT CAST(region AS JSON) FROM customers
SELECT BINARY region FROM customers
SELECT _binary'a'
SELECT _latin1'a' COLLATE latin1_bin
SELECT b'1'
SELECT x'7365637265740a'
SELECT 'a' COLLATE utf8mb4_bin
SELECT word FROM 0x736563726574
SELECT /*!50000 word FROM secret */
SELECT id /*!50000 , (SELECT word FROM secret) AS w */ FROM customers, secret
SELECT id FROM customers /*M! UNION SELECT word FROM secret */ , secret
SELECT 'a\\\\' OR (SELECT word FROM secret) = 'x'
SELECT 'a\\\\' , word FROM secret -- '
SELECT "a\\\\" , (SELECT word FROM secret) -- "
SELECT word FROM secret # customers
SELECT word FROM`secret`
SELECT `word` FROM `shop`.`secret`
SELECT User, authentication_string FROM mysql.user
SELECT * FROM mysql.global_priv
SELECT * FROM information_schema.user_privileges
SELECT * FROM performance_schema.threads
SELECT * FROM sys.session
SELECT * FROM sys.processlist
SELECT * FROM shop.secret
SELECT shop.initcap(region) FROM customers
SELECT sys.format_bytes(1)
SELECT NEXTVAL(s)
SELECT NEXT VALUE FOR s
SELECT * FROM customers FOR SYSTEM_TIME ALL
SELECT id FROM customers LIMIT 1 ROWS EXAMINED 10
SELECT id FROM customers ORDER BY id LIMIT 5, 99999999999
SHOW GRANTS
SHOW CREATE TABLE secret
SHOW FULL PROCESSLIST
SHOW VARIABLES
DESC secret
KILL 1
FLUSH TABLES
RESET MASTER
PURGE BINARY LOGS TO 'x'
CHANGE MASTER TO MASTER_HOST = '127.0.0.1'
INSTALL SONAME 'x'
INSTALL PLUGIN x SONAME 'x.so'
CREATE FUNCTION f RETURNS STRING SONAME 'x.so'
CREATE DEFINER = root@localhost VIEW v AS SELECT word FROM secret
CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DELETE FROM customers
CREATE TEMPORARY TABLE x SELECT word FROM secret
RENAME TABLE secret TO customers
LOCK TABLES secret READ
PREPARE p FROM 'SELECT word FROM secret'
EXECUTE IMMEDIATE 'SELECT word FROM secret'
CALL p()
DO SLEEP(5)
BEGIN NOT ATOMIC SELECT word FROM secret; END
XA START 'x'
SELECT 1 UNION SELECT word FROM secret LIMIT 1
VALUES ROW(1)
DELIMITER //
\\! id
"""
GROUPS = {
    "several": SEVERAL, "writing": WRITING, "commands": COMMANDS, "functions": FUNCTIONS, "sources": SOURCES,
    "columns": COLUMNS, "spellings": SPELLINGS, "endless": ENDLESS, "mysql": OF_MYSQL,
}  # fmt: skip
# Let through, for what would be more is within a text there: after a backslash, between double quotes.
TEXTS_IN_MYSQL = (
    "SELECT '\\' FROM secret --'",
    'SELECT "a"" FROM secret -- "',
    'SELECT extract("year FROM session_user IS DISTINCT" FROM placed) FROM orders',
)
STATEMENTS = [(group, line) for group, text in GROUPS.items() for line in text.strip("\n").split("\n")]
