/** An entry run at once: what a manifest does when it is loaded, and a call. */
import { type Executor, ManifestEntry } from "@wield/manifest"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const entryOf = (query: string, api: Partial<ManifestEntry.Api> = {}) =>
  ManifestEntry.api({
    name: "query",
    parameters: {
      type: "object",
      properties: Object.fromEntries([...query.matchAll(/(?<![:\w]):([a-z]\w*)/g)].map(([, name]) => [name ?? "", {}]))
    },
    api: { query, ...api }
  })

export const run =
  (executor: Executor.Executor) =>
  (query: string, parameters: Executor.Arguments = {}, api: Partial<ManifestEntry.Api> = {}) =>
    executor.prepare(entryOf(query, api))(parameters)

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-sql-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** What people write who want a value to become a statement. */
export const hostile: ReadonlyArray<string> = [
  "'; DROP TABLE victims; --",
  "' OR '1'='1",
  "' OR 1=1 --",
  '" OR ""="',
  "1); DELETE FROM victims; --",
  "') UNION SELECT name FROM victims --",
  "\\'; DROP TABLE victims; --",
  "\\",
  "'' || (SELECT name FROM victims) || ''",
  "$$; DROP TABLE victims; $$",
  "$1",
  ":name",
  "?",
  "??",
  "/* */; DROP TABLE victims",
  "--",
  "{1,2}",
  '{"a","b\\"}',
  "\u02bc OR 1=1",
  "\uff07 OR 1=1",
  "¿' OR 1=1 /*",
  "${process.env.HOME}",
  "%27%20OR%201=1",
  "NULL",
  "DEFAULT",
  "",
  " ",
  "\n\r\t\b",
  "𝒳 é 漢字 😀",
  "x".repeat(100_000)
]
