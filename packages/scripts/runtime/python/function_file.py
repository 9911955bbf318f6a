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
    settings = config_of(script.module, config)
    more = _further(execute, [settings if isinstance(settings, dict) else {}, None])
    return _said(complete(execute(call["entry"], call["arguments"], settings, *more)))


def config_of(module, config):
    """What the file declares as its `SETTINGS` holds where the program's configuration says nothing else."""
    declared = getattr(module, "SETTINGS", None)
    if isinstance(declared, dict) and isinstance(config, Configuration):
        for name, value in declared.items():
            config.setdefault(name, configuration(value))
    return config


def _further(execute, given):
    """Plugins take settings and credentials, too; here there are no credentials. A default of the function's own stays."""
    code = getattr(execute, "__code__", None)
    if code is None:
        return []
    names = code.co_varnames[3 : min(code.co_argcount, 5)]
    required = code.co_argcount - len(execute.__defaults__ or ())
    known = ("plugin_settings", "settings", "credentials")
    taken = [at for at, name in enumerate(names) if at + 3 < required or name in known]
    return given[: taken[-1] + 1] if taken else []


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
