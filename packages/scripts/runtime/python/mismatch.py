"""An argument that cannot be made what its annotation asks for."""


class Mismatch(Exception):
    def __init__(self, path, reason):
        super().__init__(reason)
        self.path = path
        self.reason = reason

    def text(self):
        """`range.from: expected a text, got a number`"""
        return "%s: %s" % (path_text(self.path), self.reason)


def path_text(path):
    """`rows[2].name`"""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += "[%d]" % part
        else:
            text += "." + str(part) if text else str(part)
    return text
