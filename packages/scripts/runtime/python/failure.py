"""What is told of an exception: to the model its class and text, on standard error the traceback of the script."""

import io
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


# As they are, whatever a script's class has put in their place.
_name_of = type.__dict__["__name__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__


def describe(error):
    """The class of an exception and what it says."""
    try:
        detail = str(error)
    except BaseException:
        detail = ""
    return _name_of(type(error)), detail


def is_exit(error):
    """Whether it is SystemExit; `isinstance` asks `__class__`, which scripts may have replaced."""
    return issubclass(type(error), SystemExit)


def _is_foreign(traceback):
    """Whether a frame belongs to what runs the script: this program, the import system, asyncio's runner."""
    file = traceback.tb_frame.f_code.co_filename
    return file.startswith(_HERE) or file.startswith("<frozen importlib") or os.sep + "asyncio" + os.sep in file


def print_exception(error):
    """As Python prints what nothing has caught, from the first frame of the script on; SystemExit as Python says it."""
    try:
        if is_exit(error):
            if error.code is not None and not isinstance(error.code, int):
                _print_line(str(error.code))
            return
        traceback = _traceback_of(error)
        while traceback is not None and _is_foreign(traceback):
            traceback = traceback.tb_next
        BaseException.with_traceback(error, traceback)
        sys.excepthook(type(error), error, traceback)
    except BaseException:
        _print_line("%s: %s" % describe(error))


def written(error):
    """What `print_exception` prints."""
    stream, sys.stderr = sys.stderr, io.StringIO()
    try:
        print_exception(error)
        return sys.stderr.getvalue()
    finally:
        sys.stderr = stream


def _print_line(text):
    try:
        print(text, file=sys.stderr)
    except Exception:  # replaced or closed by the script
        pass


def exit_code(error):
    """The exit code of a process that ends by this SystemExit."""
    try:
        if error.code is None:
            return 0
        return int.__and__(error.code, 0xFF) if isinstance(error.code, int) else 1
    except BaseException:  # a property of the script's own class
        return 1
