import { assert, describe, it } from "@effect/vitest"
import { Problem } from "@wield/core"
import { ToolsetExport, ToolsetFile } from "@wield/toolset-manager"
import { Either, FastCheck } from "effect"

const parsed = (text: string) => Either.getOrThrow(ToolsetFile.parse(text))

const faultsOf = (text: string): ReadonlyArray<string> =>
  Either.match(ToolsetFile.parse(text), {
    onLeft: ({ problems }) => problems.map(Problem.report),
    onRight: ({ problems }) => problems.map(Problem.report)
  })

const anyName = FastCheck.string({ unit: "grapheme", maxLength: 12 }).filter((name) => !name.startsWith("_"))

const anyFunctions = FastCheck.uniqueArray(FastCheck.string({ minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 5
})

describe("A toolset file", () => {
  it("has each toolset with what stands beside its functions", () => {
    const { problems, toolsets } = parsed('{\n  "web": { "functions": ["a", "b", "a"], "emoji": "🔭" }\n}')
    assert.deepStrictEqual(toolsets.get("web"), {
      name: "web",
      functions: ["a", "b"],
      metadata: { emoji: "🔭" },
      place: { line: 2, column: 3 }
    })
    assert.deepStrictEqual(problems, [])
  })

  it.each([undefined, null, 5, ["{}"], Promise.resolve("{}")])("is a text, and so is an export: not %s", (text) => {
    // A program in JavaScript may give anything.
    const given = text as never
    assert.throws(() => ToolsetFile.parse(given), "What `ToolsetFile.parse` reads must be a text, but is ")
    assert.strictEqual(Either.getOrThrow(Either.flip(ToolsetExport.parse(given)))._tag, "InvalidExport")
  })

  it("ignores keys that begin with an underscore, whatever they hold", () => {
    assert.deepStrictEqual([...parsed('{ "_comment": 7, "_off": { "functions": ["a"] } }').toolsets], [])
  })

  it("may have names that objects have properties of", () => {
    const { toolsets } = parsed('{ "constructor": { "functions": ["a"] }, "toString": { "functions": ["b"] } }')
    assert.deepStrictEqual([...toolsets.keys()], ["constructor", "toString"])
    assert.isFalse(parsed("{}").toolsets.has("constructor"))
  })

  it("may begin with a byte order mark", () => {
    assert.deepStrictEqual(parsed('\uFEFF{ "web": { "functions": ["a"] } }').toolsets.get("web")?.place, {
      line: 1,
      column: 3
    })
  })

  it("that is broken is told of with line and column", () => {
    assert.deepStrictEqual(
      faultsOf('{\n  "web": { "functions": ["a" }\n}')[0],
      "toolsets.json:2:30: error: The JSON is broken here: expected a comma"
    )
    assert.match(faultsOf("{ // mine\n}")[0] ?? "", /^toolsets\.json:1:3: error: .*JSON has no comments/)
    assert.deepStrictEqual(faultsOf('{ "a": { "functions": ["x"] }, "a": { "functions": ["y"] } }'), [
      'toolsets.json:1:32: error: The key "a" is here for the second time in one object; leave one of them out'
    ])
    assert.match(faultsOf("[]")[0] ?? "", /^toolsets\.json:1:1: error: A file of toolsets must be an object/)
    assert.match(faultsOf(`{"a":${"[".repeat(5000)}`)[0] ?? "", /nest deeper/)
  })

  it("leaves out a toolset that is broken, tells where, and keeps the others", () => {
    const text = `{
  "one": { "functions": ["a"] },
  "two": ["a"],
  "three": {},
  "four": { "functions": "a" },
  "five": { "functions": ["a", 7] }
}`
    assert.deepStrictEqual([...parsed(text).toolsets.keys()], ["one"])
    assert.deepStrictEqual(faultsOf(text), [
      'toolsets.json:3:10: error: The toolset "two" must be { "functions": [...] }, but is an array of 1',
      'toolsets.json:4:12: error: The toolset "three" has no functions: add an array of names',
      'toolsets.json:5:26: error: functions of the toolset "four" must be an array of names, but is "a"',
      'toolsets.json:6:32: error: Each of the functions of the toolset "five" must be a name, but this one is 7'
    ])
  })

  it("may have twenty thousand toolsets, each with its place, and faults with theirs", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `  "set ${index}": { "functions": ["f${index}"] }`)
    const file = parsed(`{\n${lines.join(",\n")}\n}`)
    assert.deepStrictEqual(file.toolsets.get("set 19999")?.place, { line: 20_001, column: 3 })
    const faults = faultsOf(file.text.replaceAll("functions", "function"))
    assert.strictEqual(faults.length, 20_000)
    assert.match(faults[9] ?? "", /^toolsets\.json:11:12: error: The toolset "set 9" has no functions/)
  })

  it("tells of one fault at a place, not of what the parser looked for after it", () => {
    assert.deepStrictEqual(faultsOf('{ "a": { "functions": ["x",'), [
      "toolsets.json:1:28: error: The JSON is broken here: expected a value"
    ])
  })

  it("is changed where the toolset stands, and nowhere else", () => {
    const text = '{\r\n    "_why": "kept",\r\n    "a": { "functions": ["x"] },\r\n    "broken": 7\r\n}\r\n'
    const put = ToolsetFile.put(parsed(text), { name: "a", functions: ["y"] })
    assert.strictEqual(put.text.replace(/\s/g, ""), '{"_why":"kept","a":{"functions":["y"]},"broken":7}')
    assert.isTrue(put.text.startsWith('{\r\n    "_why": "kept",\r\n'))
    assert.notMatch(put.text, /[^\r]\n/)
    assert.deepStrictEqual(JSON.parse(ToolsetFile.remove(put, "a").text), { _why: "kept", broken: 7 })
  })

  it("keeps every space, break and order of what it does not change", () => {
    const odd =
      '{"z" : {"functions":["x" ,"y"]  },\n\t "a": { "functions": [ "x" ] },\n"_n":[1,2 ,3], "b":{\n "functions":["x"]}  }'
    const put = (text: string, name: string, functions: ReadonlyArray<string>) =>
      ToolsetFile.put(parsed(text), { name, functions }).text
    assert.strictEqual(put(odd, "a", ["q"]), odd.replace('{ "functions": [ "x" ] }', '{ "functions": [ "q" ] }'))
    assert.isTrue(put(odd, "new", ["q"]).startsWith(odd.slice(0, odd.lastIndexOf("}")).trimEnd()))
    assert.strictEqual(
      ToolsetFile.remove(parsed(odd), "a").text,
      odd.replace(',\n\t "a": { "functions": [ "x" ] }', "")
    )
    assert.strictEqual(ToolsetFile.remove(parsed(odd), "none").text, odd)
    const tight = '{"a":{"functions":["x"]},"b":{"functions":["y"]}}'
    assert.strictEqual(
      put(tight, "c", ["z"]),
      '{"a":{"functions":["x"]},"b":{"functions":["y"]},"c":{"functions":["z"]}}'
    )
    assert.strictEqual(ToolsetFile.remove(parsed(tight), "a").text, '{"b":{"functions":["y"]}}')
    const lines = '{\n    "a": {\n        "functions": [\n            "x"\n        ]\n    }\n}\n'
    assert.strictEqual(
      put(lines, "b", ["y"]),
      lines.replace("    }\n}", '    },\n    "b": {\n        "functions": [\n            "y"\n        ]\n    }\n}')
    )
  })

  it("that is empty has no toolsets, says so, and is one as soon as a toolset is saved", () => {
    for (const text of ["", " \n", "\uFEFF"]) {
      const file = parsed(text)
      assert.strictEqual(file.toolsets.size, 0)
      assert.deepStrictEqual(file.problems.map(Problem.report), [
        "toolsets.json:1:1: warning: The file is empty, so it has no toolsets; write `{}`, or save a toolset"
      ])
      const put = ToolsetFile.put(file, { name: "a", functions: ["x"] })
      assert.deepStrictEqual(JSON.parse(put.text), { a: { functions: ["x"] } })
      assert.deepStrictEqual(put.problems, [])
    }
  })

  it.prop(
    "that a toolset was put into has it, and all it had before",
    [FastCheck.dictionary(anyName, anyFunctions, { maxKeys: 5 }), anyName, anyFunctions],
    ([before, name, functions]) => {
      const text = JSON.stringify(
        Object.fromEntries(Object.entries(before).map(([key, value]) => [key, { functions: value }]))
      )
      const file = ToolsetFile.put(parsed(text), { name, functions, metadata: { emoji: "🔭" } })
      const expected = new Map(Object.entries(before)).set(name, functions)
      assert.deepStrictEqual(new Map([...file.toolsets].map(([key, toolset]) => [key, toolset.functions])), expected)
      assert.deepStrictEqual(parsed(file.text).toolsets, file.toolsets)
      assert.deepStrictEqual(file.toolsets.get(name)?.metadata, { emoji: "🔭" })
      const without = ToolsetFile.remove(file, name)
      expected.delete(name)
      assert.deepStrictEqual([...without.toolsets.keys()].sort(), [...expected.keys()].sort())
    }
  )
})
