/** The documentation of the commands, made of what they say of themselves. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Usage from "@effect/cli/Usage"
import { withoutStyles } from "../output/print.js"
import { leaves } from "./tree.js"

/** The Markdown of each page by the name of its file. */
export const pages = (): ReadonlyMap<string, string> =>
  new Map([
    ...Array.from(leaves, ([path, command]) => [fileOf(path), pageOf(path, command)] as const),
    ["README.md", index()]
  ])

const fileOf = (path: string): string => `${path.replaceAll(" ", "-")}.md`

const pageOf = (path: string, command: CommandDescriptor.Command<unknown>): string => {
  const help = textOf(CommandDescriptor.getHelp(command, CliConfig.defaultConfig))
  const usage = textOf(Usage.getHelp(CommandDescriptor.getUsage(command))).trim()
  const group = path.split(" ").slice(0, -1).join(" ")
  const about = aboutOf(help)
  return [
    `# wield ${path}`,
    ...(about === "" ? [] : [`${about}.`]),
    `\`\`\`text\nwield ${group === "" ? usage : `${group} ${usage}`}\n\`\`\``,
    ...tableOf("argument", sectionOf(help, "ARGUMENTS")),
    ...tableOf("option", sectionOf(help, "OPTIONS")),
    "[All commands](README.md)\n"
  ].join("\n\n")
}

const aboutOf = (help: string): string => sectionOf(help, "DESCRIPTION").find((line) => line !== "") ?? ""

/** The lines of a section, which end with the next title. */
const sectionOf = (help: string, title: string): ReadonlyArray<string> => {
  const lines = help.split("\n")
  const start = lines.indexOf(title)
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^[A-Z]+$/.test(line))
  return end < 0 ? rest : rest.slice(0, end)
}

const tableOf = (what: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rows: Array<{ readonly name: string; readonly about: Array<string> }> = []
  for (const line of lines) {
    if (line === "") continue
    if (line.startsWith(" ")) rows.at(-1)?.about.push(line.trim())
    else rows.push({ name: line.trim(), about: [] })
  }
  const shown = rows.filter(({ name }) => !builtIn.test(name))
  if (shown.length === 0) return []
  const cells = shown.map(({ about, name }) => {
    const text = about.filter((line) => !said.has(line)).join(". ")
    return `| \`${name.replaceAll("|", "\\|")}\` | ${text.replaceAll("|", "\\|")} |`
  })
  return [[`| ${what} | |`, "|---|---|", ...cells].join("\n")]
}

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

const index = (): string => {
  const rows = Array.from(leaves, ([path, command]) => {
    const about = aboutOf(textOf(CommandDescriptor.getHelp(command, CliConfig.defaultConfig)))
    return `| [wield ${path}](${fileOf(path)}) | ${about} |`
  })
  return `# Commands\n\n[The wield command](../cli.md) is the guide. \`pnpm cli:docs\` writes these pages from the commands.\n\n| command | |\n|---|---|\n${rows.join("\n")}\n`
}

/** The library's lines end in blanks, and its words are styled. */
const textOf = (doc: HelpDoc.HelpDoc): string =>
  withoutStyles(HelpDoc.toAnsiText(doc))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()
