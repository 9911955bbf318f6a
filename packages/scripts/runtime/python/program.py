"""Loads the scripts and serves their calls in the mode that Wield asks for."""

import os
import sys

from . import channel
from .arguments import Arguments
from .function_file import configuration
from .precedence import prefer_standard
from .script import Script


class Loaded:
    """The scripts of a program."""

    def __init__(self, load):
        prefer_standard()
        self.is_function_file = load["kind"] == "function-file"
        self.config = configuration(load["config"]) if load["config"] is not None else configuration({})
        self.scripts = [Script(entry["file"], entry["text"]) for entry in load["files"]]
        self._functions = {}

    def load(self, is_told):
        """Loads all; those that fail are told once."""
        several = len(self.scripts) > 1
        for script in self.scripts:
            script.load()
            if script.failure is not None and is_told:
                error, detail = script.failure
                script.print_traceback()
                channel.reply({"type": "failed", "file": script.file, "error": error, "detail": detail})
            elif script.failure is None and not self.is_function_file:
                self._prepare(script)
            if several:
                script.leave()
        channel.flush()

    def _prepare(self, script):
        """What each function's annotations ask for is found out before it is called."""
        for name, value in list(vars(script.module).items()):
            is_own = getattr(value, "__module__", None) == script.module.__name__
            if is_own and not name.startswith("_") and hasattr(value, "__code__"):
                self.function(script, name)

    def script(self, file):
        return next((script for script in self.scripts if script.file == file), None)

    def function(self, script, name):
        """A function of a script with what converts its arguments."""
        function = script.function(name)
        if function is None:
            return None, None
        found = self._functions.get((script.file, name))
        if found is None or found[0] is not function:
            found = self._functions[script.file, name] = (function, Arguments(function))
        return found

    def touch(self):
        """Has the memory of what a call uses of the scripts: to refer to an object is to write to it."""
        for (file, name), (function, arguments) in self._functions.items():
            self.function(self.script(file), name)
            arguments.touch()
            code = getattr(function, "__code__", None)
            if code is not None:
                held = [*code.co_consts, *code.co_names, *code.co_varnames, function.__defaults__, function.__globals__]
                held.clear()


def main(is_bytecode_unwanted):
    """`is_bytecode_unwanted` holds for what scripts import; none is written for the program itself."""
    channel.keep_to_itself()
    channel.prepare_streams()
    is_late = len(sys.argv) > 1  # started anew, with the descriptor that holds `load` (safety.py)
    line = channel.read_all(int(sys.argv[1])) if is_late else channel.read_line()
    if line is None:
        return
    channel.watch()
    load = channel.decode(line.decode("utf-8", "surrogatepass"))
    if os.getpgrp() != os.getpid():  # Wield ends the group: it is not shared with others
        os.setsid()
    if load["mode"] == "fork":
        from . import fork

        sys.dont_write_bytecode = is_bytecode_unwanted
        fork.serve_calls(load, line, is_late)
    from . import serve

    sys.dont_write_bytecode = is_bytecode_unwanted
    loaded = Loaded(load)
    loaded.load(is_told=True)
    if load["mode"] == "keep":
        serve.many(loaded)
    else:
        serve.one(loaded, serve.Unwatched())
    os._exit(0)
