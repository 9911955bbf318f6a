/** Real OpenAPI specifications: imported whole, offered in every wire format, and given types. */
import { Manifest, OpenApi, type ManifestProblem } from "@wield/manifest"
import { Json, type ToolDefinition, Toolset } from "@wield/core"
import { Effect, Either } from "effect"
import { join } from "node:path"
import { wires } from "../bfcl/responses.js"
import { filesIn, readText } from "../folder.js"
import { everyNth, type RunOptions } from "../Report.js"
import { type Checked, tally } from "./Checked.js"
import { survival } from "./survival.js"

/** @param folder The corpus's `openapi`. */
export const checkSpecifications = async (folder: string, { every, only }: RunOptions): Promise<Checked> => {
  const { check, failures, passed } = tally()
  const rows: Array<ReadonlyArray<string | number>> = []
  const warnings = new Map<string, number>()
  const manifests = new Map<string, Manifest.Manifest>()
  for (const { file, operations } of countsOf(folder)) {
    if (only !== undefined && only !== file) continue
    const before = failures.length
    const text = readText(join(folder, file))
    if (text === undefined) continue
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
    const tools = manifest.entries.length
    for (let index = 0; index < (operations ?? 1); index++) {
      check(index < tools, () => `${file}: ${missing(operations ?? "some", manifest)}`)
    }
    check(tools <= (operations ?? tools), () => `${file}: ${tools} tools of ${operations} operations`)
    const definitions = await definitionsOf(manifest)
    check(Either.isRight(definitions), () => `${file}: ${Either.isLeft(definitions) ? definitions.left : ""}`)
    if (Either.isRight(definitions)) await checkServed(definitions.right, file, check)
    const { changed, losses } = await checkFormats(
      everyNth(
        Either.getOrElse(definitions, () => []),
        every
      ),
      file,
      check
    )
    rows.push([file, `${tools} of ${operations ?? "?"}`, changed, losses, milliseconds, failures.length - before])
  }
  return { rows, notes: notesOf(warnings), passed: passed(), failures, manifests }
}

type Check = ReturnType<typeof tally>["check"]

/** What is served as OpenAPI is imported as the same tools. */
const checkServed = async (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>, file: string, check: Check) => {
  const document = JSON.parse(JSON.stringify(OpenApi.ofTools({ definitions, url: "https://tools.example" })))
  const { entries } = await Effect.runPromise(Manifest.fromOpenApi(document))
  const imported = new Map(entries.map((entry) => [entry.function.name, entry.function]))
  for (const { description, inputSchema, name } of definitions) {
    const before = Json.canonical(Json.from({ name, description, parameters: inputSchema }))
    const after = Json.canonical(Json.from(imported.get(name) ?? {}))
    check(before === after, () => `${file} ${name}: served and imported it is another tool`)
  }
}

const checkFormats = async (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>, file: string, check: Check) => {
  let [changed, losses] = [0, 0]
  for (const wire of wires) {
    // The process that started this one is heard in between.
    await new Promise((resolve) => setImmediate(resolve))
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

const missing = (operations: number | string, { entries, problems }: Manifest.Manifest): string =>
  [
    `${entries.length} of ${operations} operations are imported`,
    ...problems.filter(isOfOne).map(({ message, rule }) => `${rule}: ${message}`)
  ].join("\n  ")

const isOfOne = ({ message }: ManifestProblem.ManifestProblem): boolean => message.includes("left out")

/** How many operations each specification has, where those who collected them have counted. */
const countsOf = (
  folder: string
): ReadonlyArray<{ readonly file: string; readonly operations: number | undefined }> => {
  const rows = (readText(join(folder, "SOURCES.md")) ?? "")
    .split("\n")
    .map((line) => /^\| (\S+\.(?:json|ya?ml)) \| [^|]+ \| (\d+) \|/.exec(line))
  const counts = new Map(rows.flatMap((row) => (row === null ? [] : [[row[1], Number(row[2])] as const])))
  return ["json", "yaml", "yml"]
    .flatMap((ending) => filesIn(folder, `.${ending}`))
    .map((file) => ({ file, operations: counts.get(file) }))
}

const notesOf = (warnings: ReadonlyMap<string, number>): ReadonlyArray<string> => [
  `What the import warns of: ${Array.from(warnings, ([rule, count]) => `${rule} (${count})`).join(", ") || "nothing"}.`
]
