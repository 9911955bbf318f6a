/** The table of what each API can say, in the guide, is the one that the formats' own data give. */
import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { table as anthropic } from "./anthropic/format.js"
import { table as bedrock } from "./bedrock-converse/format.js"
import { table as cohere } from "./cohere-v2/format.js"
import { table as gemini } from "./gemini/format.js"
import type { FormatTable } from "./internal/format.js"
import { dialect as mistral } from "./mistral/format.js"
import { table as ollama } from "./ollama/format.js"
import { dialect as chat } from "./openai-chat/format.js"
import { table as responses } from "./openai-responses/format.js"

const tables: ReadonlyArray<FormatTable> = [chat, responses, anthropic, gemini, bedrock, mistral, cohere, ollama]

const yes = (is: boolean): string => (is ? "yes" : "a loss")

const columns: ReadonlyArray<readonly [string, (table: FormatTable) => string]> = [
  ["format", ({ name }) => `\`${name}\``],
  ["forbid calls", ({ choice, name }) => (name === "ollama" ? "no tools" : yes(choice.none !== undefined))],
  ["demand a call", ({ choice }) => yes(choice.required !== undefined)],
  ["of one tool", ({ choice }) => yes(choice.one !== undefined)],
  ["of some tools", ({ choice }) => yes(choice.several !== undefined)],
  ["one call at a time", ({ choice }) => yes(choice.hasParallel)],
  ["images in a result", ({ results }) => results.images],
  ["files in a result", ({ results }) => results.files],
  ["a flag for errors", ({ results }) => (results.hasErrorFlag ? "yes" : "in words")],
  ["an empty turn", ({ takesEmptyTurn }) => (takesEmptyTurn ? "yes" : "left out")],
  ["longest name", ({ nameRule }) => String(nameRule.maxLength)]
]

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

it("stands in the guide as the tables of the formats have it", () => {
  const lines = [
    row(columns.map(([title]) => title)),
    row(columns.map(() => "---")),
    ...tables.map((table) => row(columns.map(([, cell]) => cell(table))))
  ]
  const guide = readFileSync(new URL("../../../docs/wire-formats.md", import.meta.url), "utf8")
  const [, found = ""] = /<!-- capabilities -->\n\n([^]*?)\n\n<!-- end -->/.exec(guide) ?? []
  // Formatting pads cells.
  const plain = found.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---")
  expect(plain).toBe(lines.join("\n"))
})
