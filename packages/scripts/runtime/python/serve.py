"""Serves calls in this process: one that ends with it, or many that share its state."""

import _thread
import atexit
import os
import sys

from . import call as calls
from . import channel
from .arguments import Arguments

_getpid = os.getpid
_exit = os._exit
_BEGINNING = '{"marker":"'


class Unwatched:
    """Where nobody is told how far a call is (in `fork`, the parent is)."""

    def called(self, marker):
        pass

    def answering(self):
        pass

    def answered(self):
        pass


def one(loaded, watcher, is_late=False):
    """Says ready, serves a call and does what a Python that ends does: threads are awaited, `atexit` runs."""
    process = _getpid()
    group = os.getpgrp()
    channel.reply({"type": "ready", "pid": group})
    call = _next(watcher)
    if call is None:
        return
    channel.die_with_wield(group)
    answer = _answer(loaded, call, _run_once)
    if _getpid() != process:
        _end_fork(answer)
    _end()
    channel.die_with_wield(0)
    # The next child prints while it loads.
    channel.end_output(answer, call["marker"], is_followed=is_late)
    watcher.answering()
    channel.reply(answer)
    watcher.answered()


def many(loaded):
    """Serves calls until Wield ends it."""
    process = _getpid()
    group = os.getpgrp()
    run_awaitable = _Loop().run
    while True:
        channel.reply({"type": "ready", "pid": group})
        call = _next(Unwatched())
        if call is None:
            return
        channel.die_with_wield(group)
        before = {name: os.environ.get(name) for name in call["environment"]}
        answer = _answer(loaded, call, run_awaitable)
        if _getpid() != process:
            _end_fork(answer)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        channel.flush()
        channel.die_with_wield(0)
        channel.end_output(answer, call["marker"])
        channel.reply(answer)


def _next(watcher):
    """The next call, or None at the end."""
    line = channel.read_line()
    if line is None:
        return None
    text = line.decode("utf-8", "surrogatepass")
    # Its line begins with the marker: it is known even if the arguments cannot be taken.
    marker = text[len(_BEGINNING) : text.index('"', len(_BEGINNING))]
    watcher.called(marker)
    try:
        return channel.decode(text)
    except (RecursionError, MemoryError) as error:
        return {"marker": marker, "environment": {}, "undecodable": type(error).__name__}


def _answer(loaded, call, run_awaitable):
    if "undecodable" in call:
        return {"type": "argument", "detail": "the arguments are nested too deeply or too large (%s)" % call["undecodable"]}
    os.environ.update(call["environment"])
    script = loaded.script(call["file"])
    several = script is not None and len(loaded.scripts) > 1
    if several:
        script.enter()
    try:
        return calls.answer(loaded, call, run_awaitable)
    finally:
        if several:
            script.leave()


def _run_once(awaitable):
    import asyncio

    return asyncio.run(awaitable)


class _Loop:
    """One event loop for all calls: connections that a script keeps belong to it."""

    def __init__(self):
        self.loop = None

    def run(self, awaitable):
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(awaitable)


def _end():
    """What Python does before it ends, so that what it writes belongs to the call. To find nothing to do costs more than most calls."""
    threading = sys.modules.get("threading")
    try:
        if threading is not None and (_thread._count() > 0 or getattr(threading, "_threading_atexits", None)):
            threading._shutdown()
    except BaseException:
        pass
    try:
        if _exit_functions() > 0:
            atexit._run_exitfuncs()
    except BaseException:
        pass
    channel.flush()


_exit_functions = getattr(atexit, "_ncallbacks", lambda: 1)


def _end_fork(answer):
    """The script has forked, and this is the other process, come to its end: it answers nothing."""
    _end()
    _exit(answer.get("code") or int(answer["type"] == "raised"))


_REHEARSED = '{"marker":"m","file":"","entry":"run","environment":{%s},"arguments":{"a":[1,"b",0.5]}}'
_NAMES = ("WIELD_REHEARSAL_1", "WIELD_REHEARSAL_2", "WIELD_REHEARSAL_3")


def rehearse(loaded, watcher):
    """Does what a call does, without a call.

    A forked process has its memory page by page when it first writes or runs it,
    some 180 pages and 300 microseconds a call. A child that waits for its turn has
    the time to do that before.
    """
    watcher.touch()
    loaded.touch()
    channel.rehearse()
    call = channel.decode(_REHEARSED % ",".join('"%s":"%s"' % (name, "x" * 64) for name in _NAMES))
    os.environ.update(call["environment"])
    for name in _NAMES:
        del os.environ[name]
    answer = calls.answer(_rehearsal, call, _run_once)
    _exit_functions()
    _thread._count()
    answer["isRead"] = channel.is_read()
    channel.encode(answer).encode("ascii")
    channel.flush()


class _Rehearsal:
    """Scripts with one function."""

    is_function_file = False
    failure = None

    def __init__(self):
        self._arguments = Arguments(_rehearsed)

    def script(self, file):
        return self

    def function(self, script, name):
        return _rehearsed, self._arguments


def _rehearsed(a: list = None):
    return {"a": a}


_rehearsal = _Rehearsal()
