"""Whether a process that has loaded scripts can be forked for each call.

It cannot where importing a script has started threads (they and the locks they
hold would be missing or stuck in the child), processes, or has opened what
several processes must not share: a connection, an event loop, a file read from
a position. Then the program starts anew, loads nothing, and each child loads
the scripts itself: still ahead of its call, but not while another call runs.
"""

import fcntl
import os
import stat
import sys
import warnings


class Resources:
    """What is open."""

    def __init__(self):
        self.descriptors = _descriptors()


def _descriptors():
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return {int(name) for name in os.listdir(folder) if _is_open(int(name))}
        except OSError:
            pass
    return set()


def _is_open(descriptor):
    """The one that lists the others is closed by now."""
    try:
        os.fstat(descriptor)
        return True
    except OSError:
        return False


def is_safe(before):
    return not (_has_threads() or _has_children() or any(map(_is_bound, _descriptors() - before.descriptors)))


def _has_threads():
    if len(sys._current_frames()) > 1:
        return True
    try:
        threads = len(os.listdir("/proc/self/task"))
        if threads == 1:
            return False
        # OpenBLAS, which numpy brings, ends its threads before a fork and starts them after it.
        with open("/proc/self/maps") as maps:
            libraries = {line.split()[-1] for line in maps if "openblas" in line.lower()}
        return threads > 1 + len(libraries) * (os.cpu_count() or 1)
    except OSError:
        return False


def _has_children():
    try:
        os.waitpid(-1, os.WNOHANG)
        return True
    except ChildProcessError:
        return False


def _is_bound(descriptor):
    """Whether children that share it would disturb each other."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
    return not (stat.S_ISDIR(mode) or stat.S_ISCHR(mode))


def fork():
    """Python 3.12 warns of any thread; those that are left are known to be safe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def start_anew(line):
    """Replaces the program by one that has loaded nothing and is told `load` by a descriptor."""
    import subprocess

    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("load", 0)
    else:
        import tempfile

        file = tempfile.TemporaryFile()
        descriptor = os.dup(file.fileno())
    with open(descriptor, "wb", closefd=False) as target:
        target.write(line)
    os.lseek(descriptor, 0, os.SEEK_SET)
    for kept in (3, 4, descriptor):
        os.set_inheritable(kept, True)
    flags = subprocess._args_from_interpreter_flags()
    program = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python.py")
    os.execv(sys.executable, [sys.executable] + flags + [program, str(descriptor)])
