"""What a function returned, as JSON.

| Python                                              | JSON                                            |
|-----------------------------------------------------|-------------------------------------------------|
| None, bool, str, int, float                         | as they are                                     |
| int of which JavaScript would lose digits           | text                                            |
| dict, other mappings, SimpleNamespace               | object; keys that are no text, as JSON says them |
| list, tuple, deque, range, views, generators        | array                                           |
| set, frozenset                                      | array, sorted where it can be                   |
| dataclass, named tuple, attrs class                 | object of its fields                            |
| model of pydantic                                   | object, as the model says it in JSON            |
| Enum                                                | its value                                       |
| dates, UUID, Path, Decimal, bytes, arrays of numpy  | see standard.py                                 |

Anything else, NaN, the infinities and what holds itself raise Unreadable.
"""

import sys

from . import standard
from .mismatch import path_text

_EXACT = 2**53 - 1
_ITERATORS = (type(x for x in ()), type(map(str, ())), type(filter(None, ())), type(zip()), type(range(0)))
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))


class Unreadable(Exception):
    def __init__(self, what, path):
        super().__init__("%s%s cannot be said in JSON" % (what, " at " + path_text(path) if path else ""))


def plain(value):
    return _Walk().plain(value)


def _is_kept(number):
    """Whether JavaScript, which has the nearest float, writes the same digits: so it does with those that it has sent."""
    if not -(10**21) < number < 10**21:
        return False
    digits, _, exponent = repr(float(abs(number))).partition("e+")
    if exponent:
        digits = digits.replace(".", "").ljust(int(exponent) + 1, "0")
    return digits == "%d" % abs(number) or digits == "%d.0" % abs(number)


def digits(number):
    """The digits of an integer, however many: Python 3.11 and later refuse `str` of more than 4,300."""
    try:
        return str(number)
    except ValueError:
        pass
    from decimal import MAX_EMAX, MAX_PREC, Context

    return format(Context(prec=MAX_PREC, Emax=MAX_EMAX).create_decimal(number), "f")


class _Walk:
    """One walk through a result: where it is, and what it is within."""

    def __init__(self):
        self.path = []
        self.above = set()

    def plain(self, value):
        kind = type(value)
        if value is None or kind is str or kind is bool:
            return value
        if kind is int:
            return value if -_EXACT <= value <= _EXACT or _is_kept(value) else digits(value)
        try:
            if kind is float:
                return standard.finite(value)
            return self._container(value)
        except ValueError as error:
            raise Unreadable(str(error), self.path)

    def _container(self, value):
        kind = type(value)
        if kind is list:
            return self._items(value, value)
        if kind is dict:
            return self._entries(value, value)
        return self._other(value)

    def _enter(self, owner):
        if id(owner) in self.above:
            raise Unreadable("a %s that holds itself" % type(owner).__name__, self.path)
        self.above.add(id(owner))

    def _items(self, items, owner):
        self._enter(owner)
        path, said = self.path, []
        path.append(0)
        for index, item in enumerate(items):
            if type(item) is str or item is None:
                said.append(item)
            else:
                path[-1] = index
                said.append(self.plain(item))
        path.pop()
        self.above.discard(id(owner))
        return said

    def _entries(self, entries, owner):
        self._enter(owner)
        path, said = self.path, {}
        path.append("")
        for key, item in entries.items():
            name = key if type(key) is str else self._key(key)
            if name in said:
                raise Unreadable("an object with two keys %r" % name, path[:-1])
            path[-1] = name
            said[name] = self.plain(item)
        path.pop()
        self.above.discard(id(owner))
        return said

    def _key(self, key):
        said = None if isinstance(key, (list, tuple, dict, set, frozenset)) else self.plain(key)
        if isinstance(said, str):
            return said
        if key is None:
            return "null"
        if isinstance(said, bool):
            return "true" if said else "false"
        if isinstance(said, (int, float)):
            return repr(said)
        raise Unreadable("a key that is a %s" % type(key).__name__, self.path[:-1])

    def _other(self, value):
        kind = type(value)
        enum = sys.modules.get("enum")
        if enum is not None and isinstance(value, enum.Enum):
            return self.plain(value.value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return self.plain(int(value))
        if isinstance(value, float):
            return standard.finite(float(value))
        said = standard.plain(value)
        if said is not None:
            return self.plain(said[0])
        if isinstance(value, type):
            raise Unreadable("the class %s" % value.__name__, self.path)
        fields = _fields(value)
        if fields is not None:
            return self._entries(fields, value)
        if isinstance(value, (set, frozenset)):
            return self._items(_sorted(value), value)
        if isinstance(value, (list, tuple) + _ITERATORS + _VIEWS) or kind.__name__ == "deque":
            return self._items(value, value)
        if hasattr(kind, "__get_pydantic_core_schema__") and "pydantic" in sys.modules:  # HttpUrl
            return self.plain(sys.modules["pydantic"].TypeAdapter(kind).dump_python(value, mode="json"))
        abstract = sys.modules.get("collections.abc")
        if isinstance(value, dict) or (abstract is not None and isinstance(value, abstract.Mapping)):
            return self._entries(value, value)
        if abstract is not None and isinstance(value, abstract.Sequence):
            return self._items(value, value)
        raise Unreadable("%s %s" % ("an" if kind.__name__[0] in "AEIOUaeiou" else "a", kind.__name__), self.path)


def _sorted(values):
    try:
        return sorted(values)
    except TypeError:  # of several kinds: in the order they come
        return list(values)


def _fields(value):
    """The fields of an object that has declared ones, or None."""
    kind = type(value)
    if hasattr(kind, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(kind, "__dataclass_fields__"):
        shown = value.__dataclass_fields__.values()
        return {field.name: getattr(value, field.name) for field in shown if field._field_type.name == "_FIELD"}
    if hasattr(kind, "__fields__") and hasattr(kind, "parse_obj"):  # pydantic 1
        import json

        return json.loads(value.json(by_alias=True))
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return dict(zip(kind._fields, value))
    if hasattr(kind, "__attrs_attrs__"):
        return {attribute.name: getattr(value, attribute.name) for attribute in kind.__attrs_attrs__}
    if kind is type(sys.implementation):  # SimpleNamespace
        return vars(value)
    return None
