"""Serves calls of Python scripts; README.md has the protocol, python/ the parts.

Needs Python 3.8 or later and its standard library. The parts are loaded as a
package of a name that no script has, without writing bytecode beside them, and
without leaving this folder on the path that scripts import from.
"""

import os
import sys


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(here, "python")
    if sys.path and os.path.abspath(sys.path[0]) == here:  # not so with `-I`
        del sys.path[0]
    from importlib._bootstrap import module_from_spec
    from importlib._bootstrap_external import spec_from_file_location

    is_bytecode_unwanted = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    spec = spec_from_file_location(
        "_wield", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    package = module_from_spec(spec)
    sys.modules["_wield"] = package
    spec.loader.exec_module(package)
    from _wield import program

    program.main(is_bytecode_unwanted)


main()
