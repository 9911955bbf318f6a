"""Serves each call in a child that was forked when the scripts had been loaded.

Two children are there at a time: one waits for a call or runs it, the next
waits for its turn, so that a call does not wait for a fork. What the two tell
their parent stands in memory that they share: a child that dies can say nothing
more, and its parent must know the marker.
"""

import gc
import mmap
import os
import signal
import sys
import time

from . import channel, chance, safety, serve
from .orphans import Orphans
from .program import Loaded

WAITING, CALLED, ANSWERING, ANSWERED = range(4)


class _Slot:
    """Where a child tells how far it is, its state and the marker of its call, and where it is told that its turn has come."""

    SIZE = 256

    def __init__(self, memory, index):
        self.turn, self.give_turn = os.pipe()  # one for each: the other child does not take it
        self._memory = memory
        self._start = index * self.SIZE

    def clear(self):
        self._memory[self._start] = WAITING

    def touch(self):
        """Has its page of memory: nobody reads the last byte."""
        self._memory[self._start + self.SIZE - 1] = 0

    def called(self, marker):
        data = marker.encode("utf-8")[: self.SIZE - 3]
        self._memory[self._start + 2 : self._start + 2 + len(data)] = data
        self._memory[self._start + 1] = len(data)
        self._memory[self._start] = CALLED

    def answering(self):
        self._memory[self._start] = ANSWERING

    def answered(self):
        self._memory[self._start] = ANSWERED

    @property
    def state(self):
        return self._memory[self._start]

    @property
    def marker(self):
        length = self._memory[self._start + 1]
        return self._memory[self._start + 2 : self._start + 2 + length].decode("utf-8")


class _Child:
    def __init__(self, pid, slot):
        self.pid = pid
        self.slot = slot


class Server:
    """`is_late`: children load the scripts themselves, one child at a time (safety.py says when)."""

    def __init__(self, load, is_late):
        self._loaded = Loaded(load)
        self._is_late = is_late
        self._orphans = Orphans()
        memory = mmap.mmap(-1, 2 * _Slot.SIZE)
        self._slots = [_Slot(memory, 0), _Slot(memory, 1)]
        self._chance = None

    def load(self):
        """Whether children may be forked from what has been loaded."""
        before = safety.Resources()
        self._loaded.load(is_told=True)
        if not safety.is_safe(before):
            self._orphans.kill(())
            return False
        self._chance = chance.Chance(self._loaded.scripts)
        gc.collect()
        gc.freeze()
        return True

    def serve(self):
        child = self._fork()
        while True:
            os.write(child.slot.give_turn, b".")
            following = None if self._is_late else self._fork()
            code, ended_by = self._await_end(child.pid)
            self._orphans.kill(() if following is None else (following.pid,))
            self._close(child.slot, code, ended_by)
            child = following or self._fork()

    def _fork(self):
        slot = self._slots.pop(0)
        slot.clear()
        for patience in (0.01, 0.1, 1, None):
            try:
                pid = safety.fork()
                break
            except OSError:  # as many processes as may be
                if patience is None:
                    raise
                time.sleep(patience)
        if pid == 0:
            self._run(slot)
        self._slots.append(slot)
        return _Child(pid, slot)

    def _run(self, slot):
        """The child."""
        status = 1
        try:
            os.setsid()
            self._orphans.die_with_parent()
            for each in self._slots + [slot]:
                os.close(each.give_turn)
            if self._chance is not None:
                self._chance.renew()
            serve.rehearse(self._loaded, slot)
            if os.read(slot.turn, 1):
                if self._is_late:
                    self._loaded.load(is_told=False)
                serve.one(self._loaded, slot, self._is_late)
            status = 0
        except BaseException as error:
            sys.__excepthook__(type(error), error, error.__traceback__)
            channel.flush()
        finally:
            os._exit(status)

    def _await_end(self, pid):
        """Its exit code or the signal that ended it; what is left of its process group is ended, too."""
        if hasattr(os, "waitid"):  # still a zombie, so that no other group can have its number
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            _end_group(pid)
            _, status = os.waitpid(pid, 0)
        else:
            _, status = os.waitpid(pid, 0)
            _end_group(pid)
        if os.WIFSIGNALED(status):
            return None, signal.Signals(os.WTERMSIG(status)).name
        return os.WEXITSTATUS(status), None

    def _close(self, slot, code, ended_by):
        """Says how a child has ended that did not say so itself."""
        if slot.state == CALLED:
            answer = {"type": "exited", "code": code, "signal": ended_by}
            channel.end_output(answer, slot.marker, is_followed=self._is_late)
            channel.reply(answer)
        elif slot.state == ANSWERING or (slot.state == WAITING and code is not None):
            # Half an answer, the end of descriptor 3, or a fault of this program: Wield sees that it has ended.
            os._exit(code or 0)


def _end_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def serve_calls(load, line, is_late):
    server = Server(load, is_late)
    if not is_late and not server.load():
        safety.start_anew(line)
    server.serve()
