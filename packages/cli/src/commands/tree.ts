/**
 * The commands as @effect/cli has them. The module of a command is loaded when it runs.
 *
 * The file is long because it lists each command with its options, as `--help` shows them.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Options from "@effect/cli/Options"
import type * as Usage from "@effect/cli/Usage"
import * as Option from "effect/Option"
import { toolFile, toolFileCommands } from "../tool-file/tree.js"
import { run } from "./handler.js"

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

const choices = <const Names extends ReadonlyArray<string>>(names: Names) =>
  // No list of names is empty.
  names.map((name): [string, Names[number]] => [name, name]) as [
    [string, Names[number]],
    ...Array<[string, Names[number]]>
  ]

const toolset = Options.text("toolset").pipe(
  Options.withAlias("t"),
  Options.withDescription("Only the tools of this toolset"),
  Options.optional
)

const context = Options.text("context").pipe(
  Options.withDescription("A value of the call context, key=value"),
  Options.repeated
)

const state = Args.text({ name: "tools" }).pipe(
  Args.withDescription("As `wield diff` takes it; the project's tools unless given"),
  Args.optional
)

const stored = Args.text({ name: "conversation" })

/** The library's own refusal of a text that is no number names no option. */
const wholeNumber = (name: string, from: number, to: number = Number.MAX_SAFE_INTEGER) =>
  Options.text(name).pipe(
    Options.withPseudoName("integer"),
    Options.filterMap(
      (text) => {
        const given = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
        return given >= from && given <= to ? Option.some(given) : Option.none()
      },
      `--${name}: expected a whole number ${to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`}`
    )
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

const search = Command.make(
  "search",
  {
    ...common,
    toolset,
    limit: wholeNumber("limit", 1).pipe(
      Options.withAlias("n"),
      Options.withDescription("How many tools are shown at most: 5 unless given"),
      Options.withDefault(5)
    ),
    request: Args.text({ name: "request" }).pipe(Args.withDescription("What a tool should do, in a user's words"))
  },
  run(() => import("./search.js").then((module) => module.search))
).pipe(Command.withDescription("Find tools by a request, as a model finds them that is not shown all"))

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
    state
  },
  run(() => import("./replay.js").then((module) => module.replay))
).pipe(Command.withDescription("Check recorded calls against the tools as they are now. Nothing is run"))

const lint = Command.make(
  "lint",
  {
    ...common,
    wire: Options.text("wire").pipe(
      Options.withAlias("w"),
      Options.withDescription("Report what this API loses, such as anthropic; all APIs unless given"),
      Options.repeated
    ),
    maxWarnings: wholeNumber("max-warnings", 0).pipe(
      Options.withDescription("Fail where there are more warnings"),
      Options.optional
    ),
    state
  },
  run(() => import("./lint.js").then((module) => module.lint))
).pipe(Command.withDescription("Check tools: missing words, tools that are alike, what each API loses, tokens"))

const conversation = Options.text("conversation").pipe(
  Options.withDescription("The conversation to go on with; a new one unless given"),
  Options.optional
)

const approveAll = Options.boolean("approve").pipe(
  Options.withDescription("Approve every call that the policy asks about")
)

const ask = Command.make(
  "run",
  {
    ...common,
    context,
    conversation,
    approve: approveAll,
    prompt: Args.text({ name: "prompt" }).pipe(
      Args.withDescription("What the model is asked; @file, or - for standard input")
    )
  },
  run(() => import("./ask.js").then((module) => module.ask))
).pipe(Command.withDescription("Ask the model, which calls the tools. --json prints an event a line"))

const chat = Command.make(
  "chat",
  { ...common, context, conversation, approve: approveAll },
  run(() => import("./ask.js").then((module) => module.chat))
).pipe(Command.withDescription("Talk with the model on the terminal; approve, edit or deny its calls"))

const listRuns = Command.make(
  "list",
  common,
  run(() => import("./runs.js").then((module) => module.listRuns))
).pipe(Command.withDescription("List the conversations of the store, and whether each is done, waits, or is open"))

const listStuck = Command.make(
  "stuck",
  {
    ...common,
    patience: wholeNumber("patience", 0).pipe(
      Options.withDescription("The seconds that a run may change nothing; 60 unless given"),
      Options.withDefault(60)
    )
  },
  run(() => import("./runs.js").then((module) => module.listStuck))
).pipe(Command.withDescription("List the conversations that neither wait nor have an answer: their process has ended"))

const retryRun = Command.make(
  "retry",
  { ...common, context, approve: approveAll, conversation: stored },
  run(() => import("./ask.js").then((module) => module.retry))
).pipe(Command.withDescription("Go on with a conversation that is stuck. A call that has run is not repeated"))

const showRun = Command.make(
  "show",
  { ...common, conversation: stored },
  run(() => import("./runs.js").then((module) => module.showRun))
).pipe(Command.withDescription("Show the messages, calls and results of a conversation"))

const forgetRun = Command.make(
  "forget",
  { ...common, conversation: stored },
  run(() => import("./runs.js").then((module) => module.forgetRun))
).pipe(Command.withDescription("Delete a conversation from the store"))

const exportRun = Command.make(
  "export",
  { ...common, conversation: stored },
  run(() => import("./runs.js").then((module) => module.exportRun))
).pipe(Command.withDescription("Print a conversation as JSON, which `wield replay` reads"))

const auditRuns = Command.make(
  "audit",
  { ...common, conversation: stored.pipe(Args.optional) },
  run(() => import("./runs.js").then((module) => module.auditRuns))
).pipe(Command.withDescription("Print who did what: each call, who decided, and what came of it, as JSON Lines"))

const runsCommands = [listRuns, showRun, listStuck, retryRun, exportRun, auditRuns, forgetRun] as const

const runs = Command.make("runs").pipe(
  Command.withDescription("Conversations in the store"),
  Command.withSubcommands(runsCommands)
)

const listApprovals = Command.make(
  "list",
  common,
  run(() => import("./runs.js").then((module) => module.listApprovals))
).pipe(Command.withDescription("List the calls that wait for a person"))

const answerApproval = Command.make(
  "answer",
  {
    ...common,
    context,
    approve: Options.boolean("approve").pipe(Options.withDescription("Approve the call")),
    deny: Options.text("deny").pipe(Options.withDescription("Deny the call with this reason"), Options.optional),
    args: Options.text("args").pipe(
      Options.withAlias("a"),
      Options.withDescription("Approve the call with these arguments instead, as JSON"),
      Options.optional
    ),
    reply: Options.text("reply").pipe(
      Options.withDescription("Reply to a call that waits for input, as JSON"),
      Options.optional
    ),
    id: Args.text({ name: "call" }).pipe(
      Args.withDescription("The id of the request, its first letters (four or more), or that of the call")
    )
  },
  run(() => import("./runs.js").then((module) => module.answerApproval))
).pipe(Command.withDescription("Answer a call that waits; the model goes on when none does any more"))

const approvalsCommands = [listApprovals, answerApproval] as const

const approvals = Command.make("approvals").pipe(
  Command.withDescription("Calls that wait for a person"),
  Command.withSubcommands(approvalsCommands)
)

const address = (port: number) => ({
  port: wholeNumber("port", 0, 65_535).pipe(
    Options.withAlias("p"),
    Options.withDescription("0 is any free port"),
    Options.withDefault(port)
  ),
  host: Options.text("host").pipe(
    Options.withDescription("The address to listen on; 127.0.0.1 unless given"),
    Options.withDefault("127.0.0.1")
  )
})

const serveHttp = Command.make(
  "http",
  {
    ...common,
    context,
    ...address(4980),
    withoutToken: Options.boolean("without-token").pipe(
      Options.withDescription("Serve anyone who can reach the port; otherwise WIELD_TOKEN, or a new token")
    )
  },
  run(() => import("./serve.js").then((module) => module.serveHttp))
).pipe(Command.withDescription("Serve each tool as a POST, with an OpenAPI document"))

const serveMcp = Command.make(
  "mcp",
  { ...common, context },
  run(() => import("./serveMcp.js").then((module) => module.serveMcp))
).pipe(Command.withDescription("Serve the tools as an MCP server over standard input and output"))

const serveCommands = [serveHttp, serveMcp] as const

const serve = Command.make("serve").pipe(
  Command.withDescription("Serve the tools to other programs"),
  Command.withSubcommands(serveCommands)
)

const studio = Command.make(
  "studio",
  {
    ...common,
    context,
    ...address(4983),
    allInterfaces: Options.boolean("allow-all-interfaces").pipe(
      Options.withDescription("Needed for a host of 0.0.0.0 or ::, which every machine around can reach")
    ),
    readOnly: Options.boolean("read-only").pipe(Options.withDescription("Show only: run, answer and change nothing"))
  },
  run(() => import("./studio.js").then((module) => module.studio))
).pipe(Command.withDescription("Serve a page to see and steer what the tools do"))

const outOption = Options.text("out").pipe(
  Options.withAlias("o"),
  Options.withDescription("The file to write; standard output unless given"),
  Options.optional
)

const force = Options.boolean("force").pipe(Options.withDescription("Replace a file that is there"))

const generate = Command.make(
  "generate",
  {
    ...common,
    wire: Options.text("wire").pipe(
      Options.withAlias("w"),
      Options.withDescription("For declarations: the API, openai-chat unless given"),
      Options.optional
    ),
    out: outOption,
    check: Options.boolean("check").pipe(Options.withDescription("Write nothing; fail if the file would change")),
    select: Options.text("select").pipe(
      Options.withDescription("Only this tool, or with a * at its end those that begin so"),
      Options.repeated
    ),
    what: Args.choice(choices(["types", "declarations", "docs"]), { name: "what" }).pipe(
      Args.withDescription("A module of Effect Schemas, the tools of a request body, or a page of Markdown")
    ),
    state
  },
  run(() => import("./generate.js").then((module) => module.generate))
).pipe(Command.withDescription("Write types, declarations or documentation of the tools"))

const importTools = Command.make(
  "import",
  {
    json,
    out: outOption,
    force,
    url: Options.text("url").pipe(
      Options.withDescription("The address of the API"),
      Options.filterMap(
        (text) => (/^(https?:\/\/[^/]|\$\{[^}]+\})/i.test(text) ? Option.some(text) : Option.none()),
        "--url: expected an address that begins with http:// or https://, or with a variable in ${}"
      ),
      Options.optional
    ),
    select: Options.text("select").pipe(
      Options.withDescription("Only this operation, field or server"),
      Options.repeated
    ),
    kind: Args.choice(choices(["openapi", "graphql", "mcp"]), { name: "kind" }),
    file: Args.text({ name: "file" })
  },
  run(() => import("./import.js").then((module) => module.importTools))
).pipe(
  Command.withDescription("Make a manifest of an OpenAPI file or a GraphQL schema, or a configuration of MCP servers")
)

const create = Command.make(
  "new",
  {
    json,
    language: Options.choice("language", ["typescript", "python", "bash"]).pipe(
      Options.withAlias("l"),
      Options.withDefault("typescript")
    ),
    folder: Options.text("folder").pipe(
      Options.withAlias("f"),
      Options.withDescription("For a tool or a toolkit: where it goes; tools or src unless given"),
      Options.optional
    ),
    what: Args.choice(choices(["project", "toolkit", "tool"]), { name: "what" }),
    name: Args.text({ name: "name" })
  },
  run(() => import("./new.js").then((module) => module.create))
).pipe(Command.withDescription("Make a project, a toolkit or a tool that works at once"))

const doctor = Command.make(
  "doctor",
  common,
  run(() => import("./doctor.js").then((module) => module.doctor))
).pipe(Command.withDescription("Check this machine and the project: versions, interpreters, keys, sources"))

const completions = Command.make(
  "completions",
  { shell: Args.choice(choices(["bash", "zsh", "fish"]), { name: "shell" }) },
  run(() => import("./completions.js").then((module) => module.completions))
).pipe(Command.withDescription("Print a completion script, which knows the names of tools"))

const trust = Command.make(
  "trust",
  {
    remove: Options.boolean("remove").pipe(Options.withDescription("Trust the folder no longer")),
    json,
    folder: Args.text({ name: "folder" }).pipe(Args.withDescription("The working folder unless given"), Args.optional)
  },
  run(() => import("./trust.js").then((module) => module.trust))
).pipe(
  Command.withDescription(
    "Let the tools and the configuration of a folder run, and accept what its MCP servers have changed"
  )
)

const commands = [
  list,
  search,
  inspect,
  call,
  ask,
  chat,
  runs,
  approvals,
  serve,
  studio,
  diff,
  replay,
  lint,
  generate,
  importTools,
  create,
  doctor,
  completions,
  trust,
  toolFile
] as const

export const command = Command.make("wield").pipe(
  Command.withDescription("Declare a tool once; any model, from any provider, can wield it."),
  Command.withSubcommands(commands)
)

interface Described {
  readonly descriptor: CommandDescriptor.Command<unknown>
}

const wordOf = ({ descriptor }: Described): string => [...CommandDescriptor.getNames(descriptor)].join()

const groups = new Map<Described, ReadonlyArray<Described>>([
  [runs, runsCommands],
  [approvals, approvalsCommands],
  [serve, serveCommands],
  [toolFile, toolFileCommands]
])

/** The commands that do something, by their words: for documentation and completion, and to know their options. */
export const leaves: ReadonlyMap<string, CommandDescriptor.Command<unknown>> = new Map(
  commands.flatMap((one: Described): ReadonlyArray<readonly [string, CommandDescriptor.Command<unknown>]> => {
    const members = groups.get(one)
    return members === undefined
      ? [[wordOf(one), one.descriptor]]
      : members.map((member) => [`${wordOf(one)} ${wordOf(member)}`, member.descriptor])
  })
)

/** What every command takes. */
const builtIn = ["--completions", "--log-level", "-h", "--help", "--wizard", "--version"]

/** The options of a command, long and short; of other words, those that every command takes. */
export const optionsOf = (path: string): ReadonlyArray<string> => [
  ...new Set([...ownOptionsOf(path).flatMap(({ names }) => names), ...builtIn])
]

/** An option that is the command's own. */
interface OwnOption {
  readonly names: ReadonlyArray<string>
  /** Whether it stands before a value. */
  readonly isValued: boolean
  readonly isRepeated: boolean
}

export const ownOptionsOf = (path: string): ReadonlyArray<OwnOption> => {
  const leaf = leaves.get(path)
  const options = leaf === undefined ? [] : optionsIn(CommandDescriptor.getUsage(leaf), false)
  return options.filter(({ names: [name = ""] }) => name.startsWith("-"))
}

const optionsIn = (usage: Usage.Usage, isRepeated: boolean): ReadonlyArray<OwnOption> => {
  switch (usage._tag) {
    case "Named":
      return [{ names: usage.names, isValued: Option.isSome(usage.acceptedValues), isRepeated }]
    case "Optional":
      return optionsIn(usage.usage, isRepeated)
    case "Repeated":
      return optionsIn(usage.usage, true)
    case "Alternation":
    case "Concat":
      return [...optionsIn(usage.left, isRepeated), ...optionsIn(usage.right, isRepeated)]
    case "Empty":
    case "Mixed":
      return []
  }
}
