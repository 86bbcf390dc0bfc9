"""Answers "is an integer declared here?" for every whole-number float in a call's arguments.

Only the `type` keyword decides (JSON Schema 2020-12, validation 6.1.1); `enum` and `const` do not, because 1.0 equals 1
there. The walk follows the arguments, so a recursive schema ends where the value ends. It never fetches a reference.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from urllib.parse import unquote

Path = tuple[str | int, ...]


class Opinion(Enum):
    """What a schema says about a whole-number float: it must be an integer, or it is fine as a number."""

    INTEGER = "integer"
    NUMBER = "number"


Opinions = Mapping[Path, Opinion]
_NONE: Opinions = {}
_STEPS = 1_000_000
_STEPS_A_SCHEMA = 5
_INDEX_DIGITS = 10
_DEPTH = 200


class TooComplex(Exception):
    """The schema could not be walked within the bounds on steps and nesting."""


def declared(schema: object) -> Opinion | None:
    """What the `type` keyword of this schema alone says about a number; None when it says nothing."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if kind == "integer":
        return Opinion.INTEGER
    if kind == "number":
        return Opinion.NUMBER
    if isinstance(kind, list):
        if "number" in kind:
            return Opinion.NUMBER
        if "integer" in kind:
            return Opinion.INTEGER
    return None


def opinions(schema: Mapping[str, object], value: object, places: Iterable[Path]) -> Opinions:
    """What the whole schema says about the whole-number floats at `places` of `value`.

    Schemas that hold together (`allOf`, `$ref` and its siblings, a matching `if` with its `then`) agree on "integer"
    when one of them says so. Among the branches of `anyOf` and `oneOf` that the value matches, one that is content
    with a number is enough to leave the float alone. A place without an opinion is not in the answer.

    Raises:
        TooComplex: the schema is nested or branched beyond the bounds.
    """
    walk = _Walk(schema, places)
    try:
        return walk.visit(schema, value, ())
    except RecursionError:
        raise TooComplex("the schema is nested too deeply") from None


class _Walk:
    """One walk over a value and its schema. Results are kept per (schema, place), which also ends `$ref` cycles."""

    def __init__(self, root: Mapping[str, object], places: Iterable[Path]) -> None:
        self.root = root
        self.wanted: dict[Path, dict[str | int, None]] = {(): {}}
        """The steps to go from each path to reach the wanted places."""
        for place in places:
            for length, step in enumerate(place):
                self.wanted.setdefault(place[:length], {})[step] = None
            self.wanted.setdefault(place, {})
        self.seen: dict[tuple[int, Path], Opinions] = {}
        self.matched: dict[tuple[int, Path], bool] = {}
        self.steps = 0
        self.depth = 0

    def visit(self, schema: object, value: object, path: Path) -> Opinions:
        """The opinions of `schema` on everything wanted at and below `path`."""
        if not isinstance(schema, Mapping) or path not in self.wanted:
            return _NONE
        key = (id(schema), path)
        if key in self.seen:
            return self.seen[key]
        self.seen[key] = _NONE
        members = [(step, value[step]) for step in self.wanted[path]]  # type: ignore[index]
        self._enter(len(members))
        found: dict[Path, Opinion] = {}
        if isinstance(value, float) and (opinion := declared(schema)):
            found[path] = opinion
        for part in self._together(schema, value, path):
            _merge(found, self.visit(part, value, path), Opinion.INTEGER)
        for word in ("anyOf", "oneOf"):
            _merge(found, self._branches(schema.get(word), value, path), Opinion.INTEGER)
        for step, child, part in _members(schema, value, members):
            _merge(found, self.visit(part, child, (*path, step)), Opinion.INTEGER)
        self.depth -= 1
        self.seen[key] = found
        return found

    def _enter(self, members: int) -> None:
        self.steps += _STEPS_A_SCHEMA + members
        self.depth += 1
        if self.steps > _STEPS:
            raise TooComplex("the schema has too many branches for this value")
        if self.depth > _DEPTH:
            raise TooComplex("the schema is nested too deeply")

    def _together(self, schema: Mapping[str, object], value: object, path: Path) -> Iterator[object]:
        """The schemas that hold for the same value together with `schema`."""
        if "$ref" in schema:
            yield _resolve(self.root, schema["$ref"])
        yield from _list(schema.get("allOf"))
        if "if" in schema:
            yield schema.get("then" if self.matches(schema["if"], value, path) else "else")
        if isinstance(value, Mapping):
            for name, part in _mapping(schema.get("dependentSchemas")).items():
                if name in value:
                    yield part

    def _branches(self, schemas: object, value: object, path: Path) -> Opinions:
        branches = _list(schemas)
        if not branches:
            return _NONE
        fitting = [branch for branch in branches if self.matches(branch, value, path)]
        found: dict[Path, Opinion] = {}
        for branch in fitting or branches:
            _merge(found, self.visit(branch, value, path), Opinion.NUMBER)
        return found

    def matches(self, schema: object, value: object, path: Path) -> bool:
        """Whether `value` fits `schema`, a whole-number float counting as an integer.

        It is there to tell branches apart, so keywords it does not know count as fitting.
        """
        if not isinstance(schema, Mapping):
            return schema is not False
        key = (id(schema), path)
        if key in self.matched:
            return self.matched[key]
        self.matched[key] = True
        members = list(_all_members(value))
        self._enter(len(members))
        fits = _fits_itself(schema, value) and self._fits_parts(schema, value, path, members)
        self.depth -= 1
        self.matched[key] = fits
        return fits

    def _fits_parts(self, schema: Mapping[str, object], value: object, path: Path, members: Sequence[_Member]) -> bool:
        def fits(part: object) -> bool:
            return self.matches(part, value, path)

        any_of, one_of = _list(schema.get("anyOf")), _list(schema.get("oneOf"))
        return (
            all(fits(part) for part in self._together(schema, value, path) if part is not None)
            and (not any_of or any(fits(part) for part in any_of))
            and (not one_of or sum(fits(part) for part in one_of) == 1)
            and ("not" not in schema or not fits(schema["not"]))
            and all(self.matches(part, child, (*path, step)) for step, child, part in _members(schema, value, members))
        )


def _merge(into: dict[Path, Opinion], more: Opinions, stronger: Opinion) -> None:
    for place, opinion in more.items():
        if opinion is stronger or place not in into:
            into[place] = opinion


_Member = tuple[str | int, object]


def _all_members(value: object) -> Iterable[_Member]:
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _members(
    schema: Mapping[str, object], value: object, members: Sequence[_Member]
) -> Iterator[tuple[str | int, object, object]]:
    """Each of `members` of an object or array with each schema that applies to it (JSON Schema 2020-12, core 10.3)."""
    if isinstance(value, Mapping):
        properties = _mapping(schema.get("properties"))
        patterns = _mapping(schema.get("patternProperties"))
        others = schema.get("additionalProperties")
        for name, child in members:
            known = name in properties
            if known:
                yield name, child, properties[str(name)]
            for pattern, part in patterns.items():
                if _search(pattern, str(name)):
                    known = True
                    yield name, child, part
            if not known and others is not None:
                yield name, child, others
    elif isinstance(value, list):
        items = schema.get("items")
        first, rest = (items, schema.get("additionalItems")) if isinstance(items, list) else (None, items)
        first = _list(first) or _list(schema.get("prefixItems"))
        for index, child in members:
            part = first[index] if isinstance(index, int) and index < len(first) else rest
            if part is not None:
                yield index, child, part


def _resolve(root: Mapping[str, object], reference: object) -> object:
    """The schema a local `$ref` points to; None for a remote or broken one, which then has no opinion."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    target: object = root
    if reference == "#":
        return target
    if not reference.startswith("#/"):
        return None
    for part in unquote(reference[2:]).split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and part in target:
            target = target[part]
        elif isinstance(target, list) and part.isdecimal() and len(part) < _INDEX_DIGITS and int(part) < len(target):
            target = target[int(part)]
        else:
            return None
    return target


_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _fits_itself(schema: Mapping[str, object], value: object) -> bool:
    kind = schema.get("type")
    if isinstance(kind, str) and not _is(kind, value):
        return False
    if isinstance(kind, list) and not any(_is(one, value) for one in kind):
        return False
    if "const" in schema and not _same(schema["const"], value):
        return False
    if isinstance(enum := schema.get("enum"), list) and not any(_same(one, value) for one in enum):
        return False
    if isinstance(value, Mapping):
        required = (name for name in _list(schema.get("required")) if isinstance(name, str))
        return all(name in value for name in required) and _within(
            len(value), schema.get("minProperties"), schema.get("maxProperties")
        )
    if isinstance(value, list):
        return _within(len(value), schema.get("minItems"), schema.get("maxItems"))
    if isinstance(value, str):
        pattern = schema.get("pattern")
        return _within(len(value), schema.get("minLength"), schema.get("maxLength")) and (
            not isinstance(pattern, str) or _search(pattern, value)
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        return (
            _within(value, schema.get("minimum"), schema.get("maximum"))
            and _within(value, low, high)
            and not (_number(low) and value == low)
            and not (_number(high) and value == high)
        )
    return True


def _is(kind: object, value: object) -> bool:
    if kind == "integer":
        return _number(value) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    types = _TYPES.get(kind) if isinstance(kind, str) else None
    if types is None:
        return True
    return isinstance(value, types) and (kind == "boolean" or not isinstance(value, bool))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _within(value: float, low: object, high: object) -> bool:
    return not (
        (isinstance(low, int | float) and not isinstance(low, bool) and value < low)
        or (isinstance(high, int | float) and not isinstance(high, bool) and value > high)
    )


def _same(left: object, right: object) -> bool:
    """JSON equality (JSON Schema 2020-12, core 4.2.2): 1 equals 1.0, and true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[name], right[name]) for name in left)
    return left == right


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _search(pattern: str, text: str) -> bool:
    """Whether a schema's pattern is found in `text`, in time linear in the text; a pattern that cannot be is not."""
    validator = _pattern(pattern)
    if validator is None:
        return False
    try:
        validator.validate_python(text)  # type: ignore[attr-defined]
    except ValueError:  # pydantic-core's ValidationError is one; so is a text that is not Unicode
        return False
    return True


@functools.lru_cache(maxsize=256)
def _pattern(pattern: str) -> object | None:
    """A linear-time matcher: a schema comes from anywhere, and Python's `re` can take for ever on `(a+)+$`."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except (SchemaError, ValueError):
        return None
