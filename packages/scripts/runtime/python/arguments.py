"""The arguments of a call, as the function's parameters ask for them."""

import sys

from .classes import hints
from .convert import Converters

_converters = Converters()


class Arguments:
    """Of one function; made once, when its script is loaded."""

    def __init__(self, function):
        target = function
        while hasattr(target, "__wrapped__"):
            target = target.__wrapped__
        annotations = hints(target) if getattr(target, "__annotations__", None) else {}
        names, optional = _parameters(target)
        self._of = {}
        self._absent = []
        for name in names:
            annotation = annotations.get(name)
            if annotation is None:
                continue
            self._of[name] = (_converters.of(annotation), name in optional and optional[name] is None)
            if name not in optional and _takes_none(annotation):
                self._absent.append(name)

    def convert(self, arguments):
        """Raises Mismatch."""
        converted = {name: self._one(name, value) for name, value in arguments.items()}
        for name in self._absent:
            converted.setdefault(name, None)
        return converted

    def touch(self):
        """Has the memory of what converts, without having it convert."""
        held = [each for of in self._of.items() for each in of] + self._absent
        held.clear()

    def _one(self, name, value):
        converter, is_nullable = self._of.get(name, (None, True))
        if converter is None or (value is None and is_nullable):
            return value
        return converter(value, (name,))


def _parameters(function):
    """The names that can be given, and the defaults of those that have one."""
    code = getattr(function, "__code__", None)
    if code is None:
        return (), {}
    positional = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    values = function.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(values) :], values))
    defaults.update(function.__kwdefaults__ or {})
    return positional + named, defaults


def _takes_none(annotation):
    if type(annotation).__name__ == "TypeAliasType":
        return _takes_none(annotation.__value__)
    if hasattr(annotation, "__metadata__"):
        return _takes_none(annotation.__origin__)
    typing = sys.modules["typing"]
    if getattr(annotation, "__origin__", None) is getattr(typing, "Literal", typing):
        return None in annotation.__args__
    is_union = type(annotation).__name__ == "UnionType" or getattr(annotation, "__origin__", None) is typing.Union
    return annotation is type(None) or (is_union and any(_takes_none(a) for a in annotation.__args__))
