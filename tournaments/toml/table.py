"""What the tables of a file of TOML are made of, as models that check them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_NAME_LENGTH = 64


class Table(BaseModel):
    """A table that a user writes: unknown keys and near misses of a type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def tables_of(file: type[BaseModel]) -> Mapping[str, type[BaseModel]]:
    """Return the model of each table of a file, by its name."""
    return {
        name: (get_args(field.annotation) or (field.annotation,))[0]
        for name, field in file.model_fields.items()
    }


def is_repeated(file: type[BaseModel], name: str) -> bool:
    """Return whether a table of a file is written `[[name]]`, and there may be several."""
    return bool(get_args(file.model_fields[name].annotation))


def fits(value: int) -> bool:
    """Return whether a whole number fits into the 64 bits of TOML."""
    return -(2**63) <= value < 2**63


def _as_text(value: object) -> object:
    """Return numbers and booleans as the text that TOML writes, other values as they are."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value) if isinstance(value, int) and fits(value) else value


Text = Annotated[
    str, BeforeValidator(_as_text), WithJsonSchema({"type": ["string", "number", "boolean"]})
]
"""Text, or a number or boolean that means its own text."""
