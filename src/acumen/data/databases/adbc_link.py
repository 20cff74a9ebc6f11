"""A connection to PostgreSQL through ADBC's low-level API, which returns Arrow streams without pyarrow.

Link    runs statements and closes them in the order that ADBC requires, even after errors
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from acumen.errors import MissingExtra


def adbc_errors(*also: type[Exception]) -> tuple[type[Exception], ...]:
    """ADBC's base exception, together with other exception types."""
    import adbc_driver_manager as adbc

    return (adbc.Error, *also)


class Link:
    """An open connection; call `close` when done."""

    def __init__(self, address: str) -> None:
        try:
            import adbc_driver_manager as adbc
            import adbc_driver_postgresql as driver
        except ImportError:
            raise MissingExtra(
                "reading from PostgreSQL needs ADBC's driver: pip install 'acumen-learn[postgres]'."
            ) from None
        self._statements: list[Any] = []
        self._database = driver.connect(address)
        try:
            self._connection = adbc.AdbcConnection(self._database)
        except BaseException:
            self._database.close()
            raise

    def begin(self) -> None:
        """Start a transaction; only `commit` keeps its changes."""
        self._connection.set_autocommit(False)

    def commit(self) -> None:
        self._connection.commit()

    def rollback(self) -> None:
        """Undo everything since `begin`, if the server still answers."""
        with suppress(*adbc_errors()):
            self._connection.rollback()

    def execute(self, command: str) -> None:
        """Run a command that returns no rows."""
        statement = self._statement({})
        statement.set_sql_query(command)
        statement.execute_update()
        self._close_statement(statement)

    def query(self, query: str, bound: Any = None, *, copy: bool = True) -> Any:
        """Run a query and return an object with an Arrow stream; `copy` is faster but does not suit every command.

        The rows of an earlier query must have been read before.
        """
        self.settle()
        statement = self._statement({} if copy else {"adbc.postgresql.use_copy": "false"})
        statement.set_sql_query(query)
        if bound is not None:
            statement.prepare()
            statement.bind(bound)
        return statement.execute_query()[0]

    def describe(self, query: str) -> Any:
        """The Arrow schema of a query, empty for a command without rows; the server does not run the query."""
        self.settle()
        statement = self._statement({})
        statement.set_sql_query(query)
        schema = statement.execute_schema()
        self._close_statement(statement)
        return schema

    def ingest(self, schema: str, table: str, batch: Any) -> None:
        """Append the rows of an Arrow batch to an existing table."""
        options = {"adbc.ingest.target_table": table, "adbc.ingest.mode": "adbc.ingest.mode.append"}
        if schema:
            options["adbc.ingest.target_db_schema"] = schema
        statement = self._statement(options)
        statement.bind(batch)
        statement.execute_update()
        self._close_statement(statement)

    def settle(self) -> None:
        """Close the statements whose rows have been read."""
        while self._statements:
            # Closing repeats the earlier error if the server is gone.
            with suppress(*adbc_errors()):
                self._statements.pop().close()

    def close(self) -> None:
        """Close the connection and everything that depends on it."""
        self.settle()
        with suppress(*adbc_errors()):
            self._connection.close()
        with suppress(*adbc_errors()):
            self._database.close()

    def _statement(self, options: Mapping[str, str]) -> Any:
        import adbc_driver_manager as adbc

        statement = adbc.AdbcStatement(self._connection)
        self._statements.append(statement)
        if options:
            statement.set_options(**options)
        return statement

    def _close_statement(self, statement: Any) -> None:
        self._statements.remove(statement)
        statement.close()
