/**
 * What a server's tools were when they were first seen. A server can change a
 * description after you have read it; a pin makes that visible.
 */
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Facts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import { aName, orThrow } from "@wield/core/Options"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as SharedFile from "@wield/process/SharedFile"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import type { McpTool } from "./internal/content.js"

/**
 * One tool as it was accepted.
 *
 * @category models
 */
export interface Pin {
  /** Of all that the server says about the tool: name, description, schemas, annotations, icons and `_meta`. */
  readonly fingerprint: string
  /** The tool as the server listed it. */
  readonly tool: Json.JsonObject
}

/**
 * What is known of one server.
 *
 * @category models
 */
export interface Pinned {
  readonly tools: { readonly [name: string]: Pin }
  readonly instructions?: string | undefined
}

/**
 * Where pins are kept, by the configured name of the server.
 *
 * @category models
 */
export interface Service {
  /** `undefined` for a server that was never seen. */
  readonly load: (server: string) => Effect.Effect<Pinned | undefined, PinsError>
  readonly save: (server: string, pinned: Pinned) => Effect.Effect<void, PinsError>
}

/**
 * Pins could not be read or written.
 *
 * @category errors
 */
export class PinsError extends Data.TaggedError("PinsError")<{
  readonly operation: "read" | "write"
  readonly reason: string
}> {
  override get message(): string {
    return `The pins could not be ${this.operation === "read" ? "read" : "written"}: ${this.reason}`
  }
}

/**
 * What a server says now that it did not say when its tools were accepted.
 *
 * @category models
 */
export interface Drift {
  readonly kind: "altered" | "added" | "instructions"
  /** The server's own name of the tool; `instructions` for its instructions. */
  readonly tool: string
  /** For a person: what changed, place by place. */
  readonly differences: ReadonlyArray<Difference>
  /** What in the new texts a person cannot see; see `findings`. */
  readonly findings: ReadonlyArray<string>
}

/**
 * One change. What is `undefined` is not there.
 *
 * @category models
 */
export interface Difference {
  /** Such as `/description` or `/inputSchema/properties/path`. */
  readonly path: string
  readonly before: Json.Json | undefined
  readonly after: Json.Json | undefined
}

/**
 * Pins that last as long as the program.
 *
 * @category constructors
 */
export const memory: Effect.Effect<Service> = Effect.sync(() => {
  const servers = new Map<string, Pinned>()
  return {
    load: (server) => Effect.sync(() => servers.get(server)),
    save: (server, pinned) => Effect.sync(() => void servers.set(server, pinned))
  }
})

/**
 * Pins in a JSON file, which is made when it is first needed. A person can read
 * it; review it with the code.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Pins } from "@wield/mcp"
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "pins-"))
 * const program = Effect.gen(function* () {
 *   const pins = yield* Pins.file(join(folder, "mcp-pins.json"))
 *   yield* pins.save("github", { tools: {}, instructions: "Be polite." })
 *   return yield* pins.load("github")
 * })
 * Effect.runPromise(program).then((pinned) => {
 *   assert.strictEqual(pinned?.instructions, "Be polite.")
 *   rmSync(folder, { recursive: true })
 * })
 * ```
 *
 * @category constructors
 */
export const file = (path: string): Effect.Effect<Service> => {
  orThrow(aName(path), "The path of pins")
  return Effect.succeed({
    load: (server) =>
      Effect.tryPromise({
        try: async () => {
          const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
            if (error.code === "ENOENT") return undefined
            throw error
          })
          const all = parse(path, text)
          return Object.hasOwn(all, server) ? all[server] : undefined
        },
        catch: (error) => new PinsError({ operation: "read", reason: String(error) })
      }),
    // Another process may pin another server at the same moment: a pin that is lost accepts whatever comes next.
    save: (server, pinned) =>
      SharedFile.change(path, (text) =>
        Effect.try({
          try: () => `${JSON.stringify({ ...parse(path, text), [server]: pinned }, undefined, 2)}\n`,
          catch: (error) => new PinsError({ operation: "read", reason: String(error) })
        })
      ).pipe(
        Effect.catchTag("SharedFileError", ({ message }) => new PinsError({ operation: "write", reason: message }))
      )
  })
}

const parse = (path: string, text = "{}"): Record<string, Pinned> => {
  const value = Json.parse(text)
  if (!Json.isObject(value)) throw new Error(`${path} holds no JSON object`)
  // Written by `save`; what does not fit is taken for a drift.
  return value as unknown as Record<string, Pinned>
}

/**
 * The fingerprint of a tool as its server lists it.
 *
 * @category digests
 */
export const fingerprint = (tool: McpTool): string =>
  ToolDefinition.fingerprint({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    facts: Facts.unstated,
    provider: undefined,
    native: { format: "mcp", json: Json.from(tool) }
  })

/** A pin of a tool as it is now. */
export const pinOf = (tool: McpTool): Pin => ({
  fingerprint: fingerprint(tool),
  tool: Json.fromObject(tool)
})

/**
 * Where two JSON values differ, at most 20 places.
 *
 * @category conversions
 */
export const differences = (before: Json.Json | undefined, after: Json.Json | undefined): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  const compare = (path: string, left: Json.Json | undefined, right: Json.Json | undefined): void => {
    if (found.length === mostDifferences) return
    if (Json.isObject(left) && Json.isObject(right)) {
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
        // Both are JSON, so what is under a key is, too.
        const at = (value: object) =>
          Object.hasOwn(value, key) ? (value as { readonly [name: string]: Json.Json })[key] : undefined
        compare(path + JsonPointer.make([key]), at(left), at(right))
      }
    } else if (Json.canonical(left) !== Json.canonical(right) || (left === undefined) !== (right === undefined)) {
      found.push({ path, before: left, after: right })
    }
  }
  compare("", before, after)
  return found
}

const mostDifferences = 20

const invisible: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u200b-\u200d\u2060\ufeff\u00ad]/u, "characters without width"],
  [/[\u202a-\u202e\u2066-\u2069]/u, "characters that turn the direction of text"],
  [/[\u{e0000}-\u{e007f}]/u, "tag characters, which hide text from people"],
  // eslint-disable-next-line no-control-regex
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u, "control characters"]
]

/**
 * What a person who reads a tool does not see: characters without width, turned
 * text, hidden tags, control characters.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Pins } from "@wield/mcp"
 *
 * assert.deepStrictEqual(Pins.findings("The time\u200b"), ["characters without width"])
 * ```
 *
 * @category conversions
 */
export const findings = (value: unknown): ReadonlyArray<string> => {
  const text = typeof value === "string" ? value : textsOf(value).join("\n")
  return invisible.filter(([pattern]) => pattern.test(text)).map(([, name]) => name)
}

const textsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(textsOf)
      : Json.isObject(value)
        ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)])
        : []
