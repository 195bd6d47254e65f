"""The tables of a database as their records are laid out in its pages, and rows put back into them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memd.db import driver
from memd.db.driver import Connection, Row, Value

_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "TEXT": (str,),
    "BLOB": (bytes,),
    "REAL": (float, int),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``default`` stands in where a record is older than the column."""

    name: str
    type: str
    required: bool
    default: Value

    def takes(self, value: Value) -> bool:
        """True where the value could have been stored here."""
        return not self.required if value is None else isinstance(value, _TYPES.get(self.type, (object,)))


@dataclass(frozen=True, slots=True)
class Table:
    """An ordinary table, its columns in the order of its records; ``key`` is the place of the one that is the rowid."""

    name: str
    columns: tuple[Column, ...]
    key: int | None
    has_rowid: bool

    def row(self, rowid: int, record: Row) -> Row | None:
        """The row that the record stands for; None where it cannot be one of this table."""
        if len(record) > len(self.columns):
            return None
        values = [*record, *(column.default for column in self.columns[len(record) :])]
        if self.key is not None:
            if values[self.key] is not None:
                return None
            values[self.key] = rowid
        fits = all(column.takes(value) for column, value in zip(self.columns, values, strict=True))
        return tuple(values) if fits else None

    def rows(self, records: Iterable[tuple[int, Row]]) -> list[Row]:
        """The rows of those records that can be rows of this table."""
        return [row for rowid, record in records if (row := self.row(rowid, record)) is not None]

    def insert(self, connection: Connection, rows: Iterable[Row]) -> None:
        """Store rows; one that breaks a constraint, or is there already, is passed over."""
        names = ", ".join(f'"{column.name}"' for column in self.columns)
        marks = ", ".join("?" * len(self.columns))
        connection.executemany(f'INSERT OR IGNORE INTO "{self.name}" ({names}) VALUES ({marks})', rows)


def ordinary(connection: Connection) -> list[Table]:
    """Every table that holds its rows itself: no index's shadow, nothing virtual, nothing of SQLite's own."""
    listed = connection.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall()
    return [_table(connection, str(name), bool(without_rowid)) for name, without_rowid in listed]


def _table(connection: Connection, name: str, without_rowid: bool) -> Table:
    listed = connection.execute(
        'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', (name,)
    )
    columns = [
        (
            driver.number(pk),
            Column(str(column), str(type_).upper(), bool(required), _default(connection, default)),
        )
        for column, type_, required, default, pk in listed.fetchall()
    ]
    keys = [at for at, (pk, _) in enumerate(columns) if pk]
    if without_rowid:  # its records begin with the key
        columns.sort(key=lambda one: (not one[0], one[0]))
    is_rowid = not without_rowid and len(keys) == 1 and columns[keys[0]][1].type == "INTEGER"
    return Table(
        name, tuple(column for _, column in columns), keys[0] if is_rowid else None, not without_rowid
    )


def _default(connection: Connection, expression: Value) -> Value:
    value: Value = connection.execute(f"SELECT {expression!s}").get if expression else None
    return value
