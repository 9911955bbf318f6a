/** Draws `docs/cli/recording.svg`: what the command prints in a project that it has made. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), "wield-recording-"))
const program = [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "packages/cli/bin/wield.js")]
const tool = (n: object) =>
  JSON.stringify({ tools: [{ name: "double", inputSchema: { type: "object", properties: { n }, required: ["n"] } }] })

const wield = (words: string): ReadonlyArray<readonly [text: string, kind: "command" | "output" | "error"]> => {
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, "config"), XDG_CACHE_HOME: join(folder, "cache") }
  const { stderr, stdout } = spawnSync(process.execPath, [...program, ...words.split(" ")], {
    cwd: folder,
    env,
    encoding: "utf8"
  })
  const lines = (text: string) =>
    text
      .replaceAll(folder, "~/shop")
      .split("\n")
      .filter((line) => line !== "")
  return [
    [`$ wield ${words}`, "command"],
    ...lines(stdout).map((line) => [line, "output"] as const),
    ...lines(stderr).map((line) => [line, "error"] as const)
  ]
}

writeFileSync(join(folder, "wield.config.json"), '{"tools":[{"scripts":"tools"}]}')
writeFileSync(join(folder, "old.json"), tool({ type: "number" }))
writeFileSync(join(folder, "new.json"), tool({ type: "integer", minimum: 0 }))
const lines = [
  "new tool greet --language python",
  "list",
  "call greet name=Ada",
  "trust",
  "call greet name=Ada",
  "call greet",
  "diff old.json new.json --from-version 1.4.2"
].flatMap(wield)
rmSync(folder, { recursive: true })

const colors = { command: "#e6edf3", output: "#7ee787", error: "#ffa657" }
const escape = (text: string) => text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const width = Math.max(...lines.map(([text]) => text.length)) * 8.5 + 40
const height = lines.length * 20 + 40
const rows = lines.map(
  ([text, kind], index) =>
    `<text x="20" y="${index * 20 + 34}" fill="${colors[kind]}" xml:space="preserve">${escape(text)}</text>`
)
writeFileSync(
  join(root, "docs/cli/recording.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`
)
console.log(`${lines.length} lines`)
