"""One call: from what Wield has sent to the answer, without ending the process."""

import os

from . import failure, function_file
from .mismatch import Mismatch
from .result import Unreadable, plain


def answer(loaded, call, run_awaitable):
    """The answer, without `isMarked`. What the script raises and what it exits with are answers, too."""
    script = loaded.script(call["file"])
    if script is None:
        return _failed(call["file"], "KeyError", "the program was not given this script")
    if script.failure is not None:
        script.print_traceback()
        return _failed(script.file, *script.failure)
    try:
        if loaded.is_function_file:
            return function_file.answer(script, call, loaded.config, lambda value: _complete(value, run_awaitable))
        function, arguments = loaded.function(script, call["entry"])
        if function is None:
            detail = "%s has no function %s" % (os.path.basename(script.file), call["entry"])
            return _failed(script.file, "AttributeError", detail)
        try:
            values = arguments.convert(call["arguments"])
        except Mismatch as mismatch:
            return {"type": "argument", "detail": mismatch.text()}
        return said(_complete(function(**values), run_awaitable))
    except SystemExit as error:
        failure.print_exception(error)
        return {"type": "exited", "code": failure.exit_code(error), "signal": None}
    except BaseException as error:
        failure.print_exception(error)
        name, detail = failure.describe(error)
        return {"type": "raised", "error": name, "detail": detail}


def _failed(file, error, detail):
    return {"type": "failed", "file": file, "error": error, "detail": detail}


def _complete(value, run_awaitable):
    """What is left to run of a result: a coroutine is awaited, a generator is run to its end and is a list."""
    kind = type(value).__name__
    if kind == "async_generator":
        return run_awaitable(_collected(value))
    if hasattr(type(value), "__await__"):
        return _complete(run_awaitable(_awaited(value)), run_awaitable)
    return list(value) if kind == "generator" else value


async def _collected(generator):
    return [item async for item in generator]


async def _awaited(awaitable):
    return await awaitable


def said(value):
    """The answer that says a result."""
    if value is None:
        return {"type": "none"}
    if type(value) is str:
        return {"type": "text", "text": value}
    try:
        json = plain(value)
    except Unreadable as error:
        return {"type": "unreadable", "detail": str(error)}
    except RecursionError:
        return {"type": "unreadable", "detail": "it is nested too deeply"}
    except MemoryError:
        raise
    except Exception as error:  # a property or a serializer of the script's own classes
        return {"type": "unreadable", "detail": "%s: %s" % failure.describe(error)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"type": "text", "text": json}
    return {"type": "value", "value": json}
