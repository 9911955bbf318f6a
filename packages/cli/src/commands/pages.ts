/** The documentation of the commands, made of what they say of themselves. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Usage from "@effect/cli/Usage"
import { withoutStyles } from "../output/print.js"
import { leaves } from "./tree.js"

/** The Markdown of each page by the name of its file. */
export const pages = (): ReadonlyMap<string, string> => {
  const commands = Array.from(leaves, ([path, command]) => describe(path, command))
  const shared = sharedOptions(commands)
  return new Map([
    ...commands.map((command) => [command.file, pageOf(command, shared)] as const),
    ["README.md", index(commands, shared)]
  ])
}

interface Row {
  readonly name: string
  readonly about: string
}

interface CommandPage {
  readonly path: string
  readonly file: string
  readonly about: string
  readonly usage: string
  readonly arguments: ReadonlyArray<Row>
  readonly options: ReadonlyArray<Row>
}

const describe = (path: string, command: CommandDescriptor.Command<unknown>): CommandPage => {
  const help = textOf(CommandDescriptor.getHelp(command, CliConfig.defaultConfig))
  const usage = textOf(Usage.getHelp(CommandDescriptor.getUsage(command))).trim()
  const group = path.split(" ").slice(0, -1).join(" ")
  return {
    path,
    file: `${path.replaceAll(" ", "-")}.md`,
    about: sectionOf(help, "DESCRIPTION").find((line) => line !== "") ?? "",
    usage: `wield ${group === "" ? usage : `${group} ${usage}`}`,
    arguments: rowsOf(sectionOf(help, "ARGUMENTS")),
    options: rowsOf(sectionOf(help, "OPTIONS"))
  }
}

/** The options that several commands have stand in the index only. */
const sharedOptions = (commands: ReadonlyArray<CommandPage>): ReadonlyArray<Row> => {
  const all = commands.flatMap(({ options }) => options)
  const same = (one: Row) => (other: Row) => one.name === other.name && one.about === other.about
  return all.filter((row, place) => all.findIndex(same(row)) === place && all.filter(same(row)).length >= 2)
}

const pageOf = (command: CommandPage, shared: ReadonlyArray<Row>): string => {
  const isShared = ({ about, name }: Row) => shared.some((row) => row.name === name && row.about === about)
  const own = command.options.filter((row) => !isShared(row))
  return [
    `# wield ${command.path}`,
    ...(command.about === "" ? [] : [`${command.about}.`]),
    `\`\`\`text\n${command.usage}\n\`\`\``,
    ...listOf([...command.arguments, ...own]),
    own.length === command.options.length
      ? "[All commands](README.md)\n"
      : "[Shared options](README.md#shared-options)\n"
  ].join("\n\n")
}

/** The lines of a section, which end with the next title. */
const sectionOf = (help: string, title: string): ReadonlyArray<string> => {
  const lines = help.split("\n")
  const start = lines.indexOf(title)
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^[A-Z]+$/.test(line))
  return end < 0 ? rest : rest.slice(0, end)
}

const rowsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const rows: Array<{ readonly name: string; readonly about: Array<string> }> = []
  for (const line of lines) {
    if (line === "") continue
    if (line.startsWith(" ")) rows.at(-1)?.about.push(line.trim())
    else rows.push({ name: line.trim(), about: [] })
  }
  return rows
    .filter(({ name }) => !builtIn.test(name))
    .map(({ about, name }) => ({
      name,
      about: about.filter((line) => !said.has(line) && !line.startsWith("One of the following: ")).join(". ")
    }))
}

/** Without rows that say nothing: the usage has their names. */
const listOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const lines = rows.filter(({ about }) => about !== "").map(({ about, name }) => `- \`${flagsOf(name)}\`: ${about}`)
  return lines.length === 0 ? [] : [lines.join("\n")]
}

/** The flags of an option; the usage has its value. Arguments stay as they are. */
const flagsOf = (name: string): string => /^\(?((?:-\w, )?--[\w-]+)/.exec(name)?.[1] ?? name

/** Options that every command has. */
const builtIn = /^(?:--completions|--log-level|--wizard|--version|\(-h, --help\))/

/** What the library says of every option of a kind; the usage shows it. */
const said: ReadonlySet<string> = new Set([
  "A user-defined piece of text.",
  "A true or false value.",
  "An integer.",
  "An existing directory.",
  "This setting is optional.",
  "This option may be repeated zero or more times.",
  "This argument may be repeated zero or more times."
])

const index = (commands: ReadonlyArray<CommandPage>, shared: ReadonlyArray<Row>): string =>
  [
    "# Commands",
    "[The wield command](../cli.md) is the guide. `pnpm cli:docs` writes these pages from the commands.",
    commands.map(({ about, file, path }) => `- [${path}](${file}): ${about}`).join("\n"),
    "## Shared options",
    "The usage of a command shows which of these it has.",
    `${listOf(shared).join("")}\n`
  ].join("\n\n")

/** The library's lines end in blanks, and its words are styled. */
const textOf = (doc: HelpDoc.HelpDoc): string =>
  withoutStyles(HelpDoc.toAnsiText(doc))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()
