import { assert, describe, it } from "@effect/vitest"
import { FunctionFile } from "@wield/scripts"
import { Effect } from "effect"
import { broken, functions, ofText, one, source, told, userFunctions } from "./fixtures.js"

const refusal = (name: string) =>
  Effect.map(Effect.flip(FunctionFile.introspect(source(`${broken}/${name}.py`))), ({ problems }) => told(problems))

describe("A function file, read from its source", () => {
  it.effect("has its tools with their schemas, and the facts that follow from network", () =>
    Effect.gen(function* () {
      const { isEnabled, isRun, module, problems, tools } = yield* FunctionFile.introspect(
        source(`${functions}/memory.py`)
      )
      assert.deepStrictEqual([module, isEnabled, isRun, problems], ["memory", true, false, []])
      assert.deepStrictEqual(
        tools.map(({ facts, name, place }) => [name, facts, place]),
        [
          ["save_memory", { isOpenWorld: false, disclosure: "none" }, { line: 13, column: 21 }],
          ["search_memory", { isOpenWorld: false, disclosure: "none" }, { line: 30, column: 21 }]
        ]
      )
      assert.deepStrictEqual(tools[0]?.inputSchema, {
        type: "object",
        properties: {
          content: { type: "string", description: "What to remember" },
          importance: { type: "integer", minimum: 1, maximum: 10, default: 5 }
        },
        required: ["content"]
      })
    })
  )

  it.effect("may be put together of constants, and keeps what else an entry has", () =>
    Effect.gen(function* () {
      const { problems, tools } = yield* FunctionFile.introspect(source(`${functions}/web.py`))
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(
        tools.map(({ description, facts, name }) => [name, description, facts]),
        [
          [
            "search_for_urls",
            "Searches the web for addresses. Use get_website to read one of them.",
            { isOpenWorld: true, disclosure: "any" }
          ],
          ["get_website", "Reads a page", { isOpenWorld: true, disclosure: "endpoint" }]
        ]
      )
      assert.deepNestedInclude(tools[0]?.entry, { "function.strict": true, network: true })
      assert.deepStrictEqual(tools[1]?.inputSchema["properties"], {
        url: { type: "string", description: "An address that begins with https://" }
      })
    })
  )

  it.effect("that is off is not looked at any further", () =>
    Effect.gen(function* () {
      const file = yield* FunctionFile.introspect(source(`${functions}/off.py`))
      assert.deepStrictEqual([file.isEnabled, file.tools, file.problems], [false, [], []])
      for (const off of ["0", "None", '""', "[]", "{}", "False"]) {
        assert.isFalse((yield* ofText(`ENABLED = ${off}\nTOOLS = [${one}]`)).isEnabled, off)
      }
      assert.isTrue((yield* ofText(`ENABLED = 1\nTOOLS = [${one}]`)).isEnabled)
      assert.isTrue((yield* ofText(`TOOLS = [${one}]`)).isEnabled)
    })
  )

  it.effect("without network and is_local states nothing of either", () =>
    Effect.gen(function* () {
      const [tool] = (yield* ofText(`TOOLS = [${one}]`)).tools
      assert.deepStrictEqual([tool?.facts, tool?.inputSchema], [{}, {}])
    })
  )

  it.effect("offers all of TOOLS where AVAILABLE_FUNCTIONS is not there or None", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ofText(`TOOLS = [${one}]`)).tools.length, 1)
      assert.strictEqual((yield* ofText(`TOOLS = [${one}]\nAVAILABLE_FUNCTIONS = None`)).tools.length, 1)
      assert.strictEqual((yield* ofText(`TOOLS = [${one}]\nAVAILABLE_FUNCTIONS = []`)).tools.length, 0)
    })
  )
})

describe("What is wrong with a function file", () => {
  it.effect("is told with its place: a syntax error", () =>
    Effect.map(refusal("syntax"), ([first]) => assert.match(first ?? "", /^broken\/syntax\.py:\d+:\d+: error: /))
  )

  it.effect("is told with its place: no execute", () =>
    Effect.map(refusal("no_execute"), (problems) =>
      assert.deepStrictEqual(problems, [
        "broken/no_execute.py: error: The file has no function execute, so none of its tools can run; add def execute(function_name, arguments, config)"
      ])
    )
  )

  it.effect("is told with its place: no TOOLS", () =>
    Effect.map(refusal("no_tools"), (problems) =>
      assert.deepStrictEqual(problems, [
        "broken/no_tools.py: error: The file has no TOOLS; add the list of its functions, in the schema of OpenAI"
      ])
    )
  )

  it.effect("is told with its place: an execute that cannot be called", () =>
    Effect.gen(function* () {
      const [isAsync] = yield* refusal("async_execute")
      assert.match(isAsync ?? "", /^broken\/async_execute\.py:4:1: error: execute is async/)
      const [few] = yield* refusal("few_parameters")
      assert.match(few ?? "", /^broken\/few_parameters\.py:4:1: error: .* but takes 2 parameters/)
    })
  )

  it.effect("is told with its place: what only a running interpreter knows", () =>
    Effect.map(refusal("not_literal"), (problems) =>
      assert.deepStrictEqual(problems, [
        'broken/not_literal.py:3:52: error: TOOLS cannot be known without running the file, for the item `os.environ["NAME"]` stands in it; write it as a literal, or load the file with an executor'
      ])
    )
  )

  it.effect("is told with its place: lists where a dict is expected", () =>
    Effect.gen(function* () {
      const { problems, tools } = yield* ofText(
        `TOOLS = [["good"], {"type": "function", "function": ["good"]}, {"type": "function", "function": {"name": "two", "description": "Two", "parameters": []}}, ${one}]`
      )
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["one"]
      )
      assert.deepStrictEqual(told(problems), [
        'one.py:1:10: error: TOOLS[0] must be a dict with "type" and "function", but is an array of 1',
        'one.py:1:53: error: TOOLS[1]["function"] must be a dict with "name", "description" and "parameters", but is an array of 1',
        'one.py:1:149: error: The parameters of two must be a JSON Schema, {"type": "object", "properties": {...}}, but are an empty array'
      ])
    })
  )

  it.effect("leaves the other functions of the file", () =>
    Effect.gen(function* () {
      const { problems, tools } = yield* FunctionFile.introspect(source(`${broken}/malformed.py`))
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["good"]
      )
      const lines = told(problems).map((line) => line.replace(/^broken\/malformed\.py:/, ""))
      assert.deepStrictEqual(lines, [
        '1:32: error: AVAILABLE_FUNCTIONS has "lost", but TOOLS does not; describe it there, or take it out here',
        "1:40: error: AVAILABLE_FUNCTIONS must have names only, but this one is 7",
        '4:5: error: TOOLS[0] must be a dict with "type" and "function", but is "good"',
        '5:5: error: TOOLS[1]["function"] must be a dict with "name", "description" and "parameters"',
        '6:14: error: TOOLS[2]["type"] must be "function", but is "tool"',
        '7:38: error: TOOLS[3]["function"]["name"] must be the function\'s name, but it is missing',
        "8:38: warning: bad_type has no description; say in it what the function does and when to use it",
        '8:82: error: The parameters of bad_type must have "type": "object", but have "string"',
        "9:38: warning: bad_property has no description; say in it what the function does and when to use it",
        '9:98: error: The parameter "a" of "bad_property" must be a JSON Schema such as {"type": "string"}, but is "string"',
        "10:38: warning: bad_required has no description; say in it what the function does and when to use it",
        '10:108: error: "required" of bad_required must be a list of names of parameters, but is "a"',
        "11:38: warning: bad_schema has no description; say in it what the function does and when to use it",
        lines[13] ?? "",
        '12:5: warning: TOOLS[8] has no "type"; add "type": "function"',
        "12:18: warning: good has no description; say in it what the function does and when to use it",
        '12:81: warning: good requires "b", which is not among its "properties"',
        '12:100: warning: "network" of good must be True or False, but is "yes"; it is taken for not stated',
        '12:119: warning: "is_local" of good must be True, False or "endpoint", but is 1; it is taken for not stated',
        "13:47: error: good stands in TOOLS for the second time; the first one is kept, rename or remove this one",
        "14:47: warning: hidden is in TOOLS, but not in AVAILABLE_FUNCTIONS, and so is not offered; add it there, unless that is meant"
      ])
      assert.match(lines[13] ?? "", /^11:75: error: The parameters of bad_schema are no JSON Schema: .*minimum/)
    })
  )
})

describe("A value is not taken from the source", () => {
  const isUnknown = (text: string) =>
    Effect.map(Effect.flip(ofText(text)), ({ problems }) =>
      assert.deepStrictEqual(
        problems.map(({ rule }) => rule),
        ["not-literal"],
        text
      )
    )

  it.effect("where something may change it before the file is loaded", () =>
    Effect.gen(function* () {
      yield* isUnknown(`TOOLS = []\nTOOLS.append(${one})`)
      yield* isUnknown(`TOOLS = []\nTOOLS += [${one}]`)
      yield* isUnknown(`TOOLS = [${one}]\nTOOLS[0]["function"]["name"] = "two"`)
      yield* isUnknown(`TOOLS = [${one}]\nfor tool in TOOLS:\n    tool["network"] = True`)
      yield* isUnknown(`TOOLS = [${one}]\nfirst = TOOLS[0]\nfirst["network"] = True`)
      yield* isUnknown(`TOOLS = [${one}]\ndef add(tool):\n    TOOLS.append(tool)\nadd(${one})`)
      yield* isUnknown(`TOOLS = [${one}]\ndef reset():\n    global TOOLS\n    TOOLS = []\nreset()`)
      yield* isUnknown(`TOOLS = [${one}]\nregister(TOOLS)`)
      yield* isUnknown(`TOOLS = [${one}]\ndel TOOLS[0]`)
      yield* isUnknown(`BASE = ${one}\nBASE["network"] = True\nTOOLS = [{**BASE}]`)
      yield* isUnknown(`TOOLS = [${one}]\nimport os\nif os.name == "nt":\n    TOOLS = []`)
      yield* isUnknown(`TOOLS = [${one}]\ntry:\n    import x\nexcept ImportError:\n    ENABLED = False`)
      yield* isUnknown(`TOOLS = []\nTOOLS = [${one}]`)
      yield* isUnknown(`TOOLS = [${one} + ${one}]`)
      yield* isUnknown("from tools_of_mine import TOOLS")
      yield* isUnknown("TOOLS = OTHER\nOTHER = TOOLS")
    })
  )

  it.effect("but is, where it is only read", () =>
    Effect.gen(function* () {
      const reads = `TOOLS = [${one}]\nNAMES = {t["function"]["name"] for t in TOOLS}\ndef find(name):\n    for tool in TOOLS:\n        if len(TOOLS) > 1: return tool`
      assert.strictEqual((yield* ofText(reads)).tools.length, 1)
      assert.strictEqual((yield* ofText(`TOOLS = [${one}]\nCOUNT = TOOLS.count(None)`)).tools.length, 1)
      assert.strictEqual((yield* ofText(`A: list = [${one}]\nTOOLS: list[dict] = A`)).tools.length, 1)
    })
  )
})

it.effect("The user's files are read as those of the application are", () =>
  Effect.map(FunctionFile.introspect(source(`${userFunctions}/web.py`)), ({ tools }) =>
    assert.deepStrictEqual(
      tools.map(({ description }) => description),
      ["Searches my way"]
    )
  )
)

describe("A call that will fail is told of before it is made", () => {
  const file = (execute: string) => {
    const text = `TOOLS = [${one}]\n\ndef execute(function_name, arguments, config):\n${execute}`
    return Effect.map(FunctionFile.introspect({ file: "one.py", text }), ({ problems, tools }) => {
      assert.strictEqual(tools.length, 1)
      return problems.map(({ message, place, rule, severity }) => `${place?.line} ${severity} ${rule}: ${message}`)
    })
  }

  const pair = ', and has to return a pair: ("what the model reads", True), with False where it did not work'

  it.effect.each([
    ['    return "done"\n', 'the text `"done"` alone'],
    ['    return "a" + str(1)\n', 'the text `"a" + str(1)` alone'],
    ["    return\n", "nothing"],
    ["    return None\n", "None"],
    ['    return {"text": "a"}\n', '`{"text": "a"}`'],
    ['    return (False, "no")\n', "the two the other way round"],
    ['    return "a", True, 1\n', "a tuple of 3"]
  ] as const)("where execute returns no pair: %s", ([execute, found]) =>
    Effect.map(file(execute), (problems) =>
      assert.deepStrictEqual(problems, [`4 warning execute-result: execute returns ${found} here${pair}`])
    )
  )

  it.effect("where execute has no branch for a function", () =>
    Effect.map(file('    if function_name == "two":\n        return "2", True\n    return "?", False\n'), (problems) =>
      assert.deepStrictEqual(problems, [
        '3 warning no-branch: execute has no branch for the function "one", only for "two"; compare function_name with each name of TOOLS'
      ])
    )
  )

  const other = '    if function_name == "two":\n        return "2", True\n'

  it.effect.each([
    other,
    `${other}    raise ValueError(function_name)\n`,
    `${other}    else:\n        return f"Unknown function {function_name}", True\n`,
    `    try:\n    ${other.replaceAll("\n    ", "\n        ")}        return ("No such function", False)\n    except OSError as error:\n        return str(error), False\n`,
    '    if arguments and function_name in ["two", "three"]:\n        if arguments["a"]:\n            return "2", True\n        return "3", True\n    return "?", False\n',
    '    if (function_name == "two"):\n        return "2", True\n    elif function_name == "three":\n        return "3", True\n    return "?", False\n'
  ])("where what is left of execute answers with a failure: %j", (execute) =>
    Effect.map(file(execute), (problems) => assert.match(problems.join(), /^3 warning no-branch: [^\n]*"one"[^\n]*$/))
  )

  it.effect.each([
    `${other}    return "1", True\n`,
    `${other}    else:\n        return "1", True\n`,
    `${other}    text, worked = str(arguments), True\n    return text, worked\n`,
    `${other}    if arguments == 1:\n        return "1", True\n    return "?", False\n`,
    '    if function_name != "two":\n        return "1", True\n    return "2", True\n',
    '    if not function_name == "two":\n        return "1", True\n    return "?", False\n',
    '    if function_name == "two" or arguments == 1:\n        return "1", True\n    return "?", False\n',
    '    return ("2", True) if function_name == "two" else ("1", True)\n'
  ])("but not where what is left of execute answers for the other function: %j", (execute) =>
    Effect.map(file(execute), (problems) => assert.deepStrictEqual(problems, []))
  )

  it.effect.each([
    '    return "a", True\n',
    '    return ("a %s" % 1), len(arguments) > 0\n',
    "    return answer(function_name, arguments)\n\ndef answer(name, arguments):\n    return name\n",
    "    def inner():\n        return 7\n    return inner(), True\n",
    "    return f(*[1, 2])\n\nf = lambda *a: a\n",
    '    if function_name in ("one", "two"):\n        return "1", True\n    return "?", False\n',
    '    if function_name == "two":\n        return "2", True\n    return TABLE[function_name](), True\n\nTABLE = {"one": str}\n',
    '    match function_name:\n        case "two":\n            return "2", True\n    return "?", False\n'
  ])("and not where it may do: %s", (execute) =>
    Effect.map(file(execute), (problems) => assert.deepStrictEqual(problems, []))
  )

  it.effect("where the parameters stand under another name", () =>
    Effect.map(
      ofText('TOOLS = [{"type": "function", "function": {"name": "a", "description": "A", "input_schema": {}}}]'),
      ({ problems }) =>
        assert.deepStrictEqual(told(problems), [
          'one.py:1:93: warning: "input_schema" of a is not read, so that it has no parameters; name it "parameters"'
        ])
    )
  )
})

describe("A function file that cannot be followed to its end", () => {
  const problemOf = (text: string) =>
    Effect.map(Effect.flip(ofText(text)), ({ problems }) => problems.map(({ message, rule }) => `${rule}: ${message}`))

  it.effect("is told of as such where it nests too deeply", () =>
    Effect.gen(function* () {
      const [problem] = yield* problemOf(`TOOLS = ${"[".repeat(20_000)}${"]".repeat(20_000)}`)
      assert.match(String(problem), /^too-complex: The file cannot be read: something in it nests deeper/)
    })
  )

  it.effect.each([
    ["lists put together", "[*item, *item]"],
    ["lists added", "item + item"],
    ["lists that hold one twice", "[item, item]"]
  ])("is told of as such where comprehensions double what they are of (%s)", ([, body]) =>
    Effect.gen(function* () {
      let source = "[[1]]"
      for (let level = 0; level < 60; level++) source = `[${body} for item in ${source}]`
      const [problem] = yield* problemOf(`TOOLS = ${source}`)
      assert.match(String(problem), /^not-literal: TOOLS cannot be known .* more than 100000 values stands in it/)
    })
  )

  it.effect("is told of as such where constants name others twice over many levels", () =>
    Effect.gen(function* () {
      const doubled = Array.from({ length: 40 }, (_, index) => `A${index + 1} = [*A${index}, *A${index}]`)
      const [problem] = yield* problemOf(`A0 = [${one}]\n${doubled.join("\n")}\nTOOLS = A40`)
      assert.match(
        String(problem),
        /^not-literal: TOOLS cannot be known .* an expression of more than 100000 values stands in it/
      )
    })
  )
})
