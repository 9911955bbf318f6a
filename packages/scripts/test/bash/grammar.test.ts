/** Tags as argc reads them, and what it refuses. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { report } from "@wield/core/Problem"
import { read, serve } from "./driver.js"

const argcLine = 'eval "$(argc --argc-eval "$0" "$@")"'
const none = { type: "none", isMarked: true }

const script = (...lines: ReadonlyArray<string>): string => ["# @describe A tool.", ...lines, ""].join("\n")

const parameterOf = (tag: string) =>
  Effect.map(read(script(`# ${tag}`, "main() { :; }"), "tool", "a.sh"), ({ functions: [main], problems }) => ({
    parameter: main?.parameters.map(({ isRequired, name, schema }) => ({ name, isRequired, ...schema }))[0],
    problems: problems.map(report)
  }))

const text = { name: "a", isRequired: false, type: "string" }
const texts = { type: "array", items: { type: "string" } }

it.effect.each([
  ["@option -D-* Definitions", { ...text, name: "D", ...texts, description: "Definitions" }],
  ["@option -D- A definition", { ...text, name: "D", description: "A definition" }],
  ["@option --set-*", { ...text, name: "set", ...texts }],
  ["@option --a:[x|y] Which", { ...text, enum: ["x", "y"], description: "Which" }],
  ["@option --a: Which", { ...text, description: "Which" }],
  ["@option --a*: Which", { ...text, ...texts, description: "Which" }],
  ["@option --a A <b>bold</b> text", { ...text, description: "A <b>bold</b> text" }],
  ["@option --a < 10 items", { ...text, description: "< 10 items" }],
  ["@option --a <N> < 10 items", { ...text, description: "< 10 items" }],
  ["@option --a <file or folder> Where", { ...text, description: "Where" }],
  ["@option --a <<INT>> Nested", { ...text, description: "Nested" }],
  ["@option --a <> Empty", { ...text, description: "Empty" }],
  ["@option --a <DIR> $HOME unless stated", { ...text, description: "$HOME unless stated" }],
  ["@option --a! <DIR> $$ is no variable", { ...text, isRequired: true, description: "$$ is no variable" }],
  ["@option --a! $$ <DIR> Where", { ...text, description: "Where" }],
  ["@option --a $5 at most", { ...text, description: "$5 at most" }],
  ["@flag --a <b>bold</b> text", { ...text, type: "boolean", default: false, description: "<b>bold</b> text" }],
  ["@flag --a <one of two> Which", { ...text, type: "boolean", default: false, description: "<one of two> Which" }],
  ["@arg a <INT> <b>how many</b>", { ...text, type: "integer", description: "<b>how many</b>" }],
  [
    "@option --a* <KEY> <VALUE> Pairs",
    { ...text, type: "array", items: { ...texts, minItems: 2, maxItems: 2 }, description: "Pairs" }
  ],
  [
    "@option --a+ <KEY> <VALUE+>",
    { ...text, isRequired: true, type: "array", items: { ...texts, minItems: 2 }, minItems: 1 }
  ],
  [
    "@option --a* <NAME> <INT>",
    {
      ...text,
      type: "array",
      items: {
        type: "array",
        prefixItems: [{ type: "string" }, { type: "integer" }],
        items: { type: "integer" },
        minItems: 2,
        maxItems: 2
      }
    }
  ]
] as const)("`# %s` is read as argc reads it, without a problem", ([tag, parameter]) =>
  Effect.map(parameterOf(tag), (found) => expect(found).toEqual({ parameter, problems: [] }))
)

const refused: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
  [
    "a short name twice",
    ["# @option -a --all", "# @flag -a --any", "main() { :; }"],
    "a.sh:3:3: error: -a is the name of --all before; take another one"
  ],
  [
    "an argument twice",
    ["# @arg city", "# @arg city", "main() { :; }"],
    "a.sh:3:3: error: city is declared before; argc_city can hold only one of both"
  ],
  [
    "a tag below a function",
    ["main() { :; }", "# @option --late"],
    "a.sh:3:3: error: @option stands below a function, where it belongs to nothing: put it above the first function, or below a @cmd"
  ],
  [
    "a notation that text follows at once",
    ["# @option --a <b>bold</b> text", "main() { :; }"],
    "a.sh:2:18: error: Expected a space after the notation `<b>`, found `bold</b>`"
  ]
]

it.effect.each(refused)("%s is an error, as it is to argc", ([, lines, problem]) =>
  Effect.map(read(script(...lines), "tool", "a.sh"), ({ functions, problems }) => {
    expect(functions).toEqual([])
    expect(problems.map(report)).toEqual([problem])
  })
)

it.effect("a command that is defined again is an error, an alias that is taken a warning", () =>
  Effect.map(
    read(
      ["# @cmd One.", "# @alias o", "one() { :; }", "# @cmd Two.", "# @alias o,t", "two() { :; }", "one() { :; }"].join(
        "\n"
      ),
      "agent",
      "a.sh"
    ),
    ({ functions, problems }) => {
      expect(functions.map(({ name }) => name)).toEqual(["two"])
      expect(problems.map(report)).toEqual([
        "a.sh:5:3: warning: o is an alias before, so argc refuses the script",
        "a.sh:7:1: error: The command one is defined again here, and this is the definition that would run; rename one of both"
      ])
    }
  )
)

it.effect("of several descriptions the last one counts, and the others are warnings", () =>
  Effect.map(
    read(script("# @describe Another.", "main() { :; }"), "tool", "a.sh"),
    ({ functions: [main], problems }) => {
      expect(main?.description).toBe("Another.")
      expect(problems.map(report)).toEqual([
        "a.sh:1:1: warning: There is another description below, which is the one that counts".replace(":1:1:", ":1:3:")
      ])
    }
  )
)

const tool = (...lines: ReadonlyArray<string>) => ({ "tool.sh": script(...lines) })

it.scoped("values that follow one word, and those that follow it at once, arrive in order", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option -D-*",
        "# @option --pair* <KEY> <VALUE>",
        "# @option --range <FROM> <TO>",
        'main() { printf "<%s>" "${argc_D[@]}" - "${argc_pair[@]}" - "${argc_range[@]}" - "${argc__args[@]:1}"; }',
        argcLine
      )
    })
    const given = {
      D: ["a=b=c", "d"],
      pair: [
        ["k", "v w"],
        ["l", ""]
      ],
      range: ["1", "2"]
    }
    expect((yield* call(given)).standardOutput).toBe(
      "<a=b=c><d><-><k><v w><l><><-><1><2><-><-Da=b=c><-Dd><--pair><k><v w><--pair><l><><--range><1><2>"
    )
  })
)

it.scoped("a value of the environment is checked as argc checks it", () =>
  Effect.gen(function* () {
    const scripts = tool(
      "# @option --unit[metric|imperial] $UNIT",
      "# @option --tags*,[a|b] $TAGS",
      "# @flag --loud $$",
      "# @flag --more* $$",
      'main() { echo "$argc_unit ${argc_tags[*]} ${argc_loud-quiet}${argc_more-}"; }',
      argcLine
    )
    const said = (environment: { readonly [name: string]: string }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { call } = yield* serve({ scripts, environment })
          const { reply, standardError, standardOutput } = yield* call()
          return reply.type === "none" ? standardOutput : standardError
        })
      )
    expect(yield* said({ UNIT: "metric", TAGS: "a,b", LOUD: "true", MORE: "true" })).toBe("metric a b 11\n")
    expect(yield* said({ UNIT: "metric", LOUD: "false", MORE: "3" })).toBe("metric  quiet3\n")
    expect(yield* said({ UNIT: "furlong" })).toBe(
      "error: invalid value `furlong` for environment variable `UNIT`\n  [possible values: metric, imperial]\n"
    )
    expect(yield* said({ TAGS: "a,c" })).toContain("error: invalid value `c` for environment variable `TAGS`")
    expect(yield* said({ LOUD: "yes" })).toBe("error: environment variable `LOUD` is `yes`; expected true or false\n")
  })
)

it.scoped("positional arguments of the environment are among the positional ones, and only where they are", () =>
  Effect.gen(function* () {
    const scripts = tool(
      "# @arg first $FIRST",
      "# @arg second=`_second`",
      "# @arg rest*, $REST",
      "_second() { echo made; }",
      'main() { printf "<%s>" "$#" "$@" - "${argc__positionals[@]}"; }',
      argcLine
    )
    const bare = tool("# @arg first $FIRST", 'main() { echo "$# ${argc_first-unset}"; }', argcLine)
    const said = (
      of: { readonly [name: string]: string },
      environment: { readonly [name: string]: string },
      given: { readonly [name: string]: string | ReadonlyArray<string> } = {}
    ) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { call } = yield* serve({ scripts: of, environment })
          const { reply, standardOutput } = yield* call(given)
          expect(reply).toEqual(none)
          return standardOutput
        })
      )
    expect(yield* said(scripts, { FIRST: "one", REST: "x,y" })).toBe("<4><one><made><x><y><-><one><made><x><y>")
    expect(yield* said(scripts, { REST: "x,y" }, { second: "two" })).toBe("<4><><two><x><y><-><><two><x><y>")
    expect(yield* said(scripts, { FIRST: "one" }, { rest: ["z"] })).toBe("<3><one><made><z><-><one><made><z>")
    expect(yield* said(bare, {})).toBe("0 unset\n")
    expect(yield* said(bare, { FIRST: "one" })).toBe("1 one\n")
  })
)

it.scoped.each([
  ["prints nothing", "_units() { :; }", "printed none"],
  ["fails", "_units() { return 3; }", "printed none and exited with code 3"],
  ["fails in a script with set -e", "set -e\n_units() { return 3; }", "printed none and exited with code 3"],
  ["does not exist", "", "printed none and exited with code 127"]
])("no value is accepted where the function that prints the choices %s", ([, units, reason]) =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool("# @option --unit[`_units`]", units, "main() { echo called; }", argcLine)
    })
    const { reply, standardError, standardOutput } = yield* call({ unit: "metric" })
    expect(reply).toMatchObject({ type: "exited", code: 1 })
    expect(standardOutput).toBe("")
    expect(standardError).toContain(
      `error: no value is possible for \`--unit <UNIT>\`: _units, which prints the possible values, ${reason}\n`
    )
    expect((yield* call({})).standardOutput).toBe("called\n")
  })
)

it.scoped("choices count although the function that prints them fails in the end", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option --unit[`_units`]",
        "_units() { echo metric; false; }",
        "main() { echo called; }",
        argcLine
      )
    })
    expect((yield* call({ unit: "metric" })).standardOutput).toBe("called\n")
  })
)
