"""How a command declares each of its arguments and options once.

The declaration is the default of a parameter of the command's function, or of a field of a class
made by `options`, which the function takes as a whole:

    def run(file: Path = argument("FILE", "a TOML file"), *, options: ServeOptions) -> int: ...

The name is that of the parameter. The annotation decides the rest: a parameter that may be None may
be left out, `Path` is the name of a file, `bool | None` also has the opposite word, and a tuple
without a default may be repeated. The help ends with the default, if there is one.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

T = TypeVar("T")


class FileName(click.Path):
    """The name of a file or folder, which is not opened here."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, readable=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path. Raises click.BadParameter for an empty name, as of an unset variable."""
        if value == "":
            # `Path("")` is the current folder.
            self.fail("the name of a file is expected, not ''", param, ctx)
        return super().convert(value, param, ctx)


class WrittenFile(FileName):
    """The name of a file that a command writes, which is never standard output."""

    def __init__(self, what_goes: str) -> None:
        """`what_goes` begins the refusal of `-`: "records go"."""
        super().__init__()
        self._what_goes = what_goes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path. Raises click.BadParameter for an empty name and for `-`."""
        if str(value) == "-":
            self.fail(
                f"{self._what_goes} to a file, not to standard output: name a file", param, ctx
            )
        return super().convert(value, param, ctx)


FILE = FileName()
OPTIONS = "Options"
"""The group of options without a group."""
_NONE = object()
_DECLARED = "declared"


def word_of(name: str) -> str:
    """Return the option of a name as it is typed: `--min-group` for `min_group`."""
    return f"--{name.replace('_', '-')}"


class GroupedOption(click.Option):
    """An option, listed in the help with the others of its `group`."""

    def __init__(self, *names: Any, group: str = OPTIONS, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(*names, **settings)
        self.group = group

    def companions(self, ctx: click.Context) -> Sequence[GroupedOption]:
        """Return options that come with this one, determined when they are needed."""
        return ()


@dataclass(frozen=True, slots=True)
class Declared:
    """An argument or option, apart from the name and annotation of its parameter."""

    made: type[GroupedOption] | None
    """Click's option; None for an argument."""
    metavar: str | None
    meaning: str
    kind: click.ParamType[Any] | None = None
    default: object = _NONE
    group: str | None = None
    names: str = ""
    is_flag: bool = False
    without_value: str | None = None

    def parameter(self, name: str, annotation: object) -> click.Parameter:
        """Return click's parameter of that name.

        Raises TypeError if nothing says how its values are read.
        """
        known = _Annotation.of(annotation)
        if self.kind is None and known.inner not in (bool if self.is_flag else str, Path):
            raise TypeError(f"{name} has the type {annotation}: it needs a kind, or another type")
        is_many = known.is_tuple and not known.may_be_none and self.default is _NONE
        settings: dict[str, Any] = {
            "type": self.kind or (FILE if known.inner is Path else click.STRING),
            "metavar": self.metavar,
            "required": not (known.may_be_none or is_many or self.default is not _NONE),
        }
        if self.made is None:
            return click.Argument(
                [name], help=self.meaning or None, nargs=-1 if is_many else 1, **settings
            )
        words = self.names.split() or [word_of(name)]
        if self.is_flag:
            both = f"{words[0]}/--no-{words[0][2:]}"
            words = [both] if known.may_be_none else words
            settings = {"is_flag": True, "default": None if known.may_be_none else False}
        if self.default is not _NONE:
            settings["default"] = self.default
        if self.without_value is not None:
            settings |= {"is_flag": False, "flag_value": self.without_value}
        meaning = with_default(self.meaning, self.default)
        return self.made(
            [*words, name], help=meaning, group=self.group or OPTIONS, multiple=is_many, **settings
        )


@dataclass(frozen=True, slots=True)
class Collected:
    """All given values of parameters whose names begin with `prefix`, as a mapping."""

    prefix: str
    parameters: Callable[[], Iterable[click.Parameter]]


class _Annotation(NamedTuple):
    inner: object
    """The type of the values, or of each of them."""
    may_be_none: bool
    is_tuple: bool

    @classmethod
    def of(cls, annotation: Any) -> _Annotation:  # noqa: ANN401
        parts = (annotation,)
        if get_origin(annotation) in (Union, UnionType):
            parts = get_args(annotation)
        inner = next(part for part in parts if part is not NoneType)
        is_tuple = get_origin(inner) is tuple
        return cls(get_args(inner)[0] if is_tuple else inner, NoneType in parts, is_tuple)


def option(
    metavar: str | None,
    meaning: str = "",
    *,
    kind: click.ParamType[Any] | None = None,
    default: Any = _NONE,  # noqa: ANN401
    names: str = "",
    group: str | None = None,
    made: type[GroupedOption] = GroupedOption,
    without_value: str | None = None,
) -> Any:  # noqa: ANN401 - it stands where a value of any type does
    """Declare an option.

    `kind` reads its value. `names` are its words, by default one made from the parameter's name;
    `without_value` is its value when it is given alone.
    """
    return Declared(
        made, metavar, meaning, kind, default, group, names, without_value=without_value
    )


def flag(meaning: str, *, names: str = "", group: str | None = None) -> Any:  # noqa: ANN401
    """Declare an option without a value."""
    return Declared(GroupedOption, None, meaning, group=group, names=names, is_flag=True)


def argument(metavar: str, meaning: str = "", *, kind: click.ParamType[Any] | None = None) -> Any:  # noqa: ANN401
    """Declare a positional argument; a tuple takes all words that are left."""
    return Declared(None, metavar, meaning, kind)


def collected(prefix: str, parameters: Callable[[], Iterable[click.Parameter]] = tuple) -> Any:  # noqa: ANN401
    """Declare a mapping of the given values of `parameters`, by name without `prefix`.

    It also has the values of companions with such names.
    """
    return Collected(prefix, parameters)


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(option, flag, argument, collected)
)
def options(group: str = OPTIONS) -> Callable[[type[T]], type[T]]:
    """Make a frozen dataclass whose fields are declared, or are such classes themselves."""

    def decorate(cls: type[T]) -> type[T]:
        for name, each in list(vars(cls).items()):
            match each:
                case Declared():
                    known: Any = {} if each.default is _NONE else {"default": each.default}
                    grouped = replace(each, group=each.group or group)
                    setattr(cls, name, field(metadata={_DECLARED: grouped}, **known))
                case Collected():
                    setattr(cls, name, field(metadata={_DECLARED: each}))
        return dataclass(frozen=True, slots=True, kw_only=True)(cls)

    return decorate


class Parameters:
    """The parameters of a function, or the fields of a class made by `options`, by name."""

    def __init__(self, annotations: Mapping[str, Any], declared: Mapping[str, Any]) -> None:
        self._parts = {
            name: (annotations[name], each or Parameters.of_class(annotations[name]))
            for name, each in declared.items()
        }

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Parameters:
        """Return the parameters of a function."""
        found = inspect.signature(function).parameters.values()
        declared = {each.name: None if each.default is each.empty else each.default
                    for each in found}  # fmt: skip
        return cls(get_type_hints(function), declared)

    @classmethod
    def of_class(cls, kind: type[Any]) -> Parameters:
        """Return the parameters of a class made by `options`."""
        declared = {each.name: each.metadata.get(_DECLARED) for each in fields(kind)}
        return cls(get_type_hints(kind), declared)

    def of_click(self) -> Iterator[click.Parameter]:
        """Yield click's parameters, in order."""
        for name, (annotation, each) in self._parts.items():
            match each:
                case Declared():
                    yield each.parameter(name, annotation)
                case Collected():
                    yield from each.parameters()
                case Parameters():
                    yield from each.of_click()

    def values(self, read: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the parameters, from those that click has read."""
        found: dict[str, Any] = {}
        for name, (annotation, each) in self._parts.items():
            match each:
                case Declared():
                    found[name] = read[name]
                case Collected(prefix):
                    found[name] = {
                        word.removeprefix(prefix): value
                        for word, value in read.items()
                        if word.startswith(prefix) and value is not None
                    }
                case Parameters():
                    found[name] = annotation(**each.values(read))
        return found


def with_default(meaning: str, default: object) -> str:
    """Return a sentence of the help that ends with the default, unless that is empty."""
    if default in (_NONE, None, ""):
        return meaning
    shown = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{meaning} (default: {'here' if default == Path() else shown})".strip()
