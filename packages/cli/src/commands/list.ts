/** `wield list`: the tools of the project. */
import { createHash } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { gather } from "../config/gather.js"
import { loadProject, type Project } from "../config/load.js"
import { selectToolset } from "../config/toolsets.js"
import {
  bold,
  factWords,
  faint,
  firstLine,
  plain,
  print,
  printProblems,
  printReport,
  toolReport
} from "../output/print.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import { codeOfSources, type Command, type Common } from "./common.js"

export interface Options extends Common {
  readonly pattern: Option.Option<string>
  readonly names: boolean
  readonly toolset: Option.Option<string>
}

export const list = (given: Options): Command =>
  Effect.gen(function* () {
    const project = yield* loadProject(given)
    const gathered = yield* gather(project, "describe")
    const chosen = yield* selectToolset(gathered, project, Option.getOrUndefined(given.toolset))
    const isShown = matcher(Option.getOrUndefined(given.pattern))
    const shown = chosen.filter(({ name }) => isShown(name))
    const { problems, sources } = gathered
    yield* rememberNames(project, gathered.definitions)
    if (given.json) {
      const tools = shown.map((definition) => toolReport(definition, sources.get(definition.name)))
      yield* printReport(Reports.List, { wield: 1, command: "list", tools, problems })
      return codeOfSources(gathered)
    }
    yield* printProblems(problems)
    const width = Math.min(40, Math.max(0, ...shown.map(({ name }) => name.length)))
    for (const { description, facts, name } of shown) {
      if (given.names) yield* print(plain(name))
      else {
        const words = [...factWords(facts), sources.get(name) ?? ""].join(", ")
        yield* print(
          `${yield* bold(plain(name).padEnd(width))}  ${firstLine(description)} ${yield* faint(`(${words})`)}`
        )
      }
    }
    if (shown.length === 0) yield* Console.error("No tools")
    return codeOfSources(gathered)
  }).pipe(Effect.scoped)

/** A name, with `*` for any text; a pattern without one is a part of a name. */
const matcher = (pattern: string | undefined): ((name: string) => boolean) => {
  if (pattern === undefined) return () => true
  const parts = pattern.toLowerCase().split("*")
  if (parts.length === 1) return (name) => name.toLowerCase().includes(parts[0] ?? "")
  return (name) => matchesParts(name.toLowerCase(), parts)
}

/** An expression made of the pattern could take exponential time. */
const matchesParts = (name: string, parts: ReadonlyArray<string>): boolean => {
  const [first = "", ...rest] = parts
  const last = rest.pop() ?? ""
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let from = first.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return from <= name.length - last.length
}

/** `bin/complete.js` finds the file by the same rule. */
const cacheOf = (environment: { readonly [name: string]: string | undefined }, folder: string): string => {
  const given = environment["XDG_CACHE_HOME"] ?? ""
  const cache = isAbsolute(given) ? given : join(homedir(), ".cache")
  return join(cache, "wield", `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.names`)
}

/** Names that a shell could take for something else are left out. */
const isSafe = (name: string): boolean => /^[A-Za-z_][\w.-]{0,127}$/.test(name)

/** Kept in the user's cache for shell completion, which must run no code. */
const rememberNames = ({ folder }: Project, tools: ReadonlyArray<{ readonly name: string }>): Effect.Effect<void> =>
  Effect.flatMap(Shell, ({ environment }) => {
    const file = cacheOf(environment, folder)
    const names = tools.flatMap(({ name }) => (isSafe(name) ? [name] : [])).slice(0, 10_000)
    // A cache that cannot be written completes no names, and nothing else.
    return Effect.promise(async () => {
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        await writeFile(file, names.map((name) => `${name}\n`).join(""), { mode: 0o600 })
      } catch {
        return
      }
    })
  })
