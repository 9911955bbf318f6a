"""Lights of a home. They stay as they were set for as long as the program runs."""

ENABLED = True

AVAILABLE_FUNCTIONS = ["set_light", "get_lights"]

ROOM = {"type": "string", "enum": ["kitchen", "bedroom", "hall"], "description": "Which room"}

TOOLS = [
    {
        "type": "function",
        "network": False,
        "is_local": True,
        "function": {
            "name": "set_light",
            "description": "Dims the light of a room. Use it when somebody wants it lighter or darker.",
            "parameters": {
                "type": "object",
                "properties": {
                    "room": ROOM,
                    "percent": {"type": "integer", "minimum": 0, "maximum": 100, "description": "0 is off"},
                },
                "required": ["room", "percent"],
            },
        },
    },
    {
        "type": "function",
        "network": False,
        "is_local": True,
        "function": {
            "name": "get_lights",
            "description": "Tells which lights are on. Use it before changing what you have not set yourself.",
            "parameters": {"type": "object", "properties": {}, "required": []},
        },
    },
]

_lights = {}


def execute(function_name, arguments, config):
    if function_name == "set_light":
        if arguments["room"] in config.broken_lights:
            return f"The light of the {arguments['room']} is broken.", False
        _lights[arguments["room"]] = arguments["percent"]
        return f"{arguments['room']} is at {arguments['percent']} %", True

    if function_name == "get_lights":
        on = [f"{room}: {percent} %" for room, percent in sorted(_lights.items()) if percent]
        return ", ".join(on) or "All lights are off.", True

    return f"Unknown function: {function_name}", False
