/** `wield import`: a manifest of an OpenAPI file or a GraphQL schema, or a configuration of MCP servers. */
import { resolve } from "node:path"
import type { ManifestEntry } from "@wield/manifest"
import * as Manifest from "@wield/manifest/Manifest"
import * as ManifestFile from "@wield/manifest/ManifestFile"
import { toLine } from "@wield/manifest/ManifestError"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseData } from "../config/readData.js"
import { readFile } from "../config/readFile.js"
import { codes } from "../ExitCode.js"
import { plain, print, printReport } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import { writeFile } from "../output/writeFile.js"
import type { Command } from "./common.js"

export interface Options {
  readonly json: boolean
  readonly kind: "openapi" | "graphql" | "mcp"
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
    const { names, value } = yield* given.kind === "mcp" ? readMcp(text, path, given) : readManifest(text, path, given)
    const written = `${JSON.stringify(value, null, 2)}\n`
    const out = Option.getOrUndefined(Option.map(given.out, (name) => resolve(folder, name)))
    if (out !== undefined) yield* writeFile(out, written, given.force, "Remove it, or give --force")
    if (given.json) {
      yield* printReport(Reports.Import, {
        wield: 1,
        command: "import",
        tools: names,
        ...(out === undefined ? {} : { file: out })
      })
    } else if (out === undefined) yield* print(written.trimEnd())
    yield* Console.error(`${names.length} ${given.kind === "mcp" ? "servers" : "tools"}`)
    return codes.done
  })

interface Imported {
  readonly names: ReadonlyArray<string>
  readonly value: object
}

const readManifest = (text: string, path: string, given: Options): Effect.Effect<Imported, Refused> =>
  Effect.gen(function* () {
    const reading = given.kind === "openapi" ? readOpenApi(text, path, given) : readGraphQl(text, path, given)
    const manifest = yield* Effect.mapError(reading, (error) =>
      error instanceof Refused ? error : Refused.failed(messageOf(error))
    )
    for (const problem of manifest.problems) yield* Console.error(plain(`${problem.severity}: ${toLine(problem)}`))
    const value = encode(manifest)
    // What is written has to be read again as the same tools.
    const read = yield* Effect.mapError(Manifest.parse(JSON.stringify(value)), (error) =>
      Refused.failed(messageOf(error))
    )
    if (read.entries.length !== manifest.entries.length)
      return yield* Refused.failed("The manifest lost tools on its way")
    return { names: manifest.entries.map((entry) => entry.function.name), value }
  })

/** The servers that an application uses, as a configuration of this command. */
const readMcp = (text: string, path: string, { select }: Options): Effect.Effect<Imported, Refused> =>
  Effect.gen(function* () {
    const data = yield* parseData(text, path)
    const servers = Json.isObject(data) ? (data["mcpServers"] ?? data["servers"]) : undefined
    if (!Json.isObject(servers)) return yield* Refused.usage(`${path}: expected an object with mcpServers or servers`)
    const missing = select.find((name) => !Object.hasOwn(servers, name))
    if (missing !== undefined) {
      const advice = NearestNames.suggestion(missing, Object.keys(servers))
      return yield* Refused.usage(`${path} has no server ${JSON.stringify(missing)}${advice}`)
    }
    const chosen = Object.entries(servers).filter(([name]) => select.length === 0 || select.includes(name))
    return { names: chosen.map(([name]) => name), value: { tools: [{ mcp: Object.fromEntries(chosen) }] } }
  })

const readOpenApi = (text: string, path: string, { select, url }: Options): Effect.Effect<Manifest.Manifest, unknown> =>
  Effect.flatMap(parseData(text, path), (data) =>
    Manifest.fromOpenApi(data, {
      url: Option.getOrUndefined(url),
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
  const facts = ManifestFile.encodeFacts(entry.facts)
  return {
    type: entry._tag.toLowerCase(),
    function: entry.function,
    ...(entry.context.length === 0
      ? {}
      : { context: entry.context.map((name) => (entry.optionalContext.includes(name) ? `${name}?` : name)) }),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
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
