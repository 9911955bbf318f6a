/** What a server offers beside tools: resources by address or by template, prompts, and the completion of their arguments. */
import type { Content } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import type { Caller } from "../McpRequest.js"
import type { Block, ResourceContents } from "../internal/content.js"
import { blocksOf } from "./results.js"
import { invalidParams, orInternalError, type RpcError } from "./rpc.js"

/** Suggests values for what a person has typed so far. */
export type Complete<R = never> = (typed: string) => Effect.Effect<ReadonlyArray<string>, never, R>

/** Text as it is, or bytes. */
export type Contents = string | Uint8Array

interface Described {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

export interface Resource<R = never> extends Described {
  readonly uri: string
  readonly mimeType?: string | undefined
  /** In bytes. */
  readonly size?: number | undefined
  readonly read: Effect.Effect<Contents, unknown, R>
}

export interface ResourceTemplate<R = never> extends Described {
  /** Such as `notes://{folder}/{note}`. */
  readonly uriTemplate: string
  readonly mimeType?: string | undefined
  readonly parameters: Schema.Struct.Fields
  readonly read: (parameters: never) => Effect.Effect<Contents, unknown, R>
  readonly complete?: { readonly [parameter: string]: Complete<R> | undefined } | undefined
}

export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly content: Content.Part
}

export interface Prompt<R = never> extends Described {
  readonly parameters: Schema.Struct.Fields
  readonly get: (parameters: never) => Effect.Effect<string | ReadonlyArray<PromptMessage>, unknown, R>
  readonly complete?: { readonly [parameter: string]: Complete<R> | undefined } | undefined
}

export const describeResource = ({ description, mimeType, name, size, title, uri }: Resource): Json.JsonObject =>
  Json.withoutUndefined({ uri, name, title, description, mimeType, size })

export const describeTemplate = (template: ResourceTemplate): Json.JsonObject => {
  const { description, mimeType, name, title, uriTemplate } = template
  return Json.withoutUndefined({ uriTemplate, name, title, description, mimeType })
}

export const describePrompt = ({ description, name, parameters, title }: Prompt): Json.JsonObject => {
  // Effect writes a struct so.
  const schema = JSONSchema.make(Schema.Struct(parameters)) as {
    readonly properties?: { readonly [name: string]: { readonly description?: string } }
    readonly required?: ReadonlyArray<string>
  }
  const described = Object.keys(parameters).map((parameter) =>
    Json.withoutUndefined({
      name: parameter,
      description: schema.properties?.[parameter]?.description,
      required: schema.required?.includes(parameter) === true
    })
  )
  return Json.withoutUndefined({ name, title, description, arguments: described })
}

const contentsOf = (uri: string, mimeType: string | undefined, contents: Contents): ResourceContents => ({
  uri,
  ...(mimeType === undefined ? {} : { mimeType }),
  ...(typeof contents === "string" ? { text: contents } : { blob: Encoding.encodeBase64(contents) })
})

const decode = (
  fields: Schema.Struct.Fields,
  values: { readonly [name: string]: string },
  what: string
): Effect.Effect<never, RpcError> =>
  // The fields of one declaration fit its own handler.
  Schema.decodeUnknown(Schema.Struct(fields) as unknown as Schema.Schema<never, unknown>)(values).pipe(
    Effect.mapError((error) => invalidParams(`The arguments of ${what} are invalid: ${error.message.slice(0, 500)}`))
  )

/** `undefined` when no resource has this address. */
export const readResource = (
  resources: ReadonlyMap<string, Resource>,
  templates: ReadonlyArray<ResourceTemplate>,
  uri: string
): Effect.Effect<ResourceContents, RpcError> | undefined => {
  const resource = resources.get(uri)
  if (resource !== undefined) {
    return Effect.map(resource.read, (contents) => contentsOf(uri, resource.mimeType, contents)).pipe(
      orInternalError("The MCP server failed to read a resource")
    )
  }
  for (const template of templates) {
    const values = matchOf(template.uriTemplate)(uri)
    if (values === undefined) continue
    return decode(template.parameters, values, "the resource").pipe(
      Effect.flatMap((parameters) => template.read(parameters)),
      Effect.map((contents) => contentsOf(uri, template.mimeType, contents)),
      orInternalError("The MCP server failed to read a resource")
    )
  }
  return undefined
}

const matchers = new Map<string, (uri: string) => { readonly [name: string]: string } | undefined>()

/** `{name}` stands for a segment, `{+name}` for the rest of a path. */
const matchOf = (template: string) => {
  let match = matchers.get(template)
  if (match === undefined) matchers.set(template, (match = matcher(template)))
  return match
}

const longestUri = 8_192

const matcher = (template: string): ((uri: string) => { readonly [name: string]: string } | undefined) => {
  const names: Array<string> = []
  const pattern = template
    .split(/(\{[^}]*\})/u)
    .map((piece) => {
      const name = /^\{(\+?)([^}]*)\}$/u.exec(piece)
      if (name === null) return piece.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")
      names.push(name[2] ?? "")
      return name[1] === "+" ? "(.+)" : "([^/]+)"
    })
    .join("")
  const expression = new RegExp(`^${pattern}$`, "u")
  return (uri) => {
    // Two variables beside each other take the square of its length to match.
    const found = uri.length > longestUri ? null : expression.exec(uri)
    if (found === null) return undefined
    const values = names.map((name, index) => [
      name,
      Either.getOrUndefined(Encoding.decodeUriComponent(found[index + 1] ?? ""))
    ])
    return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
  }
}

export const getPrompt = (
  prompt: Prompt,
  given: { readonly [name: string]: string },
  caller: Caller
): Effect.Effect<Json.JsonObject & object, RpcError> =>
  decode(prompt.parameters, given, `the prompt ${prompt.name}`).pipe(
    Effect.flatMap((parameters) => prompt.get(parameters)),
    Effect.map((made) => {
      const messages =
        typeof made === "string" ? [{ role: "user" as const, content: { _tag: "Text" as const, text: made } }] : made
      return {
        ...(prompt.description === undefined ? {} : { description: prompt.description }),
        messages: messages.flatMap(({ content, role }) =>
          // A prompt's message takes each block that a tool's result does.
          blocksOf(content, caller.revision).map((block: Block) => ({ role, content: block as never }))
        )
      }
    }),
    orInternalError("The MCP server failed to read a prompt")
  )

/** A client shows no more than this many. */
const maxSuggestions = 100

export const suggest = (complete: Complete | undefined, typed: string): Effect.Effect<Json.JsonObject, RpcError> =>
  Effect.map(complete === undefined ? Effect.succeed([]) : complete(typed), (all) => ({
    completion: { values: all.slice(0, maxSuggestions), total: all.length, hasMore: all.length > maxSuggestions }
  }))
