import type { Json } from "@wield/core"
import { expect, it } from "@effect/vitest"
import { Arbitrary, Effect, FastCheck, Schema } from "effect"
import { serve, type Served } from "./driver.js"
import { character } from "../../../../test/characters.js"
import { runs, sized } from "../../../../test/sizes.js"

/** Prints what it is given in base64, which neither the shell nor the pipe can change. */
const echo = [
  "# @describe Echoes.",
  "# @option --text",
  "# @option --integer <INT>",
  "# @option --number <NUM>",
  "# @option --list*",
  "# @option --numbers* <NUM>",
  "# @option --pair <A> <B>",
  "# @option --map%",
  "# @flag --flag",
  "# @flag --count*",
  "# @arg first",
  "# @arg rest*",
  "field() { printf '%s ' \"$1\"; shift; local value; for value; do printf '%s' \"$value\" | base64 -w0; printf ' '; done; echo; }",
  "main() {",
  "  local name key",
  "  for name in text integer number flag count first; do",
  "    local -n value=argc_$name",
  '    if [[ ${value+x} ]]; then field "$name" "$value"; fi',
  "  done",
  "  for name in list numbers pair rest; do",
  "    local -n values=argc_$name",
  '    if declare -p "argc_$name" >/dev/null 2>&1; then field "$name" "${values[@]}"; fi',
  "  done",
  '  for key in "${!argc_map[@]}"; do field map "$key" "${argc_map[$key]}"; done',
  '  field positionals "$@"',
  "}",
  'eval "$(argc --argc-eval "$0" "$@")"'
].join("\n")

const awkwardTexts = [
  ["", " ", "\n", "\n\n", "\t", "\r\n", "-n", "--", "--list", "a=b", "end", "list", "%s%n"],
  ["$(touch evil)", "`id`", "${HOME}", "$1", "(x)", "[0]=1", "*", "~", "!", "\\", "\\\\n", "'", '"'],
  ["a\nb\n", "\u0001", "\u007f", "\u001e", "\u001d", "\u001e\u001d\u0001", "é", "日本", "👩‍👩‍👧"],
  ["x".repeat(5000), "é\n".repeat(3000)]
]
const awkward = FastCheck.constantFrom(...awkwardTexts.flat())
const text = FastCheck.oneof(
  awkward,
  FastCheck.string({ unit: character }).map((value) => value.replaceAll("\0", "")),
  FastCheck.array(awkward).map((parts) => parts.join(""))
)
const key = text.filter((value) => value !== "" && value !== "__proto__")
const number = Arbitrary.make(Schema.JsonNumber)
const optional = <A>(arbitrary: FastCheck.Arbitrary<A>) => FastCheck.option(arbitrary, { nil: null })

const parameters = FastCheck.record({
  text: optional(text),
  integer: optional(FastCheck.integer()),
  number: optional(number),
  list: optional(FastCheck.array(text)),
  numbers: optional(FastCheck.array(number)),
  pair: optional(FastCheck.tuple(text, text)),
  map: optional(FastCheck.dictionary(key, text)),
  flag: optional(FastCheck.boolean()),
  count: optional(FastCheck.nat(9)),
  first: optional(text),
  rest: optional(FastCheck.array(text))
})

type Given = Json.JsonObject

/** What the script prints of these arguments. */
const expected = (given: Given): ReadonlyArray<ReadonlyArray<string>> => {
  const fields: Array<ReadonlyArray<string>> = []
  // A number as models write it: `1e21`, not `1e+21`.
  const said = (value: Json.Json): string =>
    typeof value === "string"
      ? value
      : typeof value === "number"
        ? String(value).replace("e+", "e")
        : JSON.stringify(value)
  const items = (value: Json.Json | undefined): ReadonlyArray<string> => (Array.isArray(value) ? value.map(said) : [])
  for (const name of ["text", "integer", "number", "flag", "count", "first"]) {
    const value = given[name] ?? null
    if (value === null || value === false || (name === "count" && value === 0)) continue
    fields.push([name, value === true ? "1" : said(value)])
  }
  for (const name of ["list", "numbers", "pair", "rest"]) {
    if (Array.isArray(given[name])) fields.push([name, ...items(given[name])])
  }
  for (const [name, value] of Object.entries(given["map"] ?? {})) fields.push(["map", name, said(value)])
  const first = given["first"] ?? null
  const rest = items(given["rest"])
  fields.push(["positionals", ...(first === null ? (rest.length > 0 ? [""] : []) : [said(first)]), ...rest])
  return fields
}

const decoded = (output: string): ReadonlyArray<ReadonlyArray<string>> =>
  output
    .split("\n")
    .slice(0, -1)
    .map((line) =>
      line
        .slice(0, -1)
        .split(" ")
        .map((field, at) => (at === 0 ? field : Buffer.from(field, "base64").toString()))
    )

// An empty array prints its name only; maps have no order.
const sorted = (fields: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  fields.map((field) => JSON.stringify(field)).toSorted()

const arrives = (served: Served, given: Given) =>
  Effect.map(served.call(given), ({ reply, standardError, standardOutput }) => {
    expect({ reply, standardError }).toEqual({ reply: { type: "none", isMarked: true }, standardError: "" })
    expect(sorted(decoded(standardOutput))).toEqual(sorted(expected(given)))
  })

for (const locale of ["C", "C.UTF-8"]) {
  it.scoped(`generated arguments arrive as they were sent, from one warm program in the locale ${locale}`, () =>
    Effect.gen(function* () {
      const served = yield* serve({ scripts: { "echo.sh": echo }, environment: { LC_ALL: locale } })
      for (const given of FastCheck.sample(parameters, { numRuns: runs(60), seed: 5 })) yield* arrives(served, given)
    })
  )
}

it.scoped("generated arguments arrive as they were sent, each in a fresh program", () =>
  Effect.gen(function* () {
    for (const given of FastCheck.sample(parameters, { numRuns: sized(2, 15), seed: 6 })) {
      yield* Effect.scoped(
        Effect.flatMap(serve({ scripts: { "echo.sh": echo }, mode: "once" }), (served) => arrives(served, given))
      )
    }
  })
)

it.scoped("texts of megabytes arrive as options, positional arguments and list items", () =>
  Effect.gen(function* () {
    const served = yield* serve({ scripts: { "echo.sh": echo } })
    const long = "é'$(id)\n".repeat(sized(60_000, 600_000))
    yield* arrives(served, { text: long, first: long })
    yield* arrives(served, { list: [long, "short"], text: "a".repeat(sized(500_000, 5_000_000)) })
  })
)
