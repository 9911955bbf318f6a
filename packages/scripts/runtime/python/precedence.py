"""Modules of the standard library come before scripts of their names.

The folder of a script is first on its path, and a tool may well be called
`random.py` or `calendar.py`: all that imports the module of that name, in other
tools, in libraries and in this program, would get the tool.
"""

import sys
from importlib._bootstrap_external import PathFinder


class _StandardFirst:
    def __init__(self, path):
        self._path = path
        self._names = frozenset(getattr(sys, "stdlib_module_names", ()))  # since Python 3.10

    def find_spec(self, name, path=None, target=None):
        if path is None and name in self._names:
            return PathFinder.find_spec(name, self._path, target)
        return None


def prefer_standard():
    """Called while no script's folder is on the path; what `PYTHONPATH` names still comes first."""
    finder = _StandardFirst(list(sys.path))
    at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
    sys.meta_path.insert(at, finder)
