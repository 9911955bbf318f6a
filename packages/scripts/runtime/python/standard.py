"""Values of the standard library that JSON says as text or number, both ways.

| Python                       | JSON                                     |
|------------------------------|------------------------------------------|
| datetime, date, time         | text as `isoformat` gives it             |
| timedelta                    | seconds                                  |
| UUID, Path, ipaddress        | text                                     |
| Decimal, Fraction            | text; numbers are taken, too             |
| bytes, bytearray             | text in UTF-8                            |
"""

import math
import sys

from .mismatch import Mismatch


def converter(cls):
    """Of an annotation; None where the class is none of these."""
    parse = _PARSERS.get((cls.__module__.split(".")[0], cls.__name__))
    if cls in (bytes, bytearray):
        parse = _bytes
    if parse is None:
        return None

    def convert(value, path):
        try:
            return parse(cls, value)
        except Exception:
            raise Mismatch(path, "expected %s, got %r" % (cls.__name__, value if len(str(value)) < 80 else type(value)))

    return convert


def _iso(cls, value):
    if sys.version_info < (3, 11) and value.endswith(("Z", "z")):
        value = value[:-1] + "+00:00"
    return cls.fromisoformat(value)


def _text(cls, value):
    if not isinstance(value, str):
        raise TypeError
    return cls(value)


def _exact_number(cls, value):
    if isinstance(value, bool):
        raise TypeError
    return cls(str(value))


def _seconds(cls, value):
    if isinstance(value, bool):
        raise TypeError
    return cls(seconds=value)


def _bytes(cls, value):
    return cls(value.encode("utf-8", "surrogatepass"))


_PARSERS = {
    ("datetime", "datetime"): _iso,
    ("datetime", "date"): _iso,
    ("datetime", "time"): _iso,
    ("datetime", "timedelta"): _seconds,
    ("uuid", "UUID"): _text,
    ("decimal", "Decimal"): _exact_number,
    ("fractions", "Fraction"): _exact_number,
}
for _name in ("Path", "PosixPath", "PurePath", "PurePosixPath"):
    _PARSERS[("pathlib", _name)] = _text
for _name in ("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"):
    _PARSERS[("ipaddress", _name)] = _text


def _is(value, module, *names):
    return any(c.__module__.split(".")[0] == module and c.__name__ in names for c in type(value).__mro__)


def plain(value):
    """The JSON of such a value in a tuple of one; None where it is none of these. Raises ValueError where it has none."""
    if _is(value, "datetime", "datetime", "date", "time"):
        return (value.isoformat(),)
    if _is(value, "datetime", "timedelta"):
        return (value.total_seconds(),)
    if isinstance(value, (bytes, bytearray, memoryview)):
        try:
            return (bytes(value).decode("utf-8"),)
        except UnicodeDecodeError:
            raise ValueError("%s that are not UTF-8" % type(value).__name__)
    if _is(value, "decimal", "Decimal"):
        if not value.is_finite():
            raise ValueError("the Decimal %s" % value)
        return (str(value),)
    if _is(value, "uuid", "UUID") or _is(value, "fractions", "Fraction") or _is(value, "pathlib", "PurePath"):
        return (str(value),)
    if type(value).__module__ == "ipaddress":
        return (str(value),)
    if type(value).__module__.split(".")[0] == "numpy" and hasattr(value, "tolist"):
        return (value.tolist(),)
    return None


def finite(number):
    """A float as JSON has it. Raises ValueError for NaN and the infinities."""
    if math.isfinite(number):
        return number
    raise ValueError("the float %r" % number)
