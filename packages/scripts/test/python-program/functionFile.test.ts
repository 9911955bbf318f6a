import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { shareInFile } from "../shareInFile.js"
import { python, raised, said, startPython, value } from "./python.js"

const kind = "function-file" as const

const library = `
import sys

ENABLED = True
AVAILABLE_FUNCTIONS = ["greet", "count"]
TOOLS = [{"type": "function", "network": False, "function": {"name": "greet", "parameters": {"type": "object"}}}]

count = 0

def execute(function_name, arguments, config):
    global count
    count += 1
    if function_name == "greet":
        if not arguments.get("name"):
            return "I need a name.", False
        return config.greeting + ", " + arguments["name"], True
    if function_name == "count":
        return str(count), True
    if function_name == "config":
        nested = [config.theme.color, config["theme"]["color"], config.get("theme").get("color"), config.theme.sizes[0].items]
        return repr(nested + [config.get("none", 1), getattr(config, "none", 2)]), True
    if function_name == "heavy":
        import sched
        return "loaded", True
    if function_name == "loaded":
        return str("sched" in sys.modules), True
    if function_name == "raise":
        raise ConnectionError("no network")
    if function_name == "exit":
        sys.exit(1)
    return eval(function_name)
`

const silent = { file: "/nowhere/silent.py", text: "ENABLED = False\n" }
const bare = { file: "/nowhere/bare.py", text: "TOOLS = [object()]\n" }
const later = {
  file: "/nowhere/later.py",
  text: "async def execute(function_name, arguments, config):\n    return function_name, True\n"
}
const parameters = ["a, b, c, d", "a, b, c, d, e", "a, b, c, d=4"]
const taking = parameters.map((names, index) => ({
  file: `/nowhere/${index}.py`,
  text: `def execute(${names}):\n    return repr(locals().get("d", "")) + repr(locals().get("e", "")), True\n`
}))

/** It has no configuration, and remembers what it has imported. */
const program = shareInFile(startPython("keep", library, { kind, more: [silent, bare, later, ...taking] }))

describe.skipIf(python === undefined)("python3 is on the path", () => {
  it.scopedLive("a function file answers a text and whether it succeeded", () =>
    Effect.gen(function* () {
      const config = { greeting: "Hello", theme: { color: "red", sizes: [{ items: 3 }] } }
      const { call } = yield* startPython("keep", library, { kind, config })
      expect(said(yield* call({ name: "Ada" }, { entry: "greet" }))).toEqual(value(["Hello, Ada", true]))
      expect(said(yield* call({}, { entry: "greet" }))).toEqual(value(["I need a name.", false]))
      expect(said(yield* call({}, { entry: "count" }))).toEqual(value(["3", true]))
      expect(said(yield* call({}, { entry: "config" }))).toEqual(value(["['red', 'red', 'red', 3, 1, 2]", true]))
      expect(said(yield* call({}, { entry: "'only text'" }))).toEqual(value(["only text", true]))
      expect(said(yield* call({}, { entry: "42" }))).toEqual(value([42, true]))
      expect(said(yield* call({}, { entry: "(None, True)" }))).toEqual(value([null, true]))
      expect(said(yield* call({}, { entry: "(1.5, False)" }))).toEqual(value([1.5, false]))
      const images = { text: "Two", images: [{ data: "iVBORw0KGgo=", media_type: "image/png" }] }
      expect(said(yield* call({}, { entry: `(${JSON.stringify(images)}, True)` }))).toEqual(value([images, true]))
    })
  )

  it.scopedLive("anything else is not read as a result", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      const shapes = [
        ["None", "NoneType"],
        ["{'a': 1}", "dict"],
        ["('a', 1)", "(str, int)"],
        ["True", "bool"],
        ["(True, 'Done')", "(bool, str)"],
        ["(True, False)", "(bool, bool)"],
        ["('a', True, 'b')", "tuple"]
      ]
      for (const [entry = "", shape] of shapes) {
        expect(said(yield* call({}, { entry }))).toEqual({
          type: "unreadable",
          detail: `execute returned ${shape}; it returns (text, success), and success is a bool`
        })
      }
      expect(said(yield* call({}, { entry: "({'a': object()}, True)" }))).toEqual({
        type: "unreadable",
        detail: "an object at a cannot be said in JSON"
      })
    })
  )

  it.scopedLive("exceptions and exits fail the call alone", () =>
    Effect.gen(function* () {
      for (const mode of ["keep", "fork"] as const) {
        const { call } = yield* startPython(mode, library, { kind, config: { greeting: "Hi" } })
        expect(said(yield* call({}, { entry: "raise" }))).toEqual(raised("ConnectionError", "no network"))
        expect(said(yield* call({}, { entry: "exit" }))).toEqual({ type: "exited", code: 1, signal: null })
        expect(said(yield* call({ name: "Ada" }, { entry: "greet" }))).toEqual(value(["Hi, Ada", true]))
      }
    })
  )

  it.scopedLive("it says which tools it has, and leaves out what it does not declare", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      expect(said(yield* call({}, { entry: "__tools__" }))).toEqual(
        value({
          ENABLED: true,
          AVAILABLE_FUNCTIONS: ["greet", "count"],
          TOOLS: [{ type: "function", network: false, function: { name: "greet", parameters: { type: "object" } } }]
        })
      )
      expect(said(yield* call({}, { entry: "__tools__", file: silent.file }))).toEqual(value({ ENABLED: false }))
      expect(said(yield* call({}, { entry: "__tools__", file: bare.file }))).toEqual({
        type: "unreadable",
        detail: "an object at TOOLS[0] cannot be said in JSON"
      })
      expect(said(yield* call({}, { entry: "greet", file: bare.file }))).toEqual({
        type: "failed",
        error: "AttributeError",
        detail: "bare.py has no function execute"
      })
    })
  )

  it.scopedLive("what it imports late is imported when it is called, and not before", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      expect(said(yield* call({}, { entry: "loaded" }))).toEqual(value(["False", true]))
      expect(said(yield* call({}, { entry: "heavy" }))).toEqual(value(["loaded", true]))
      expect(said(yield* call({}, { entry: "loaded" }))).toEqual(value(["True", true]))
    })
  )

  it.scopedLive("an execute that takes settings and credentials is given the configuration, and no credentials", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      const returned = (names: string) =>
        Effect.map(call({}, { entry: "f", file: `/nowhere/${parameters.indexOf(names)}.py` }), said)
      expect(yield* returned("a, b, c, d")).toEqual(value(["{}''", true]))
      expect(yield* returned("a, b, c, d, e")).toEqual(value(["{}None", true]))
      expect(yield* returned("a, b, c, d=4")).toEqual(value(["4''", true]))
    })
  )

  it.scopedLive("an async execute is awaited", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      expect(said(yield* call({}, { entry: "f", file: later.file }))).toEqual(value(["f", true]))
    })
  )
})
