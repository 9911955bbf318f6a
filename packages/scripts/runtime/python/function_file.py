"""Function files: several tools behind one `execute(function_name, arguments, config)`."""

import os

from .result import Unreadable, plain


class Configuration(dict):
    """An object with attributes that is a dict as well: `config.theme`, `config["theme"]`, `config.get("theme")`."""

    def __init__(self, entries):
        super().__init__((name, configuration(value)) for name, value in entries.items())
        self.__dict__ = self


def configuration(value):
    if isinstance(value, dict):
        return Configuration(value)
    if isinstance(value, list):
        return [configuration(item) for item in value]
    return value


def answer(script, call, config, complete):
    if call["entry"] == "__tools__":
        declared = vars(script.module)
        tools = {name: declared[name] for name in ("ENABLED", "AVAILABLE_FUNCTIONS", "TOOLS") if name in declared}
        try:
            return {"type": "value", "value": plain(tools)}
        except Unreadable as error:
            return {"type": "unreadable", "detail": str(error)}
    execute = script.function("execute")
    if execute is None:
        detail = "%s has no function execute" % os.path.basename(script.file)
        return {"type": "failed", "file": script.file, "error": "AttributeError", "detail": detail}
    more = [None] * (_positional(execute) - 3)
    return _said(complete(execute(call["entry"], call["arguments"], config, *more)))


def _positional(execute):
    """Later versions hand over settings and credentials, too, to functions that take them; here there are none."""
    code = getattr(execute, "__code__", None)
    required = code.co_argcount - len(execute.__defaults__ or ()) if code is not None else 3
    return min(max(required, 3), 5)


def _said(result):
    """A text or a number alone is a success; what else is alone may be a mistake, such as a forgotten `return`."""
    if isinstance(result, (str, int, float)) and not isinstance(result, bool):
        result = (result, True)
    if isinstance(result, (tuple, list)) and len(result) == 2:
        value, success = result
        if isinstance(success, bool) and not isinstance(value, bool):
            try:
                return {"type": "value", "value": [plain(value), success]}
            except Unreadable as error:
                return {"type": "unreadable", "detail": str(error)}
        shape = "(%s, %s)" % (type(value).__name__, type(success).__name__)
    else:
        shape = type(result).__name__
    return {"type": "unreadable", "detail": "execute returned %s; it returns (text, success), and success is a bool" % shape}
