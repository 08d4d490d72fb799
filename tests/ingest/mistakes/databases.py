"""Of syncs: what keeps a database from being followed, and what stops one table of a sync."""

from __future__ import annotations

from dataclasses import dataclass

from tests.ingest.source_postgres import PASSWORD


@dataclass(frozen=True)
class Outage:
    """The run fails until it is mended; ``{db}`` is the database, and the user is ``limited``.

    The statements are run by an administrator who is in another database.
    """

    what: str
    broken: str
    message: str
    mended: str


POSTGRES_OUTAGES = (
    Outage(
        "another password",
        "ALTER ROLE limited PASSWORD 'changed'",
        'password authentication failed for user "limited"',
        f"ALTER ROLE limited PASSWORD '{PASSWORD}'",
    ),
    Outage(
        "a role that may not log in",
        "ALTER ROLE limited NOLOGIN",
        'role "limited" is not permitted to log in',
        "ALTER ROLE limited LOGIN",
    ),
    Outage(
        "a role that may not replicate",
        "ALTER ROLE limited NOREPLICATION",
        "permission denied",
        "ALTER ROLE limited REPLICATION",
    ),
    Outage(
        "too many connections",
        "ALTER ROLE limited CONNECTION LIMIT 0",
        'too many connections for role "limited"',
        "ALTER ROLE limited CONNECTION LIMIT -1",
    ),
    Outage(
        "a database that is closed",
        "ALTER DATABASE {db} ALLOW_CONNECTIONS false",
        'database "{db}" is not currently accepting connections',
        "ALTER DATABASE {db} ALLOW_CONNECTIONS true",
    ),
    Outage(
        "a right to connect that is withdrawn",
        "REVOKE CONNECT ON DATABASE {db} FROM PUBLIC; ALTER DATABASE {db} OWNER TO postgres",
        'permission denied for database "{db}"',
        "GRANT CONNECT ON DATABASE {db} TO PUBLIC; ALTER DATABASE {db} OWNER TO limited",
    ),
)
MARIADB_OUTAGES = (
    Outage(
        "another password",
        "ALTER USER limited@'%' IDENTIFIED BY 'changed'",
        "Access denied for user 'limited'",
        f"ALTER USER limited@'%' IDENTIFIED BY '{PASSWORD}'",
    ),
    Outage(
        "an account that is locked",
        "ALTER USER limited@'%' ACCOUNT LOCK",
        "account is locked",
        "ALTER USER limited@'%' ACCOUNT UNLOCK",
    ),
    Outage(
        "a server that requires encryption",
        "ALTER USER limited@'%' REQUIRE SSL",
        "Access denied for user 'limited'",
        "ALTER USER limited@'%' REQUIRE NONE",
    ),
    Outage(
        "a right to replicate that is withdrawn",
        "REVOKE REPLICATION SLAVE ON *.* FROM limited@'%'",
        "Access denied; you need",
        "GRANT REPLICATION SLAVE ON *.* TO limited@'%'",
    ),
    Outage(
        "too many connections",
        "ALTER USER limited@'%' WITH MAX_USER_CONNECTIONS 1",
        "max_user_connections",
        "ALTER USER limited@'%' WITH MAX_USER_CONNECTIONS 0",
    ),
)


@dataclass(frozen=True)
class Stop:
    """One table is stopped, and the others of its sync go on; ``{t}`` is its name.

    ``broken`` and ``mended`` are run in the database; ``in_lake`` and ``back_in_lake`` before them.
    """

    table: str
    columns: str
    first: str
    """Rows that it has at first."""
    broken: str
    message: str
    mended: str = ""
    in_lake: str = ""
    back_in_lake: str = ""


_SHARED_STOPS = (
    Stop(
        "renamed",
        "id int PRIMARY KEY, v int",
        "(1, 1)",
        "ALTER TABLE {t} RENAME COLUMN v TO w; INSERT INTO {t} VALUES (2, 2)",
        "column v was dropped or renamed",
        "ALTER TABLE {t} RENAME COLUMN w TO v",
    ),
    Stop(
        "emptied",
        "id int PRIMARY KEY, v int",
        "(1, 1)",
        "UPDATE {t} SET v = 2",
        "does not have the rows",
        in_lake="DELETE FROM {t}",
    ),
    Stop(
        "dropped",
        "id int PRIMARY KEY, v int",
        "(1, 1)",
        "UPDATE {t} SET v = 2",
        "{t} does not exist",
        in_lake="DROP TABLE {t}",
        back_in_lake="UNDROP TABLE {t}",
    ),
    Stop(
        "replaced",
        "id int PRIMARY KEY, v int",
        "(1, 1)",
        "UPDATE {t} SET v = 2",
        "{t} is not the one that the sync has made",
        in_lake="CREATE OR REPLACE TABLE {t} (id INT, v INT)",
    ),
)
POSTGRES_STOPS = (
    *_SHARED_STOPS,
    Stop(
        "rekeyed",
        "id int PRIMARY KEY, v int NOT NULL",
        "(1, 1)",
        "ALTER TABLE {t} DROP CONSTRAINT {t}_pkey, ADD PRIMARY KEY (v); INSERT INTO {t} VALUES (2, 2)",
        "its key was (id) and is (v)",
        "ALTER TABLE {t} DROP CONSTRAINT {t}_pkey, ADD PRIMARY KEY (id)",
    ),
    Stop(
        "retyped",
        "id int PRIMARY KEY, v int",
        "(1, 1)",
        "ALTER TABLE {t} ALTER COLUMN v TYPE text; INSERT INTO {t} VALUES (2, 'x')",
        "column v was int",
    ),
    Stop(
        "endless",
        "id int PRIMARY KEY, v date",
        "(1, '2024-01-31')",
        "INSERT INTO {t} VALUES (2, 'infinity')",
        "column v of public.{t} has the value 'infinity', which date cannot represent",
        "UPDATE {t} SET v = '2024-02-01' WHERE id = 2",
    ),
    Stop(
        "ancient",
        "id int PRIMARY KEY, v timestamp",
        "(1, '2024-01-31')",
        "INSERT INTO {t} VALUES (2, '0044-03-15 BC')",
        "column v of public.{t} has the value '0044-03-15 00:00:00 BC'",
        "DELETE FROM {t} WHERE id = 2",
    ),
    Stop(
        "uncounted",
        "id int PRIMARY KEY, v numeric(10,2)",
        "(1, 1)",
        "INSERT INTO {t} VALUES (2, 'NaN')",
        "column v of public.{t} has the value 'NaN', which decimal(10,2) cannot represent",
        "UPDATE {t} SET v = 2 WHERE id = 2",
    ),
    Stop(
        "nested",
        "id int PRIMARY KEY, v int[]",
        "(1, '{1}')",
        "INSERT INTO {t} VALUES (2, '{{1,2},{3,4}}')",
        "v",
        "UPDATE {t} SET v = '{2}' WHERE id = 2",
    ),
)
MARIADB_STOPS = (
    *_SHARED_STOPS,
    Stop(
        "rekeyed",
        "id int PRIMARY KEY, v int NOT NULL",
        "(1, 1)",
        "ALTER TABLE {t} DROP PRIMARY KEY, ADD PRIMARY KEY (v); INSERT INTO {t} VALUES (2, 2)",
        "its key was (id) and is (v)",
        "ALTER TABLE {t} DROP PRIMARY KEY, ADD PRIMARY KEY (id)",
    ),
    Stop(
        "retyped",
        "id int PRIMARY KEY, v int",
        "(1, 1)",
        "ALTER TABLE {t} MODIFY v text; INSERT INTO {t} VALUES (2, 'x')",
        "column v was int",
    ),
    Stop(
        "undated",
        "id date PRIMARY KEY, v int",
        "('2024-01-31', 1)",
        "SET sql_mode = ''; INSERT INTO {t} VALUES ('0000-00-00', 2)",
        "zero date",
        "SET sql_mode = ''; UPDATE {t} SET id = '2024-02-01' WHERE v = 2",
    ),
    Stop(
        "relabelled",
        "id int PRIMARY KEY, v enum('a', 'b')",
        "(1, 'b')",
        "ALTER TABLE {t} MODIFY v enum('b', 'a'); INSERT INTO {t} VALUES (2, 'a')",
        "column v was enum('a','b')",
    ),
)
