import { execFileSync, spawnSync } from "node:child_process"
import type { Json } from "@wield/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Schema } from "effect"
import { itemsOf } from "../syntax/node.js"
import { parserOf } from "../syntax/treeSitter.js"
import { literalOf } from "./literal.js"
import { sized } from "../../../../test/sizes.js"

/** What a text says that is one expression. */
const evaluate = (text: string) =>
  Effect.gen(function* () {
    const parse = yield* yield* parserOf("python")
    const tree = parse(text)
    const expression = itemsOf(tree.rootNode)[0]?.firstChild
    return expression === null || expression === undefined
      ? yield* Effect.dieMessage(`no expression in ${text}`)
      : literalOf(expression)
  }).pipe(Effect.scoped)

const cases: ReadonlyArray<readonly [text: string, value: Json.Json]> = [
  ["None", null],
  ["True", true],
  ["False", false],
  ["1_000", 1000],
  ["0xFF", 255],
  ["0o17", 15],
  ["0b101", 5],
  ["00", 0],
  ["-7", -7],
  ["+7", 7],
  ["-(-7)", 7],
  ["-0", 0],
  ["1e3", 1000],
  [".5", 0.5],
  ["5.", 5],
  ["1_0.2_5", 10.25],
  ['"it\'s"', "it's"],
  ["u'x'", "x"],
  ["'a' \"b\" '''c'''", "abc"],
  ["('a'\n  # why\n  'b')", "ab"],
  ['"""two\nlines"""', "two\nlines"],
  ['"""two\r\nlines"""', "two\nlines"],
  ["'joined \\\nline'", "joined line"],
  ["'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"'", "\x07\b\f\n\r\t\v\\'\""],
  ["'\\0\\12\\101\\x41\\u00e9\\U0001f600'", "\0\nAAé😀"],
  ["'\\d+\\.'", "\\d+\\."],
  ["'\\\\x'", "\\x"],
  ["r'\\n\\x'", "\\n\\x"],
  ["f'a{{b}}'", "a{b}"],
  ["[]", []],
  ["[1, 'a', [None],]", [1, "a", [null]]],
  ["()", []],
  ["(1)", 1],
  ["(1,)", [1]],
  ["{1, 2, 1}", [1, 2]],
  ["{}", {}],
  ["{'a': {'b': (1, 2)}, 'a': 3}", { a: 3 }],
  ["{'a': 1,  # why\n 'b': 2}", { a: 1, b: 2 }],
  ['{"😀": "é"}', { "😀": "é" }]
]

describe("literalOf", () => {
  it.effect.each(cases)("evaluates %s", ([text, value]) =>
    Effect.map(evaluate(text), (result) => expect(result).toEqual(Either.right(value)))
  )

  it.effect("keeps the key __proto__ as any other", () =>
    Effect.map(evaluate('{"__proto__": {"a": 1}}'), (result) =>
      expect(JSON.stringify(Either.getOrThrow(result))).toBe('{"__proto__":{"a":1}}')
    )
  )

  it.effect.each([
    ["b'x'", "the bytes b'x', which JSON has not", 1],
    ["1j", "the number 1j, which JSON has not", 1],
    ["1e999", "the number 1e999, which JSON has not", 1],
    ["9007199254740993", "the number 9007199254740993, which JSON readers do not keep exactly", 1],
    ["['é😀', now()]", "the call `now()`", 9],
    ["[x for x in y]", "the comprehension `[x for x in y]`", 1],
    ["{'a': -x}", "the name `x`", 8],
    ["{1: 'a'}", "the key 1, which is no string: JSON has no other keys", 2],
    ["{**a}", "the expression `**a`", 2],
    ["1 + 2", "the expression `1 + 2`", 1],
    ["f'a{b}c'", "the value `{b}` in an f-string", 4],
    ["'a' f'{b}'", "the value `{b}` in an f-string", 7],
    ["'\\N{DASH}'", "the escape \\N{DASH} in a string, which cannot be read; write the character", 1],
    ["'\\x4'", "the escape \\x in a string, which cannot be read; write the character", 1]
  ] as const)("says of %s that it holds %s", ([text, what, column]) =>
    Effect.map(evaluate(text), (result) => expect(result).toEqual(Either.left({ what, place: { line: 1, column } })))
  )

  it.effect("names the line of what is not literal", () =>
    Effect.map(evaluate("[\n  1,\n  len([])\n]"), (result) =>
      expect(result).toEqual(Either.left({ what: "the call `len([])`", place: { line: 3, column: 3 } }))
    )
  )
})

const hasPython = spawnSync("python3", ["-c", ""]).status === 0

describe.skipIf(!hasPython)("literalOf, beside Python itself (skipped where python3 is missing)", () => {
  it.effect("evaluates generated literals as ast.literal_eval does", () =>
    Effect.gen(function* () {
      const literals = FastCheck.sample(literal, { numRuns: sized(30, 500), seed: 7 })
      const expected = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.Unknown)))(
        execFileSync("python3", ["-c", reader], { input: JSON.stringify(literals), maxBuffer: 1 << 26 }).toString()
      )
      for (const [index, text] of literals.entries()) {
        expect([text, yield* evaluate(text)]).toEqual([text, Either.right(expected[index])])
      }
    })
  )
})

const reader = `
import ast, json, sys, warnings
warnings.simplefilter("ignore")
print(json.dumps([ast.literal_eval(text) for text in json.load(sys.stdin)]))
`

const character = FastCheck.oneof(
  FastCheck.constantFrom(..."abc {}[]#%$é😀\t".match(/./gu)!),
  FastCheck.constantFrom(
    ..."\\n \\t \\\\ \\' \\\" \\x41 \\u00e9 \\U0001f600 \\0 \\101 \\7 \\d \\. \\a \\v".split(" "),
    "\\\n"
  )
)

const string = FastCheck.tuple(
  FastCheck.constantFrom("", "r", "u", "R"),
  FastCheck.constantFrom('"', "'", '"""', "'''"),
  FastCheck.array(FastCheck.oneof(character, FastCheck.constantFrom("\n", "'", '"')), { maxLength: 12 })
).map(([prefix, quote, characters]) => {
  // A quote would end the literal, and a raw line end a short one.
  const body = characters.filter((one) => one !== quote.charAt(0) && (quote.length === 3 || one !== "\n")).join("")
  return `${prefix}${quote}${body}${quote}`
})

const scalar = FastCheck.oneof(
  FastCheck.constantFrom("None", "True", "False", "0", "-0", "1_000", "0x_fF", "0o17", "0B11", "1e-3", "-.5", "+2."),
  FastCheck.integer().map(String),
  FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((value) =>
    value === 0 ? "0.0" : value.toExponential()
  ),
  string,
  FastCheck.tuple(string, string).map(([left, right]) => `(${left} ${right})`)
)

const { tree: literal } = FastCheck.letrec<{ tree: string }>((tie) => ({
  tree: FastCheck.oneof(
    { depthSize: "small" },
    scalar,
    FastCheck.array(tie("tree"), { maxLength: 4 }).map((items) => `[${items.join(", ")}]`),
    FastCheck.array(tie("tree"), { minLength: 1, maxLength: 4 }).map((items) => `(${items.join(",\n  ")},)`),
    FastCheck.array(FastCheck.tuple(string, tie("tree")), { maxLength: 4 }).map(
      (pairs) => `{${pairs.map(([key, value]) => `${key}: ${value}`).join(", # next\n ")}}`
    )
  )
}))
