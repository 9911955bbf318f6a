"""The user's own file beside those of the application."""

ENABLED = True

# `toss_coin` was never written: told as a problem of this file, and the rest works.
AVAILABLE_FUNCTIONS = ["roll_dice", "toss_coin"]

TOOLS = [
    {
        "type": "function",
        "network": False,
        "is_local": True,
        "function": {
            "name": "roll_dice",
            "description": "Rolls a die. Use it whenever something is left to chance.",
            "parameters": {
                "type": "object",
                "properties": {"sides": {"type": "integer", "minimum": 2, "default": 6}},
                "required": [],
            },
        },
    }
]


def execute(function_name, arguments, config):
    import random  # loaded with the first call

    return str(random.randint(1, arguments.get("sides", 6))), True
