import { assert, describe, it } from "@effect/vitest"
import { Introspection } from "@wield/scripts"
import { Effect } from "effect"

const head = `def run(x: int):\n    """Does it."""\n`

const problemsOf = (text: string) =>
  Introspection.introspect({ file: "a.py", text }).pipe(
    Effect.match({ onFailure: ({ problems }) => problems, onSuccess: ({ problems }) => problems })
  )

describe("Indentation", () => {
  it.effect.each([
    ["a line between two blocks", `${head}    if x:\n        y = 1\n      z = 2\n    return x\n`, 5, 7],
    ["a line deeper than its block", `${head}    if x:\n        y = 1\n          z = 2\n    return x\n`, 5, 11],
    ["a tab among spaces", `${head}\treturn x\n`, 3, 2],
    ["a first line that is indented", ` y = 1\n${head}    return x\n`, 1, 2]
  ] as const)("that Python does not take is a syntax error with its place: %s", ([, text, line, column]) =>
    Effect.map(problemsOf(text), (problems) => {
      assert.deepStrictEqual(
        problems.map(({ message, place, rule }) => [rule, place, message]),
        [
          [
            "syntax-error",
            { line, column },
            "This line is indented otherwise than the others of its block; the file is no Python and cannot be imported"
          ]
        ]
      )
    })
  )

  it.effect.each([
    ["statements in one line", `${head}    a = 1; b = 2\n    if a: b = 1; a = 2\n    return a\n`],
    ["comments anywhere", `${head}    if x:\n  # one\n        x = 2\n            # two\n    return x\n`],
    ["lines that go on", `${head}    x = 1 + \\\n  2\n    return (x,\n  x)\n`],
    ["texts of several lines", `${head}    s = '''\na\n'''; t = 1\n    return s\n`],
    ["branches", `${head}    match x:\n        case 1:\n            return 1\n        case _:\n            return 2\n`],
    ["a form feed and a byte order mark", `\uFEFF\f\n${head}    return x\n`],
    ["tabs, and blocks of other depths", `if True:\n  import os\n${head.replace("    ", "\t")}\treturn x\n`],
    ["line ends of Windows", `${head}    y = 1\n    return y\n`.replaceAll("\n", "\r\n")]
  ])("that Python takes is none: %s", ([, text]) =>
    Effect.map(problemsOf(text), (problems) => assert.deepStrictEqual(problems, []))
  )
})
