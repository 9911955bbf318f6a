"""What type variables stand for in the classes that a class inherits from: in `class Named(Box[Point])`, `T` of Box."""

import sys


def owners(cls, converters, make):
    """The class itself and those above it, nearest first, each with its converters; `make` makes some of variables."""
    found = {cls: converters}
    waiting = [cls]
    while waiting:
        below = waiting.pop(0)
        for base in vars(below).get("__orig_bases__", below.__bases__):
            above = getattr(base, "__origin__", base)
            if not isinstance(above, type) or above in found:
                continue
            parameters = getattr(above, "__parameters__", ())
            arguments = getattr(base, "__args__", ())
            if len(parameters) != len(arguments):
                arguments = parameters = ()
            found[above] = make({p: found[below].of(a) for p, a in zip(parameters, arguments)})
            waiting.append(above)
    return found


def declares(cls, name):
    """Whether the annotation of a field is its own."""
    try:
        own = vars(cls).get("__annotations__")
        # Python 3.14 has them made when they are asked for; before 3.10, asking may give those of a class above.
        if own is None and sys.version_info >= (3, 14):
            own = cls.__annotations__
        return name in (own or ())
    except Exception:
        return False
