import { describe, expect, it } from "@effect/vitest"
import { read } from "./read.js"

const pointed = (text: string, place: { readonly line: number; readonly column: number }): string =>
  (text.split("\n")[place.line - 1] ?? "").slice(place.column - 1)

describe("JSON", () => {
  const text = `// the tools
[
  {
    "a": "x\\n\\u00e9\\"{p}", /* here */ "list": [1, {"deep": true}],
  },
]`
  const source = read(text, "tools.json")

  it("is read with comments and trailing commas", () => {
    expect(source.faults).toStrictEqual([])
    expect(source.value).toStrictEqual([{ a: 'x\né"{p}', list: [1, { deep: true }] }])
  })

  it("knows the place of each value, of each key, and of what is nearest to a value that is not there", () => {
    expect(source.at([0, "list", 1, "deep"])).toMatchObject({ file: "tools.json", line: 4 })
    expect(pointed(text, source.at([0, "list", 1, "deep"]))).toMatch(/^true/)
    expect(pointed(text, source.atKey([0, "list"]))).toMatch(/^"list"/)
    expect(pointed(text, source.at([0, "none", "deeper"]))).toMatch(/^\{$/)
    expect(pointed(text, source.at([0, "list", 0]))).toMatch(/^1, /)
  })

  it("finds a character of a text behind the escapes it is written with", () => {
    const offset = 'x\né"{p}'.indexOf("{")
    expect(pointed(text, source.at([0, "a"], offset))).toMatch(/^\{p\}/)
  })

  it("reports each syntax error with its place and what was expected", () => {
    const { faults, value } = read('[\n  {"a" 1},\n  {"b": }\n]', "x.json")
    expect(value).toBeUndefined()
    expect(faults.map(({ message, place }) => [place.line, message])).toStrictEqual([
      [2, "The JSON is broken here: expected a colon between a key and its value"],
      [3, "The JSON is broken here: expected a value"]
    ])
    expect(read(" ", "x.json").faults).toHaveLength(1)
  })

  it("refuses a key that is there twice, and keeps __proto__ a key", () => {
    const { faults } = read('{"a": 1,\n "a": 2}', "x.json")
    expect(faults).toMatchObject([{ rule: "duplicate-key", place: { line: 2, column: 2 } }])
    const proto = read('{"__proto__": {"polluted": true}}', "x.json").value
    expect(Object.keys(proto as object)).toStrictEqual(["__proto__"])
    expect(proto).not.toHaveProperty("polluted")
  })

  it("refuses what nests deeper than it can be read", () => {
    for (const depth of [201, 100_000]) {
      expect(read("[".repeat(depth), "x.json").faults).toMatchObject([{ rule: "nesting", place: { column: 201 } }])
    }
    expect(read(`${"[".repeat(200)}${"]".repeat(200)}`, "x.json").faults).toStrictEqual([])
  })
})

describe("YAML", () => {
  const text = `- name: one
  plain: SELECT {p}
  single: 'it''s {p}'
  double: "a\\tb\\x41 {p}"
  block: |

    SELECT 1
      WHERE a = {p}
  folded: >
    one
    {p}
  list:
    - 1
    - deep: true
`
  const source = read(text, "tools.yaml")

  it("knows the place of each value and of each key", () => {
    expect(source.faults).toStrictEqual([])
    expect(pointed(text, source.at([0, "list", 1, "deep"]))).toBe("true")
    expect(pointed(text, source.atKey([0, "list", 1, "deep"]))).toBe("deep: true")
    expect(pointed(text, source.at([0]))).toBe("name: one")
    expect(pointed(text, source.at([0, "none"]))).toBe("name: one")
  })

  it.each(["plain", "single", "double", "block"])("finds a character of a %s text", (key) => {
    const [entry] = source.value as [{ readonly [key: string]: string }]
    const offset = entry[key]!.indexOf("{")
    expect(pointed(text, source.at([0, key], offset))).toMatch(/^\{p\}/)
  })

  it("gives the start of a text whose lines are folded", () => {
    expect(pointed(text, source.at([0, "folded"], 5))).toBe(">")
  })

  it("reports syntax errors, keys that are there twice, and aliases that grow without measure", () => {
    expect(read("a: [1\nb: 2", "x.yaml").faults[0]).toMatchObject({ rule: "syntax" })
    expect(read("a: 1\na: 2", "x.yaml").faults).toMatchObject([{ rule: "duplicate-key", place: { line: 2 } }])
    const bomb = [
      "a0: &a0 [x]",
      ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)
    ]
    expect(read(bomb.join("\n"), "x.yaml").faults[0]?.message).toContain("aliases")
    const many = Array.from({ length: 1001 }, (_, index) => `k${index}: &a${index} 1\nr${index}: *a${index}\n`).join("")
    expect(read(many, "x.yaml").faults).toMatchObject([{ message: expect.stringContaining("1001 aliases") }])
    expect(read("- ".repeat(100_000), "x.yaml").faults).toMatchObject([{ rule: "nesting" }])
    expect(read("[".repeat(100_000), "x.yaml").faults).toMatchObject([{ rule: "nesting" }])
    expect(read("", "x.yaml").faults).toMatchObject([{ message: "The file is empty" }])
  })
})

it("tells YAML from JSON by the file's name, or else by how the text begins", () => {
  for (const [text, file] of [
    ["a: 1", "x.yml"],
    ["a: 1", undefined],
    ['\uFEFF{"a": 1}', "x.json"],
    ['// one\n{"a": 1}', undefined],
    ["{a: 1}", "x.YAML"]
  ] as const) {
    expect(read(text, file).value).toStrictEqual({ a: 1 })
  }
})
