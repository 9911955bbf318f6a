"""Processes that a call has left behind, also those that have left its session."""

import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class Orphans:
    """On Linux what loses its parent becomes a child of this process, and is found among its children.

    Elsewhere there is no such thing: only what stays in the group of the call is ended.
    """

    def __init__(self):
        self._prctl = None
        self._children = None
        try:
            import ctypes

            prctl = ctypes.CDLL(None).prctl
            children = "/proc/self/task/%d/children" % os.getpid()
            if prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 and os.path.exists(children):
                self._children = os.open(children, os.O_RDONLY)
            self._prctl = prctl
        except (ImportError, OSError, AttributeError):
            pass

    def die_with_parent(self):
        if self._prctl is not None:
            self._prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

    def kill(self, spared):
        """Kills all children but the spared, and those that come to light by that."""
        while True:
            pids = [pid for pid in self._list() if pid not in spared]
            if not pids:
                return
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            for pid in pids:
                try:
                    os.waitpid(pid, 0)
                except OSError:
                    pass

    def _list(self):
        if self._children is None:
            return []
        return [int(pid) for pid in os.pread(self._children, 1 << 16, 0).split()]
