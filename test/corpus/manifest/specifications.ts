/** Real OpenAPI specifications: imported whole, offered in every wire format, and given types. */
import { Manifest, type Problem } from "@wield/manifest"
import { type ToolDefinition, Toolset } from "@wield/core"
import { Effect, Either } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { wires } from "../bfcl/responses.js"
import { type Checked, tally } from "./Checked.js"
import { survival } from "./survival.js"

/** @param folder The corpus's `openapi`. */
export const checkSpecifications = async (folder: string, only: string | undefined): Promise<Checked> => {
  const { check, failures, passed } = tally()
  const rows: Array<ReadonlyArray<string | number>> = []
  const warnings = new Map<string, number>()
  const manifests = new Map<string, Manifest.Manifest>()
  for (const { file, operations } of countsOf(folder)) {
    if (only !== undefined && only !== file) continue
    const before = failures.length
    const text = readFileSync(join(folder, file), "utf8")
    const started = performance.now()
    const imported = await Effect.runPromise(Effect.either(Manifest.fromOpenApi(text)))
    const milliseconds = Math.round(performance.now() - started)
    if (Either.isLeft(imported)) {
      check(false, () => `${file}: ${imported.left.message}`)
      continue
    }
    const manifest = imported.right
    manifests.set(file, manifest)
    for (const { rule } of manifest.problems) warnings.set(rule, (warnings.get(rule) ?? 0) + 1)
    for (let index = 0; index < operations; index++) {
      check(index < manifest.entries.length, () => `${file}: ${missing(operations, manifest)}`)
    }
    check(
      manifest.entries.length <= operations,
      () => `${file}: ${manifest.entries.length} tools of ${operations} operations`
    )
    const definitions = await definitionsOf(manifest)
    check(Either.isRight(definitions), () => `${file}: ${Either.isLeft(definitions) ? definitions.left : ""}`)
    const { changed, losses } = checkFormats(
      Either.getOrElse(definitions, () => []),
      file,
      check
    )
    rows.push([
      file,
      `${manifest.entries.length} of ${operations}`,
      changed,
      losses,
      milliseconds,
      failures.length - before
    ])
  }
  return { rows, notes: notesOf(warnings), passed: passed(), failures, manifests }
}

type Check = ReturnType<typeof tally>["check"]

const checkFormats = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>, file: string, check: Check) => {
  let [changed, losses] = [0, 0]
  for (const wire of wires) {
    for (const definition of definitions) {
      const survived = survival(wire, definition)
      check(survived.failure === undefined, () => `${file} ${definition.name} ${wire.format.name}: ${survived.failure}`)
      losses += survived.losses
      if (survived.isChanged) changed++
    }
  }
  return { changed, losses }
}

/** As models are shown them: the toolset compiles each schema. */
const definitionsOf = (manifest: Manifest.Manifest) =>
  Toolset.dynamic(
    manifest.entries.map(({ function: { description, name, parameters } }) => ({
      name,
      description,
      inputSchema: parameters,
      execute: () => Effect.succeed(null)
    }))
  ).pipe(
    Effect.flatMap(({ offer }) => offer),
    Effect.map(({ entries }) => Array.from(entries.values(), ({ definition }) => definition)),
    Effect.mapError(({ message }) => message),
    Effect.either,
    Effect.runPromise
  )

const missing = (operations: number, { entries, problems }: Manifest.Manifest): string =>
  [
    `${entries.length} of ${operations} operations are imported`,
    ...problems.filter(isOfOne).map(({ message, rule }) => `${rule}: ${message}`)
  ].join("\n  ")

const isOfOne = ({ message }: Problem.Problem): boolean => message.includes("left out")

/** How many operations each specification has, counted by those who collected them. */
const countsOf = (folder: string): ReadonlyArray<{ readonly file: string; readonly operations: number }> =>
  [...readFileSync(join(folder, "SOURCES.md"), "utf8").matchAll(/^\| (\S+\.(?:json|ya?ml)) \| [^|]+ \| (\d+) \|/gm)]
    .map(([, file = "", count]) => ({ file, operations: Number(count) }))
    .filter(({ file }) => existsSync(join(folder, file)))

const notesOf = (warnings: ReadonlyMap<string, number>): ReadonlyArray<string> => [
  `What the import warns of: ${Array.from(warnings, ([rule, count]) => `${rule} (${count})`).join(", ") || "nothing"}.`
]
