/** `wield import`: a manifest of an OpenAPI file or a GraphQL schema. */
import { resolve } from "node:path"
import { Manifest, type ManifestEntry } from "@wield/manifest"
import { toLine } from "@wield/manifest/ManifestError"
import { Json } from "@wield/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseData } from "../config/readData.js"
import { readFile } from "../config/readFile.js"
import { codes } from "../ExitCode.js"
import { plain, printReport } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import { writeFile } from "../output/writeFile.js"
import type { Command } from "./common.js"

export interface Options {
  readonly json: boolean
  readonly kind: "openapi" | "graphql"
  readonly file: string
  readonly out: Option.Option<string>
  readonly url: Option.Option<string>
  readonly select: ReadonlyArray<string>
  readonly force: boolean
}

export const importTools = (given: Options): Command =>
  Effect.gen(function* () {
    const { folder } = yield* Shell
    const path = resolve(folder, given.file)
    const text = yield* readFile(path)
    const reading = given.kind === "openapi" ? readOpenApi(text, path, given) : readGraphQl(text, path, given)
    const manifest = yield* Effect.mapError(reading, (error) =>
      error instanceof Refused ? error : Refused.failed(messageOf(error))
    )
    for (const problem of manifest.problems) yield* Console.error(plain(`${problem.severity}: ${toLine(problem)}`))
    const written = `${JSON.stringify(encode(manifest), null, 2)}\n`
    // What is written has to be read again as the same tools.
    const read = yield* Effect.mapError(Manifest.parse(written), (error) => Refused.failed(messageOf(error)))
    if (read.entries.length !== manifest.entries.length)
      return yield* Refused.failed("The manifest lost tools on its way")
    const out = Option.getOrUndefined(Option.map(given.out, (name) => resolve(folder, name)))
    if (out !== undefined) yield* writeFile(out, written, given.force)
    const names = manifest.entries.map((entry) => entry.function.name)
    if (given.json) {
      yield* printReport(Reports.Import, {
        wield: 1,
        command: "import",
        tools: names,
        ...(out === undefined ? {} : { file: out })
      })
    } else if (out === undefined) yield* Console.log(written.trimEnd())
    yield* Console.error(`${names.length} tools`)
    return codes.done
  })

const readOpenApi = (text: string, path: string, { select, url }: Options): Effect.Effect<Manifest.Manifest, unknown> =>
  Effect.flatMap(parseData(text, path), (data) =>
    Manifest.fromOpenApi(data, {
      url: Option.getOrUndefined(url),
      isVerified: true,
      operations: select.length === 0 ? undefined : select
    })
  )

const readGraphQl = (text: string, path: string, { select, url }: Options): Effect.Effect<Manifest.Manifest, unknown> =>
  Effect.flatMap(readSchema(text, path), (schema) =>
    Manifest.fromGraphQL(schema, {
      configuration: { type: "graphql", url: Option.getOrElse(url, () => "${GRAPHQL_URL}") },
      include: select.length === 0 ? undefined : select
    })
  )

const isJson = (text: string): boolean => /^\s*\{\s*"/.test(text)

/** SDL, or the answer to an introspection query. */
const readSchema = (text: string, path: string): Effect.Effect<string | { readonly [key: string]: unknown }, Refused> =>
  isJson(text)
    ? Effect.filterOrFail(parseData(text, path), Json.isObject, () => Refused.usage(`${path} holds no GraphQL schema`))
    : Effect.succeed(text)

/** A manifest as its file format has it. */
const encode = ({ apis, entries }: Manifest.Manifest): object => ({
  apis: Object.fromEntries(apis.map(({ configuration, name, type }) => [name, { type, ...configuration }])),
  tools: entries.map(encodeEntry)
})

const encodeEntry = (entry: ManifestEntry.Entry): object => {
  const { title, isDestructive, isIdempotent, isOpenWorld, isReadOnly, isSequential, disclosure, examples } =
    entry.facts
  const facts = {
    title,
    readOnly: isReadOnly,
    destructive: isDestructive,
    idempotent: isIdempotent,
    openWorld: isOpenWorld,
    disclosure,
    sequential: isSequential,
    examples
  }
  const isStated = Object.values(facts).some((fact) => fact !== undefined)
  return {
    type: entry._tag.toLowerCase(),
    function: entry.function,
    ...(entry.context.length === 0
      ? {}
      : { context: entry.context.map((name) => (entry.optionalContext.includes(name) ? `${name}?` : name)) }),
    ...(isStated ? { facts } : {}),
    ...(entry._tag === "Api" ? { api: encodeApi(entry.api) } : {})
  }
}

const encodeApi = ({ isWriting, limits, parameters, result, ...api }: ManifestEntry.Api): object => ({
  ...api,
  parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
  headers: Object.keys(api.headers).length === 0 ? undefined : api.headers,
  write: isWriting ? true : undefined,
  result: result.schema === undefined && result.path === undefined ? undefined : result,
  limits: Object.values(limits).every((limit) => limit === undefined) ? undefined : limits
})
