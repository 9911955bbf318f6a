"""What is told of an exception: to the model its class and text, on standard error the traceback of the script."""

import io
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def describe(error):
    """The class of an exception and what it says."""
    try:
        detail = str(error)
    except Exception:
        detail = ""
    return type(error).__name__, detail


def _is_foreign(traceback):
    """Whether a frame belongs to what runs the script: this program, the import system, asyncio's runner."""
    file = traceback.tb_frame.f_code.co_filename
    return file.startswith(_HERE) or file.startswith("<frozen importlib") or os.sep + "asyncio" + os.sep in file


def print_exception(error):
    """As Python prints what nothing has caught, from the first frame of the script on; SystemExit as Python says it."""
    if isinstance(error, SystemExit):
        if error.code is not None and not isinstance(error.code, int):
            _print_line(str(error.code))
        return
    traceback = error.__traceback__
    while traceback is not None and _is_foreign(traceback):
        traceback = traceback.tb_next
    try:
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
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
    if error.code is None:
        return 0
    return error.code & 0xFF if isinstance(error.code, int) else 1
