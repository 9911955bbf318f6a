import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { report } from "@wield/core/Problem"
import type { Source } from "../../src/syntax/Source.js"
import { read } from "./driver.js"

const problemsOf = (text: string, kind: Source["kind"] = "tool") =>
  Effect.map(read(text, kind, "a.sh"), ({ functions, problems }) => ({
    functions: functions.map(({ name }) => name),
    problems: problems.map(report)
  }))

const withTag = (tag: string): string => `# @describe A tool.\n# ${tag}\nmain() { :; }\n`

it.effect.each([
  ["@option", "a.sh:2:10: error: Expected the option's name, as in `# @option -n --name`, found the end of the line"],
  ["@option name", "a.sh:2:11: error: Expected the option's name, as in `# @option -n --name`, found `name`"],
  ["@option --a[x|y", "a.sh:2:18: error: Expected `|` or `]` after a choice, found the end of the line"],
  [
    "@option --a[]",
    "a.sh:2:15: error: Expected a choice, as in `[a|b]`, or a function that prints them, as in [`function`], found `]`"
  ],
  [
    "@option --a= x",
    "a.sh:2:15: error: Expected a default after `=`: a value, or a function that prints it in backticks, found a space"
  ],
  ["@option --a!x", "a.sh:2:15: error: Expected a space here, found `x`"],
  ["@option --a <INT", "a.sh:2:16: error: Expected a notation in angle brackets, as in `<INT>`, found `INT`"],
  ["@option --a <A>* <B>", "a.sh:2:20: error: Only the last notation may have `*`"],
  ["@flag --a <INT>", "a.sh:2:12: error: A flag takes no value; to take INT, make it an @option"],
  ["@arg", "a.sh:2:7: error: Expected the argument's name, as in `# @arg city! Where`, found the end of the line"],
  ["@arg a <A> <B>", "a.sh:2:9: error: Expected one notation: an argument is one value"],
  ["@env 1A", "a.sh:2:8: error: Expected a variable's name, as in `# @env API_KEY! The key`, found `1A`"],
  ["@meta", "a.sh:2:8: error: Expected a name, as in `# @meta require-tools jq,curl`, found the end of the line"],
  ["@meta require-tools", "a.sh:2:3: error: Expected names of programs, as in `# @meta require-tools jq,curl`"],
  ["@alias ,", "a.sh:2:10: error: Expected names separated by commas, found `,`"],
  ["@option --a=x <INT>", 'a.sh:2:3: error: The default of --a <INT> is "x"; expected an integer'],
  ["@option --a=1x <INT>", 'a.sh:2:3: error: The default of --a <INT> is "1x"; expected an integer'],
  ["@option --a[1|x] <NUM>", 'a.sh:2:3: error: A choice of --a <NUM> is "x"; expected a number']
] as const)("`# %s` is an error at its place that says what was expected", ([tag, problem]) =>
  Effect.map(problemsOf(withTag(tag)), (found) => expect(found).toEqual({ functions: [], problems: [problem] }))
)

it.effect("two parameters that one variable would hold are an error", () =>
  Effect.map(problemsOf("# @describe A tool.\n# @option --a-b\n# @flag --a_b\nmain() { :; }"), (found) =>
    expect(found).toEqual({
      functions: [],
      problems: ["a.sh:3:3: error: a_b is declared before; argc_a_b can hold only one of both"]
    })
  )
)

it.effect.each(["_fn", "_args", "_positionals"])(
  "a parameter %s, whose variable argc sets itself, is an error",
  (name) =>
    Effect.map(problemsOf(`# @describe A tool.\n# @option --${name}\nmain() { :; }`), (found) =>
      expect(found).toEqual({
        functions: [],
        problems: [`a.sh:2:3: error: argc_${name} is a variable that argc itself sets; name it otherwise`]
      })
    )
)

it.effect.each([
  ["@optoin --a", "There is no tag @optoin, so it is ignored; did you mean @option?"],
  ["@FLGA --a", "There is no tag @FLGA, so it is ignored; did you mean @flag?"],
  ["@someone look here", "There is no tag @someone, so it is ignored; write \\@ where a comment begins with an @"],
  ["@meta binname weather", "binname is ignored: it concerns command lines, not tools"],
  ["@meta dotenv .env.local", ".env.local is not read; put its variables into the .env of the folder, or source it"],
  ["@option --a[`_none`]", "The script has no function _none; unless it sources one, every call that needs it fails"]
] as const)("`# %s` is a warning and leaves the tool", ([tag, message]) =>
  Effect.map(problemsOf(withTag(tag)), (found) =>
    expect(found).toEqual({ functions: ["a"], problems: [`a.sh:2:3: warning: ${message}`] })
  )
)

it.effect("a description ends with the comment that it stands in", () =>
  Effect.map(read("# @describe A tool.\n# It does much.\n\n# Done by main.\nmain() { :; }", "tool", "a.sh"), (found) =>
    expect(found.functions.map(({ description }) => description)).toEqual(["A tool.\nIt does much."])
  )
)

it.effect("a tool without a description is an error", () =>
  Effect.map(problemsOf("# @option --a\nmain() { :; }"), (found) =>
    expect(found).toEqual({
      functions: [],
      problems: ["a.sh:1:1: error: The script has no description; say in a comment what the tool does: `# @describe …`"]
    })
  )
)

it.effect("a tool without anything to run is an error", () =>
  Effect.map(problemsOf("# @describe A tool.\nset -e\nrun() { :; }"), (found) =>
    expect(found).toEqual({
      functions: [],
      problems: ["a.sh:1:1: error: There is no function main and nothing else to run; write main() { … }"]
    })
  )
)

it.effect("commands of which none is the tool are an error, whatever the script itself declares", () =>
  Effect.map(
    problemsOf(
      '# @describe A tool.\n# @option --a\n# @cmd First.\nfirst() { :; }\n# @cmd Hidden.\n_second() { :; }\neval "$(argc --argc-eval "$0" "$@")"'
    ),
    (found) =>
      expect(found).toEqual({
        functions: [],
        problems: [
          "a.sh:1:1: error: The file is one tool, and none of its commands (`first`) is it: write `# @meta default-subcommand` below the @cmd that is, or name the file tools.sh for each to be a tool"
        ]
      })
  )
)

it.effect("what is wrong with a command leaves the others", () =>
  Effect.map(
    problemsOf(
      [
        "# @cmd First.",
        "# @option --a[",
        "first() { :; }",
        "# @cmd",
        "second() { :; }",
        "# @cmd Third.",
        "third() { :; }",
        "# @cmd Lost.",
        "# @cmd Same.",
        "third() { :; }"
      ].join("\n"),
      "agent"
    ),
    (found) =>
      expect(found).toEqual({
        functions: ["third"],
        problems: [
          "a.sh:2:15: error: Expected a choice, as in `[a|b]`, or a function that prints them, as in [`function`], found the end of the line",
          "a.sh:4:3: error: second has no description; say after @cmd what the tool does",
          "a.sh:8:3: error: Expected a function below @cmd, before the next one",
          "a.sh:9:3: error: There is a tool third before; rename one of both"
        ]
      })
  )
)

it.effect("what is wrong above all commands is wrong for each", () =>
  Effect.map(problemsOf("# @env =\n# @cmd First.\nfirst() { :; }", "agent"), (found) =>
    expect(found).toEqual({
      functions: [],
      problems: ["a.sh:1:8: error: Expected a variable's name, as in `# @env API_KEY! The key`, found `=`"]
    })
  )
)

it.effect("an agent's file without commands is an error", () =>
  Effect.map(problemsOf("main() { :; }", "agent"), (found) =>
    expect(found).toEqual({
      functions: [],
      problems: ["a.sh:1:1: error: There is no command; write `# @cmd what it does` above each function that is a tool"]
    })
  )
)

it.effect.each([
  [
    "# @describe A tool.\nmain() {\n  if true; then\n    echo x\n}\n",
    /^a\.sh:5:1: error: Syntax error near unexpected token `}'; /
  ],
  ["# @describe A tool.\nmain() { echo 'x; }\n", /^a\.sh:2:\d+: error: Unexpected EOF while looking for matching `''; /]
] as const)("a syntax error has the line that Bash tells", ([text, message]) =>
  Effect.map(problemsOf(text), ({ functions, problems }) => {
    expect(functions).toEqual([])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(message)
  })
)
