/**
 * The instructions with which a model writes a tool file.
 */
import { examples } from "./examples.js"
import { type Kind, namings } from "./Kind.js"
import { rules } from "./rules.js"

export interface Request {
  readonly kind: Kind
  /** What the tool shall do, in a person's words. */
  readonly wish: string
  /** Names that other tools have already. */
  readonly taken?: Iterable<string> | undefined
  /** The name of the file without its extension, and so of the tool that a script is; the model finds one unless given. */
  readonly name?: string | undefined
}

export const render = ({ kind, name, taken = [], wish }: Request): string => {
  const { extension, mark, title } = namings[kind]
  const names = [...new Set(taken)].toSorted()
  const isScript = kind !== "function-file"
  const named =
    name === undefined ? `a short name of your choice that ends in \`${extension}\`` : `\`${name}${extension}\``
  return [
    `Write a tool for a language model: ${title}. This is what it shall do:`,
    quoted(wish),
    "## What the file has to be like",
    [
      ...rules[kind],
      "A description tells the model WHEN to use the tool, not only what it does; where there is a better tool for something, it says so.",
      nameRule(isScript, names)
    ]
      .map((rule) => `- ${rule}`)
      .join("\n"),
    "## An example",
    fenced(examples[kind], mark),
    "## Your answer",
    `First one line, \`File: \` and the file's name: ${named}${isScript ? ", which is also the tool's name" : ""}. Then the complete file, ready to be saved, in one code block. Nothing else.`
  ]
    .join("\n\n")
    .concat("\n")
}

const nameRule = (isScript: boolean, taken: ReadonlyArray<string>): string => {
  const rule = `${isScript ? "The file's name" : "Each function's name"} is a verb and its object in small letters, joined by \`_\`.`
  return taken.length === 0 ? rule : `${rule} These names are taken: ${taken.map((name) => `\`${name}\``).join(", ")}.`
}

/** Each line is marked, so that no line of the wish is read as one of the instructions. */
const quoted = (wish: string): string =>
  wish
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")

const fenced = (code: string, mark: string): string => `\`\`\`${mark}\n${code}\`\`\``
