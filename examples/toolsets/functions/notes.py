"""Notes, kept while the program runs."""

ENABLED = True

AVAILABLE_FUNCTIONS = ["save_note", "search_notes"]


def _tool(name, description, parameter):
    return {
        "type": "function",
        "network": False,
        "is_local": True,
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": "string"}},
                "required": [parameter],
            },
        },
    }


# Made by a function: Wield runs the file to know them.
TOOLS = [
    _tool("save_note", "Keeps a note. Use it when something is to be remembered.", "content"),
    _tool("search_notes", "Finds notes by a word. Use it before asking what was said before.", "word"),
]

_notes = []


def execute(function_name, arguments, config):
    if function_name == "save_note":
        if not arguments["content"].strip():
            return "I cannot keep an empty note.", False
        _notes.append(arguments["content"])
        return f"Note {len(_notes)} is kept.", True

    if function_name == "search_notes":
        found = [note for note in _notes if arguments["word"].lower() in note.lower()]
        return "\n".join(found) or "No note has this word.", True

    return f"Unknown function: {function_name}", False
