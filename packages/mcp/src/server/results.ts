/** Outcomes as results of `tools/call`. */
import type { Content, Json, ToolDefinition } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import { type Block, blockOfPart } from "../internal/content.js"
import { can } from "./revision.js"
import { hasOutputSchema } from "./tools.js"

export interface CallResult {
  readonly content: ReadonlyArray<Block>
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** Where a result that was too large can be read whole. */
export const resultUri = (handle: string): string => `wield://results/${handle}`

export const handleOf = (uri: string): string | undefined =>
  uri.startsWith("wield://results/") ? uri.slice("wield://results/".length) : undefined

/** A deferred call has no result yet: `undefined`. */
export const resultOf = (
  outcome: Outcome.Outcome,
  definition: ToolDefinition.ToolDefinition,
  revision: string
): CallResult | undefined => {
  const rendered = Outcome.render(outcome)
  if (rendered === undefined) return undefined
  const content = rendered.content.flatMap((part) => blocksOf(part, revision))
  for (const note of outcome.notes) {
    if (note._tag !== "Bounded" || note.handle === undefined || !can(revision, "resourceLink")) continue
    content.push(linkOf(note.handle, note.bytes))
  }
  if (rendered.isError) return { content, isError: true }
  const structured = rendered.structured === undefined ? onlyJson(rendered.content) : rendered.structured
  return canBeStructured(structured, definition, revision) ? { content, structuredContent: structured } : { content }
}

/** An answer of several parts, of which one is JSON, as a tool of another MCP server gives it. */
const onlyJson = (parts: ReadonlyArray<Content.Part>): unknown => {
  const values = parts.filter((part) => part._tag === "JsonValue")
  return values.length === 1 ? values[0]?.value : undefined
}

/** Before 2026-07-28 a structured result is an object, and one that the tool's output schema allows. */
const canBeStructured = (structured: unknown, definition: ToolDefinition.ToolDefinition, revision: string): boolean => {
  if (structured === undefined || !can(revision, "structured")) return false
  if (can(revision, "anyStructured")) return true
  const isObject = typeof structured === "object" && structured !== null && !Array.isArray(structured)
  return isObject && (definition.outputSchema === undefined || hasOutputSchema(definition, revision))
}

const linkOf = (handle: string, bytes: number): Block & Json.JsonObject => ({
  type: "resource_link",
  uri: resultUri(handle),
  name: "The whole result",
  mimeType: "application/json",
  size: bytes
})

/** A part as the revision can say it. */
export const blocksOf = (part: Content.Part, revision: string): ReadonlyArray<Block> => {
  const block = asText(part) ?? blockOfPart(part, uriOfFile)
  if (block.type === "audio" && !can(revision, "audio")) {
    return [{ type: "resource", resource: { uri: uriOfFile(undefined), mimeType: block.mimeType, blob: block.data } }]
  }
  if (block.type === "resource_link" && !can(revision, "resourceLink")) {
    return [{ type: "text", text: `${block.name ?? "Resource"}: ${block.uri}` }]
  }
  return [block]
}

/** A model reads text as it is; quoted and escaped it would only be harder to read. */
const asText = (part: Content.Part): Block | undefined => {
  if (part._tag === "JsonValue" && typeof part.value === "string") return { type: "text", text: part.value }
  if (part._tag !== "File" || part.source._tag !== "Base64" || !isText(part.mediaType)) return undefined
  const bytes = Uint8Array.from(atob(part.source.data), (character) => character.charCodeAt(0))
  return {
    type: "resource",
    resource: { uri: uriOfFile(part.filename), mimeType: part.mediaType, text: new TextDecoder().decode(bytes) }
  }
}

const isText = (mediaType: string): boolean => mediaType.startsWith("text/") || mediaType.startsWith("application/json")

/** A file's name may be a URI already. */
const uriOfFile = (filename: string | undefined): string =>
  filename !== undefined && /^[a-z][a-z0-9+.-]*:\/\//iu.test(filename)
    ? filename
    : `wield://files/${encodeURIComponent(filename ?? "file")}`
