"""Arguments as a function's annotations ask for them: JSON values become enum members, dataclasses, dates.

A converter takes a value and where it stands. It gives what the function gets,
or raises Mismatch. `typing`, `enum` and the like are not imported for it: where
the script has not, it has no annotation that needs them.
"""

import sys

from . import generics, standard
from .mismatch import Mismatch


def _same(value, path):
    return value


def _exactly(kind, said):
    def convert(value, path):
        if type(value) is not kind:
            raise Mismatch(path, "expected %s, got %s" % (said, said_of(value)))
        return value

    return convert


def said_of(value):
    """A JSON value's kind, for a message."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "an array", dict: "an object"}
    return names.get(type(value), "null")


def _integer(value, path):
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise Mismatch(path, "expected an integer, got %s" % said_of(value))
    return value


def _number(value, path):
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return value
    if type(value) is not float:
        raise Mismatch(path, "expected a number, got %s" % said_of(value))
    return value


def _nothing(value, path):
    if value is not None:
        raise Mismatch(path, "expected null, got %s" % said_of(value))
    return None


_array = _exactly(list, "an array")
_object = _exactly(dict, "an object")
_SIMPLE = {
    str: _exactly(str, "a text"),
    bool: _exactly(bool, "a boolean"),
    int: _integer,
    float: _number,
    type(None): _nothing,
    None: _nothing,
    object: _same,
}
_EXACT = {str: str, bool: bool, int: int, float: (int, float), type(None): type(None), None: type(None), list: list, dict: dict}


class Converters:
    """Makes converters of annotations. Classes are made once, and after their first use, for they may hold themselves."""

    def __init__(self, variables=None):
        self._classes = {}
        # Converters of what type variables stand for: in `Box[int]`, `T` of Box.
        self._variables = variables or {}

    def of(self, annotation):
        try:
            simple = _SIMPLE.get(annotation)
        except TypeError:  # not hashable: Annotated with a list, Literal of a dict
            simple = None
        if simple is not None:
            return simple
        typing = sys.modules.get("typing")
        alias = getattr(annotation, "__value__", None) if type(annotation).__name__ == "TypeAliasType" else None
        if alias is not None:
            return self._later(annotation, lambda: self.of(alias))
        if hasattr(annotation, "__supertype__"):
            return self.of(annotation.__supertype__)
        if typing is not None and isinstance(annotation, typing.TypeVar):
            if annotation in self._variables:
                return self._variables[annotation]
            return self.of(annotation.__bound__) if annotation.__bound__ is not None else _same
        if hasattr(annotation, "__metadata__"):
            return self.of(annotation.__origin__)
        origin = getattr(annotation, "__origin__", None)
        arguments = getattr(annotation, "__args__", None) or ()
        name = getattr(origin, "__name__", None) or getattr(origin, "_name", None)
        if type(annotation).__name__ == "UnionType" or (typing is not None and origin is typing.Union):
            return self._union(arguments)
        if name == "Literal":
            return _literal(arguments)
        if name in ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar"):
            return self.of(arguments[0])
        if type(origin).__name__ == "TypeAliasType":
            return self.of(origin.__value__[arguments])
        if origin is not None:
            return self._generic(origin, tuple(a for a in arguments if not _is_variable(a) or a in self._variables))
        if isinstance(annotation, type):
            return self._later(annotation, lambda: self._class(annotation))
        return _same

    def of_fields(self, cls):
        """What makes the converter of a field, of its name and annotation: type variables are those of the class that has it."""
        found = generics.owners(cls, self, Converters)
        # A TypedDict counts the annotations of those above among its own.
        order = list(reversed(found)) if hasattr(cls, "__total__") else list(found)

        def converter_of(name, annotation):
            owner = next((each for each in order if generics.declares(each, name)), cls)
            return found[owner].of(annotation)

        return converter_of

    def _later(self, key, make):
        def convert(value, path):
            made = self._classes.get(key)
            if made is None:
                made = self._classes[key] = make()
            return made(value, path)

        return convert

    def _union(self, members):
        converters = [(member, self.of(member)) for member in members]
        kinds = {_EXACT[m]: c for m, c in reversed(converters) if _is_hashable(m) and m in _EXACT and m is not float}

        def convert(value, path):
            exact = kinds.get(type(value))
            if exact is not None:
                return exact(value, path)
            reasons = []
            for _, converter in converters:
                try:
                    return converter(value, path)
                except Mismatch as mismatch:
                    reasons.append(mismatch)
            # The one that got furthest into the value says most.
            deepest = max(reasons, key=lambda mismatch: len(mismatch.path))
            if deepest.path != path or len(reasons) == 1:
                raise deepest
            raise Mismatch(path, " or ".join(dict.fromkeys(reason.reason for reason in reasons)))

        return convert

    def _generic(self, origin, arguments):
        if not isinstance(origin, type):
            return _same
        if issubclass(origin, tuple) and origin is tuple:
            return self._tuple(arguments)
        make = _collection(origin)
        if make is not None:
            return self._items(make, self.of(arguments[0]) if arguments else _same)
        mapping = _mapping(origin)
        if mapping is not None:
            key, value = arguments if len(arguments) == 2 else (str, object)
            return self._entries(mapping, key, self.of(value))
        parameters = getattr(origin, "__parameters__", ())
        if not arguments or len(parameters) != len(arguments):
            return self._later(origin, lambda: self._class(origin))
        within = Converters({parameter: self.of(argument) for parameter, argument in zip(parameters, arguments)})
        return within._later(origin, lambda: within._class(origin))

    def _items(self, make, item):
        def convert(value, path):
            converted = _array(value, path)
            if item is not _same:
                converted = [item(element, path + (index,)) for index, element in enumerate(value)]
            return _made(make, converted, path)

        return convert

    def _tuple(self, arguments):
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return self._items(tuple, self.of(arguments[0]))
        if not arguments:
            return self._items(tuple, _same)
        items = [self.of(a) for a in arguments if a != ()]

        def convert(value, path):
            if len(_array(value, path)) != len(items):
                raise Mismatch(path, "expected %d items, got %d" % (len(items), len(value)))
            return tuple(item(element, path + (index,)) for index, (item, element) in enumerate(zip(items, value)))

        return convert

    def _entries(self, make, key, item):
        key_of = _key(key, self.of(key))

        def convert(value, path):
            _object(value, path)
            if key_of is _same and item is _same:
                return _made(make, value, path)
            entries = {key_of(k, path + (k,)): item(v, path + (k,)) for k, v in value.items()}
            return _made(make, entries, path)

        return convert

    def _class(self, cls):
        from . import classes

        made = standard.converter(cls)
        if made is not None:
            return made
        if cls is tuple or _collection(cls) is not None or _mapping(cls) is not None:
            return self._generic(cls, ())
        return classes.converter(cls, self) or _same


def _is_hashable(annotation):
    try:
        hash(annotation)
        return True
    except TypeError:
        return False


def _is_variable(annotation):
    return type(annotation).__name__ == "TypeVar"


def _made(make, value, path):
    if type(value) is make:
        return value
    try:
        return make(value)
    except Exception as error:
        raise Mismatch(path, str(error))


def _literal(choices):
    def convert(value, path):
        for choice in choices:
            plain = getattr(choice, "value", choice)  # a member of an enum
            if plain == value and isinstance(plain, bool) == isinstance(value, bool):
                return choice
        raise Mismatch(path, "expected one of %s" % ", ".join(repr(getattr(c, "value", c)) for c in choices))

    return convert


def _collection(origin):
    """What makes a collection of a class or an abstract class of `collections.abc` from a list."""
    if origin in (list, set, frozenset):
        return origin
    module, name = origin.__module__, origin.__name__
    if module == "collections" and name == "deque":
        return origin
    if module == "collections.abc":
        if name in ("Sequence", "MutableSequence", "Iterable", "Collection", "Container", "Reversible"):
            return list
        if name in ("Set", "MutableSet"):
            return set
    return None


def _mapping(origin):
    if origin is dict:
        return dict
    module, name = origin.__module__, origin.__name__
    if module == "collections" and name in ("OrderedDict", "Counter"):
        return origin
    if module == "collections" and name == "defaultdict":
        return lambda value: origin(None, value)
    return dict if module == "collections.abc" and name in ("Mapping", "MutableMapping") else None


def _key(annotation, converter):
    """Keys come as text, whatever they are in Python."""
    if converter is _same or annotation is str:
        return _same
    if annotation in (int, float, bool):
        import json

        def convert(key, path):
            try:
                return converter(json.loads(key), path)
            except ValueError:
                raise Mismatch(path, "the key is no %s" % annotation.__name__)

        return convert
    return converter
