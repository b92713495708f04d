"""A record of a file that was read: an item, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from annotation.schema import QAItem
from annotation.verdicts import problem


@dataclass(frozen=True)
class Row:
    """``number`` is the line in a text file and the row in a table, from 1; ``problem`` is a clause."""

    number: int
    item: QAItem | None = None
    problem: str = ""


def row(number: int, read: Callable[[], QAItem]) -> Row:
    """Return what ``read`` makes of a record."""
    try:
        return Row(number, read())
    except ValidationError as error:
        return Row(number, problem=problem(error))
    except ValueError as error:
        return Row(number, problem=str(error))
