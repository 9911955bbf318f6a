"""A script, loaded as a module from the text that Wield has introspected."""

import os
import sys
from importlib._bootstrap import module_from_spec
from importlib._bootstrap_external import SourceFileLoader, spec_from_file_location

from . import failure


class _Loader(SourceFileLoader):
    """Compiles the given text, under the name of the file; bytecode is neither read nor written."""

    def __init__(self, name, file, text):
        super().__init__(name, file)
        self.text = text

    def get_code(self, fullname):
        return compile(self.text, self.path, "exec", dont_inherit=True)

    def get_source(self, fullname):
        return self.text


class Script:
    """`module` is there where it could be loaded, otherwise `failure`, the error's class and what it says, and `traceback`."""

    def __init__(self, file, text):
        self.file = file
        self.text = text
        self.module = None
        self.failure = None
        self.traceback = ""
        self._modules = {}
        self._path = [os.path.dirname(os.path.abspath(file))] + sys.path

    def load(self):
        name = _module_name(self.file)
        self._path, sys.path[:] = sys.path[:], self._path
        sys.argv = [self.file]
        try:
            spec = spec_from_file_location(name, self.file, loader=_Loader(name, self.file, self.text))
            module = module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            self.module = module
        except BaseException as error:  # SystemExit too: no script ends the program
            self.traceback = failure.written(error)
            self.failure = failure.describe(error)
            sys.modules.pop(name, None)

    def print_traceback(self):
        """Says on standard error why it could not be loaded."""
        try:
            sys.stderr.write(self.traceback)
            sys.stderr.flush()
        except Exception:  # replaced or closed by another script
            pass

    def function(self, name):
        """What is called `name` in the script, or None."""
        found = getattr(self.module, name, None)
        return found if callable(found) else None

    def leave(self):
        """Takes away what only this script sees: its path, and the modules it has imported from places of its own.

        Another script may have modules of the same names in another folder.
        """
        own, sys.path[:] = sys.path[:], self._path
        for name in list(sys.modules):
            if self._is_own(sys.modules[name], own):
                self._modules[name] = sys.modules.pop(name)
        self._path = own

    def enter(self):
        """Before a call of it: what `leave` took is there again, for its imports that come late, too."""
        self._path, sys.path[:] = sys.path[:], self._path
        sys.modules.update(self._modules)
        sys.argv = [self.file]

    def _is_own(self, module, own):
        if module is self.module:
            return True
        place = getattr(module, "__file__", None)
        if not isinstance(place, str):
            return False
        entries = [entry for entry in own if entry and place.startswith(entry + os.sep)]
        return bool(entries) and max(entries, key=len) not in sys.path


def _module_name(file):
    """The stem. Where a module has that name already, or the standard library has one, the stem with `script_` before it."""
    name = os.path.splitext(os.path.basename(file))[0].replace(".", "_")
    taken = name in sys.modules or name in sys.builtin_module_names
    return "script_" + name if taken or name in getattr(sys, "stdlib_module_names", ()) else name
