import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { report } from "@wield/core/Problem"
import { fixture, read } from "./driver.js"

it.effect.each([
  ["demo_sh.sh", "demo_sh.json", "tool", []],
  ["modifiers.sh", "modifiers.json", "tool", []],
  ["tools.sh", "tools.json", "agent", ["tools.sh:9:3: warning: ignored belongs to no command: put it below a @cmd"]]
] as const)("%s has the declarations of %s", ([script, golden, kind, warnings]) =>
  Effect.map(read(fixture(script), kind, script), ({ environment, functions, problems, requiredTools }) => {
    const declarations = functions.map(({ description, entry, inputSchema, name }) => ({
      name,
      entry,
      description,
      parameters: inputSchema
    }))
    expect(problems.map(report)).toEqual(warnings)
    expect({
      functions: declarations,
      requiredTools,
      environment: JSON.parse(JSON.stringify(environment, (key, value) => (key === "place" ? undefined : value)))
    }).toEqual(JSON.parse(fixture(golden)))
  })
)

it.effect("each parameter of the demo tool of Loki's documentation is there, as it has it for Python", () =>
  Effect.map(read(fixture("demo_sh.sh")), ({ functions: [main] }) => {
    expect(
      main?.parameters.map(({ isRequired, name, schema }) => [name, schema["type"], isRequired, schema["default"]])
    ).toEqual([
      ["string", "string", true, undefined],
      ["string_enum", "string", true, undefined],
      ["boolean", "boolean", false, false],
      ["integer", "integer", true, undefined],
      ["number", "number", true, undefined],
      ["array", "array", true, undefined],
      ["string_optional", "string", false, undefined],
      ["integer_with_default", "integer", false, 42],
      ["number_with_default", "number", false, 3.14],
      ["string_with_default", "string", false, "hello"],
      ["string_enum_with_default", "string", false, "foo"],
      ["array_optional", "array", false, undefined]
    ])
  })
)

it.effect("a tool has the name of its file", () =>
  Effect.map(read("# @describe A tool.\nmain() { :; }"), ({ functions: [main] }) => {
    expect([main?.name, main?.entry]).toEqual(["get_weather", "main"])
  })
)

it.effect("a default command is the tool where the script itself declares nothing", () =>
  Effect.map(
    read("# @cmd Look.\n# @meta default-subcommand\n# @option --city\nlook() { :; }\n# @cmd Other.\nother() { :; }"),
    ({ functions, problems }) => {
      expect(functions.map(({ description, entry, parameters }) => [entry, description, parameters[0]?.name])).toEqual([
        ["look", "Look.", "city"]
      ])
      expect(problems).toEqual([])
    }
  )
)

it.effect(
  "a default command is the tool where the script has options, which it has too where they are inherited",
  () => {
    const script = (...meta: ReadonlyArray<string>) =>
      [
        "# @describe Looks.",
        "# @option --country!",
        ...meta,
        "# @cmd Look.",
        "# @meta default-subcommand",
        "# @option --city",
        'look() { echo "$argc_city in $argc_country"; }',
        'eval "$(argc --argc-eval "$0" "$@")"'
      ].join("\n")
    const told = (text: string) =>
      Effect.map(read(text), ({ functions: [tool], problems }) => ({
        entry: tool?.entry,
        parameters: tool?.parameters.map(({ name }) => name),
        problems: problems.map(({ message }) => message)
      }))
    return Effect.gen(function* () {
      expect(yield* told(script("# @meta inherit-flag-options"))).toEqual({
        entry: "look",
        parameters: ["country", "city"],
        problems: []
      })
      expect(yield* told(script())).toEqual({
        entry: "look",
        parameters: ["city"],
        problems: [
          "country belongs to no command: put it below a @cmd, or write `# @meta inherit-flag-options` for all to have it"
        ]
      })
    })
  }
)

it.effect("what is said to a linter is no description", () =>
  Effect.map(
    read("# @describe A tool.\n# shellcheck disable=SC2034,SC2154\n# Of two lines.\nmain() { :; }"),
    ({ functions }) => expect(functions.map(({ description }) => description)).toEqual(["A tool.\nOf two lines."])
  )
)

it.effect("valid Bash that the grammar does not know is no mistake", () =>
  Effect.map(
    read(
      "# @describe A tool.\nmain() {\n  case $1 in\n    !(a|b)) echo x ;;\n  esac\n  echo ${ ls; } $(( 1 ? 2 : 3 ))\n}\n"
    ),
    ({ functions }) => expect(functions.map(({ entry }) => entry)).toEqual(["main"])
  )
)
