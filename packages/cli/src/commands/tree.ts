/** The commands as @effect/cli has them. The module of a command is loaded when it runs. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Options from "@effect/cli/Options"
import { check, instructions, toolFile } from "../tool-file/tree.js"
import { run } from "./run.js"

const json = Options.boolean("json").pipe(Options.withDescription("Print one JSON value (see output.schema.json)"))

const common = {
  config: Options.text("config").pipe(
    Options.withAlias("c"),
    Options.withDescription(
      "The configuration. By default WIELD_CONFIG, or the nearest wield.config.ts, .js, .json, .yaml"
    ),
    Options.optional
  ),
  trust: Options.boolean("trust").pipe(Options.withDescription("Let the configuration and its tools run, this time")),
  json
}

const toolset = Options.text("toolset").pipe(
  Options.withAlias("t"),
  Options.withDescription("Only the tools of this toolset"),
  Options.optional
)

const context = Options.text("context").pipe(
  Options.withDescription("A value of the call context, key=value. You can repeat it"),
  Options.repeated
)

const list = Command.make(
  "list",
  {
    ...common,
    toolset,
    names: Options.boolean("names").pipe(Options.withDescription("Print names only")),
    pattern: Args.text({ name: "pattern" }).pipe(
      Args.withDescription("A part of a name, or a name with * for any text"),
      Args.optional
    )
  },
  run(() => import("./list.js").then((module) => module.list))
).pipe(Command.withDescription("List the tools: name, description, facts, source"))

const inspect = Command.make(
  "inspect",
  {
    ...common,
    wire: Options.text("wire").pipe(
      Options.withAlias("w"),
      Options.withDescription(
        "Print the tool as this API gets it, such as anthropic or openai-chat, with what is lost"
      ),
      Options.optional
    ),
    tool: Args.text({ name: "tool" })
  },
  run(() => import("./inspect.js").then((module) => module.inspect))
).pipe(Command.withDescription("Show one tool as a model gets it"))

const call = Command.make(
  "call",
  {
    ...common,
    toolset,
    context,
    args: Options.text("args").pipe(
      Options.withAlias("a"),
      Options.withDescription("The arguments as JSON, @file, or - for standard input"),
      Options.optional
    ),
    approve: Options.boolean("approve").pipe(Options.withDescription("Approve the call where the policy asks")),
    deny: Options.text("deny").pipe(Options.withDescription("Deny the call with this reason"), Options.optional),
    tool: Args.text({ name: "tool" }),
    fields: Args.text({ name: "key=value" }).pipe(
      Args.withDescription("An argument. Its value is read by the tool's schema: text, or JSON"),
      Args.repeated
    )
  },
  run(() => import("./call.js").then((module) => module.call))
).pipe(Command.withDescription("Call one tool: validation, approval, limits, outcome"))

const diff = Command.make(
  "diff",
  {
    ...common,
    version: Options.text("from-version").pipe(
      Options.withDescription("The version of the state before, to learn the next one"),
      Options.optional
    ),
    before: Args.text({ name: "before" }).pipe(
      Args.withDescription(
        "A file of `wield list --json` or of MCP's tools/list, a manifest, an OpenAPI file, a folder"
      )
    ),
    after: Args.text({ name: "after" }).pipe(
      Args.withDescription("The same; the project's tools unless given"),
      Args.optional
    )
  },
  run(() => import("./diff.js").then((module) => module.diff))
).pipe(Command.withDescription("Compare two states of a toolset, and say what version number the changes deserve"))

const replay = Command.make(
  "replay",
  {
    ...common,
    records: Args.text({ name: "records" }).pipe(
      Args.withDescription(
        "Recorded calls: JSON or JSON Lines of calls, provider bodies, conversations. - for standard input"
      )
    ),
    state: Args.text({ name: "tools" }).pipe(
      Args.withDescription("As `wield diff` takes it; the project's tools unless given"),
      Args.optional
    )
  },
  run(() => import("./replay.js").then((module) => module.replay))
).pipe(Command.withDescription("Check recorded calls against the tools as they are now. Nothing is run"))

const lint = Command.make(
  "lint",
  {
    ...common,
    wire: Options.text("wire").pipe(
      Options.withAlias("w"),
      Options.withDescription(
        "Report what this API loses, such as anthropic. You can repeat it; all APIs unless given"
      ),
      Options.repeated
    ),
    maxWarnings: Options.integer("max-warnings").pipe(
      Options.withDescription("Fail where there are more warnings"),
      Options.optional
    ),
    state: Args.text({ name: "tools" }).pipe(
      Args.withDescription("As `wield diff` takes it; the project's tools unless given"),
      Args.optional
    )
  },
  run(() => import("./lint.js").then((module) => module.lint))
).pipe(Command.withDescription("Check tools: missing words, tools that are alike, what each API loses, tokens"))

const trust = Command.make(
  "trust",
  {
    remove: Options.boolean("remove").pipe(Options.withDescription("Trust the folder no longer")),
    json,
    folder: Args.text({ name: "folder" }).pipe(Args.withDescription("The working folder unless given"), Args.optional)
  },
  run(() => import("./trust.js").then((module) => module.trust))
).pipe(Command.withDescription("Let the tools and the configuration of a folder run"))

export const command = Command.make("wield").pipe(
  Command.withDescription("Declare a tool once; any model, from any provider, can wield it."),
  Command.withSubcommands([list, inspect, call, diff, replay, lint, trust, toolFile])
)

/** The commands that do something, by their words: for documentation and completion, and to know their options. */
export const leaves: ReadonlyMap<string, CommandDescriptor.Command<unknown>> = new Map([
  ["list", list.descriptor],
  ["inspect", inspect.descriptor],
  ["call", call.descriptor],
  ["diff", diff.descriptor],
  ["replay", replay.descriptor],
  ["lint", lint.descriptor],
  ["trust", trust.descriptor],
  ["tool-file instructions", instructions.descriptor],
  ["tool-file check", check.descriptor]
] as ReadonlyArray<readonly [string, CommandDescriptor.Command<unknown>]>)
