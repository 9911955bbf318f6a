"""Arguments for classes that have fields: enums, dataclasses, named tuples, TypedDicts, models of pydantic."""

import sys

from .mismatch import Mismatch


def converter(cls, converters):
    """None where the class is none of these: the function then gets the JSON value as it is."""
    enum = sys.modules.get("enum")
    if enum is not None and issubclass(cls, enum.Enum):
        return _enum(cls)
    if hasattr(cls, "model_validate") or hasattr(cls, "parse_obj"):
        return _model(getattr(cls, "model_validate", None) or cls.parse_obj)
    if hasattr(cls, "__dataclass_fields__"):
        return _dataclass(cls, converters)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(cls, converters)
    if issubclass(cls, dict) and hasattr(cls, "__total__"):
        return _typed_dict(cls, converters)
    if hasattr(cls, "__get_pydantic_core_schema__") and "pydantic" in sys.modules:  # SecretStr, HttpUrl
        return _model(sys.modules["pydantic"].TypeAdapter(cls).validate_python)
    return None


def _enum(cls):
    def convert(value, path):
        try:
            return cls(value)
        except ValueError:
            pass
        if isinstance(value, str) and value in cls.__members__:
            return cls.__members__[value]
        raise Mismatch(path, "expected one of %s" % ", ".join(repr(member.value) for member in cls))

    return convert


def _model(validate):
    def convert(value, path):
        try:
            return validate(value)
        except Exception as error:
            try:
                first = error.errors()[0]
                where, reason = tuple(first["loc"]), first["msg"]
            except Exception:
                where, reason = (), str(error)
            raise Mismatch(path + where, reason)

    return convert


def hints(owner):
    """The annotations of a class or function, evaluated; those that cannot be are left out."""
    import typing

    extras = {"include_extras": True} if sys.version_info >= (3, 9) else {}
    try:
        return typing.get_type_hints(owner, **extras)
    except Exception:
        return _hints_one_by_one(owner)


def _hints_one_by_one(owner):
    import typing

    scope = dict(getattr(sys.modules.get(owner.__module__), "__dict__", {}), **getattr(owner, "__globals__", {}))
    found = {}
    for name, annotation in getattr(owner, "__annotations__", {}).items():
        try:
            found[name] = eval(annotation, scope) if isinstance(annotation, str) else annotation
        except Exception:
            # Newer syntax than this Python has, or a name that is imported for type checkers only.
            if "None" in annotation or "Optional[" in annotation:
                found[name] = typing.Optional[typing.Any]
    return found


def _made(make, path):
    try:
        return make()
    except Exception as error:  # what the class itself refuses, in __post_init__ or __new__
        raise Mismatch(path, "%s: %s" % (type(error).__name__, error))


def _fields(value, path, converters, required, is_open=False):
    """The fields of an object, each converted."""
    if type(value) is not dict:
        raise Mismatch(path, "expected an object")
    for name in required:
        if name not in value:
            raise Mismatch(path + (name,), "is missing")
    converted = {}
    for name, item in value.items():
        convert = converters.get(name)
        if convert is None and not is_open:
            raise Mismatch(path + (name,), "is unknown; expected one of %s" % ", ".join(converters))
        converted[name] = item if convert is None else convert(item, path + (name,))
    return converted


def _dataclass(cls, converters):
    annotations = hints(cls)
    converter_of = converters.of_fields(cls)
    missing = sys.modules["dataclasses"].MISSING
    of, required = {}, []
    for name, field in cls.__dataclass_fields__.items():
        kind = field._field_type.name  # _FIELD, _FIELD_INITVAR or _FIELD_CLASSVAR
        if kind == "_FIELD_CLASSVAR" or not field.init:
            continue
        annotation = annotations.get(name, object)
        of[name] = converter_of(name, getattr(annotation, "type", object) if kind == "_FIELD_INITVAR" else annotation)
        if field.default is missing and field.default_factory is missing:
            required.append(name)

    def convert(value, path):
        fields = _fields(value, path, of, required)
        return _made(lambda: cls(**fields), path)

    return convert


def _named_tuple(cls, converters):
    annotations = hints(cls)
    of = {name: converters.of(annotations.get(name, object)) for name in cls._fields}
    required = [name for name in cls._fields if name not in cls._field_defaults]

    def convert(value, path):
        if type(value) is list and len(value) <= len(cls._fields):
            value = dict(zip(cls._fields, value))
        fields = _fields(value, path, of, required)
        return _made(lambda: cls(**fields), path)

    return convert


def _typed_dict(cls, converters):
    annotations = hints(cls)
    converter_of = converters.of_fields(cls)
    of = {name: converter_of(name, annotation) for name, annotation in annotations.items()}
    seen = getattr(cls, "__required_keys__", of if cls.__total__ else ())
    # Where annotations are texts (`from __future__ import annotations`), Python itself has not seen the markers.
    markers = {"Required": True, "NotRequired": False}
    required = [name for name in of if markers.get(_requirement(annotations[name]), name in seen)]
    return lambda value, path: _fields(value, path, of, required, is_open=True)


def _requirement(annotation):
    origin = getattr(annotation, "__origin__", None)
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
    if name == "ReadOnly":
        return _requirement(annotation.__args__[0])
    return _requirement(origin) if hasattr(annotation, "__metadata__") else name
