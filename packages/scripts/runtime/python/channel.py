"""What is said to Wield and heard from it: lines of JSON on descriptors 3 and 4, markers on 1 and 2."""

import fcntl
import os
import stat
import sys
from array import array
from termios import FIONREAD

CALLS = 3
REPLIES = 4

# Held from the beginning: scripts may replace what `json` and `os` have under these names.
_read = os.read
_write = os.write
_ioctl = fcntl.ioctl
_fcntl = fcntl.fcntl
_fstat = os.fstat
_exit = os._exit
_replies = []
try:
    # The parts in C of `json`, without the rest: it takes 4 ms to import.
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    class _Scanner:
        strict = True
        object_hook = object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float

    def _unknown(value):
        raise TypeError(type(value).__name__)

    _scan = make_scanner(_Scanner)
    # Without the markers that find cycles: results are known to have none.
    _encoder = make_encoder(None, _unknown, encode_basestring_ascii, None, ":", ",", False, False, False)

    def encode(value):
        """The JSON of a value, ASCII only: lone surrogates are said as escapes, no line ends in it."""
        if isinstance(value, str):
            return encode_basestring_ascii(value)
        return "".join(_encoder(value, 0))

except ImportError:  # another Python than CPython
    import json

    _scan = json.JSONDecoder().scan_once
    encode = json.JSONEncoder(separators=(",", ":")).encode


def decode(text):
    return _scan(text, 0)[0]


def _identity(descriptor):
    status = _fstat(descriptor)
    return status.st_dev, status.st_ino


def keep_to_itself():
    """What scripts start does not inherit the descriptors."""
    _replies.append(_identity(REPLIES))
    os.set_inheritable(CALLS, False)
    os.set_inheritable(REPLIES, False)


def read_line():
    """The next line without its end, or None where Wield has closed the descriptor.

    Nothing beyond the line is read: Wield writes the next call only when it was told `ready`.
    """
    # Most lines are short; for what may be large, Python has to ask for memory and give it back.
    chunk = _read(CALLS, 8192)
    if chunk.endswith(b"\n"):
        return chunk[:-1]
    chunks = []
    while chunk:
        chunks.append(chunk)
        if chunk.endswith(b"\n"):
            return b"".join(chunks)[:-1]
        chunk = _read(CALLS, 1 << 20)
    return None


def read_all(descriptor):
    chunks = iter(lambda: _read(descriptor, 1 << 20), b"")
    data = b"".join(chunks)
    os.close(descriptor)
    return data


def write_all(descriptor, data):
    """Writes all of it; a pipe takes what it has room for."""
    written = _write(descriptor, data)
    if written == len(data):
        return
    rest = memoryview(data)[written:]
    while rest:
        rest = rest[_write(descriptor, rest) :]


def reply(message):
    """Tells Wield. Ends the process where Wield is gone, or the script has closed the descriptor and may have opened another."""
    try:
        if _identity(REPLIES) == _replies[0]:
            return write_all(REPLIES, encode(message).encode("ascii") + b"\n")
    except OSError:
        pass
    _exit(1)


def watch():
    """
    Lets what happens on descriptor 4 raise SIGIO, for no process yet.

    Not on descriptor 3: the signal for a call may come when the call was read already, and would end it. Wield writes
    nothing to descriptor 4.
    """
    try:
        _fcntl(REPLIES, fcntl.F_SETOWN, 0)
        _fcntl(REPLIES, fcntl.F_SETFL, _fcntl(REPLIES, fcntl.F_GETFL) | os.O_ASYNC)
    except (AttributeError, OSError):  # a system without it: calls run on to their end
        pass


def die_with_wield(group):
    """
    While a call runs, SIGIO ends its process group when Wield is gone. 0: no call runs.

    It is 0 again before an answer: the signal also comes when a full descriptor has room again.
    """
    try:
        _fcntl(REPLIES, fcntl.F_SETOWN, -group)
    except OSError:
        pass


def rehearse():
    """Asks the system what a call asks it, and changes nothing."""
    try:
        _fcntl(REPLIES, fcntl.F_GETOWN)
        _identity(REPLIES)
    except OSError:
        pass


def prepare_streams():
    """Text is UTF-8 whatever the locale, and a line is told when it is printed."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(encoding="utf-8", errors=stream.errors, line_buffering=True)


def flush():
    own = (sys.__stdout__, sys.__stderr__)
    for stream in own if (sys.stdout, sys.stderr) == own else (sys.stdout, sys.stderr) + own:
        try:
            stream.flush()
        except Exception:  # replaced, closed or detached by the script
            pass
    _flush_c()


_c_library = []


def _flush_c():
    """What libraries in C have printed by themselves stands in buffers of their own. Only where `ctypes` is there anyway."""
    try:
        if not _c_library and "ctypes" in sys.modules:
            _c_library.append(sys.modules["ctypes"].CDLL(None))
        for library in _c_library:
            library.fflush(None)
    except Exception:
        pass


def _pipe(descriptor):
    """Which pipe a descriptor is; None where it is none."""
    try:
        return _identity(descriptor) if stat.S_ISFIFO(_fstat(descriptor).st_mode) else None
    except OSError:
        return None


_pipes = (_pipe(1), _pipe(2))
_are_pipes = None not in _pipes
_unread = array("i", [0])


def is_read():
    """Whether Wield has read all that was written to standard output and standard error; known of its pipes only."""
    if not _are_pipes:
        return False
    try:
        for descriptor, pipe in zip((1, 2), _pipes):
            if _identity(descriptor) != pipe:  # the script has put something in its place
                return False
            _ioctl(descriptor, FIONREAD, _unread)
            if _unread[0] != 0:
                return False
        return True
    except OSError:
        return False


def end_output(answer, marker, is_followed=False):
    """
    Says in the answer how Wield knows what the call has printed, and ends it with markers where pipes do not tell, or
    where more may be printed before Wield reads the answer.
    """
    answer["isMarked"] = is_followed or not _are_pipes
    if not answer["isMarked"]:
        answer["isRead"] = is_read()
        return
    line = b"\n" + marker.encode("utf-8") + b"\n"
    for descriptor in (1, 2):
        try:
            write_all(descriptor, line)
        except OSError:  # closed by the script
            pass
