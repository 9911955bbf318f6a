"""Random numbers in forked children: each has its own, except where the script has chosen a sequence."""

import re
import sys

# A statement of the module that seeds. A new process would begin the same sequence for each call.
_SEEDS = re.compile(r"^[\w.]*\bseed\s*\(", re.MULTILINE)


class Chance:
    """What generators of `random` and `numpy.random` are set to in a child. Python itself seeds `random` anew when it forks."""

    def __init__(self, scripts):
        seeded = any(_SEEDS.search(script.text) for script in scripts)
        random = sys.modules.get("random")
        self._state = random.getstate() if seeded and random is not None else None
        numpy = None if seeded else sys.modules.get("numpy.random")
        self._seed_numpy = getattr(numpy, "seed", None)

    def renew(self):
        if self._state is not None:
            sys.modules["random"].setstate(self._state)
        if self._seed_numpy is not None:
            self._seed_numpy()
