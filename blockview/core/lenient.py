"""Typed values out of JSON that msgspec refuses: the same types, filled from the spans of a lax parse."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

import msgspec
import msgspec.inspect as types

from blockview.core import jsontext
from blockview.core.jsontext import Kind, Tree

T = TypeVar("T")

_MAX_TOKENS = 500_000
"""A text with more brackets and commas than this is not repaired: that would take many seconds and much memory."""


class BadRecord(ValueError):
    """A record that cannot be decoded. `is_json` says that it is JSON all the same, so there is nothing to recover."""

    def __init__(self, problem: str, *, is_json: bool = False) -> None:
        super().__init__(problem)
        self.is_json = is_json


def decode(decoder: msgspec.json.Decoder[T], data: bytes | msgspec.Raw) -> T:
    """Decode a JSON text into the decoder's type, in which `msgspec.Raw` fields hold the recorded characters.

    What recorders write beside JSON (lone surrogates, raw control characters, NaN, bytes that are not UTF-8) is
    taken, at any depth; a member of an unexpected type is left at its default.

    Raises:
        BadRecord: the text is not one JSON object or array; it says what was found.
    """
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_slowly(decoder, bytes(data))


def _decode_slowly(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    data = data.strip()
    if data[:1] not in (b"{", b"["):
        raise BadRecord("not a JSON object")
    if data[-1:] not in (b"}", b"]"):
        raise BadRecord("the record is not complete")
    if data.count(b"{") + data.count(b"[") + data.count(b",") > _MAX_TOKENS:
        raise BadRecord("the record has too many parts to be repaired", is_json=True)
    try:
        tree = jsontext.parse(data.decode("utf-8", "surrogateescape"), lax=True)
    except jsontext.JsonError as error:
        raise BadRecord(f"not JSON: {error}") from None
    built: T = build(decoder.type, tree)
    return built


def build(type_: object, tree: Tree) -> Any:
    """The value of a parsed text as `type_`; `msgspec.Raw` fields hold the recorded characters.

    A member whose value does not fit its field's type is left at the field's default.

    Raises:
        BadRecord: the value as a whole does not fit.
    """
    try:
        return _value(_info(type_), tree, 0)
    except _Misfit as error:
        raise BadRecord(str(error), is_json=True) from None


_INT_DIGITS = 4300
"""The fast decoder takes no longer integer either, and Python could not print it."""


class _Misfit(Exception):
    """A value is not of the wanted type."""


@lru_cache(maxsize=256)
def _info(type_: Any) -> types.Type:
    return types.type_info(type_)


def _value(wanted: types.Type, tree: Tree, number: int) -> Any:
    kind = tree.nodes[number].kind
    match wanted:
        case types.RawType():
            return msgspec.Raw(tree.literal(number).encode("utf-8", "surrogateescape"))
        case types.UnionType():
            return _first_that_fits(wanted.types, tree, number)
        case types.NoneType() if kind is Kind.NULL:
            return None
        case types.BoolType() if kind in (Kind.TRUE, Kind.FALSE):
            return kind is Kind.TRUE
        case types.StrType() if kind is Kind.STRING:
            return jsontext.decode_string(tree.literal(number))
        case types.IntType() if kind is Kind.INTEGER and len(tree.literal(number)) <= _INT_DIGITS:
            return jsontext.exact_int(tree.literal(number))
        case types.FloatType() if kind in jsontext.NUMBERS:
            return float(tree.literal(number))
        case types.ListType() if kind is Kind.ARRAY:
            return _items(wanted.item_type, tree, number)
        case types.VarTupleType() if kind is Kind.ARRAY:
            return tuple(_items(wanted.item_type, tree, number))
        case types.DictType() if kind is Kind.OBJECT:
            return _members(wanted.value_type, tree, number)
        case types.StructType() if kind is Kind.OBJECT:
            return _struct(wanted, tree, number)
        case types.AnyType():
            return _anything(tree, number)
    raise _Misfit(f"expected {_name(wanted)}, got {kind}")


def _name(wanted: types.Type) -> str:
    if isinstance(wanted, (types.StructType, types.DictType)):
        return "a JSON object"
    return type(wanted).__name__.removesuffix("Type").lower()


def _first_that_fits(wanted: tuple[types.Type, ...], tree: Tree, number: int) -> Any:
    for one in wanted:
        try:
            return _value(one, tree, number)
        except _Misfit:
            continue
    raise _Misfit(f"got {tree.nodes[number].kind}")


def _items(wanted: types.Type, tree: Tree, number: int) -> list[Any]:
    fitting = []
    for child in tree.children(number):
        try:
            fitting.append(_value(wanted, tree, child))
        except _Misfit:
            continue
    return fitting


def _members(wanted: types.Type, tree: Tree, number: int) -> dict[str, Any]:
    fitting = {}
    for child in tree.children(number):
        try:
            fitting[tree.nodes[child].key or ""] = _value(wanted, tree, child)
        except _Misfit:
            continue
    return fitting


def _struct(wanted: types.StructType, tree: Tree, number: int) -> Any:
    found = {tree.nodes[child].key: child for child in tree.children(number)}
    values: dict[str, Any] = {}
    for field in wanted.fields:
        child = found.get(field.encode_name)
        if child is not None:
            try:
                values[field.name] = _value(field.type, tree, child)
                continue
            except _Misfit:
                pass
        if field.required:
            raise _Misfit(f"the member {field.encode_name!r} is missing")
    return wanted.cls(**values)


def _anything(tree: Tree, number: int) -> Any:
    try:
        return jsontext.loads(tree.literal(number))
    except jsontext.JsonError as error:
        raise _Misfit(error.problem) from None
