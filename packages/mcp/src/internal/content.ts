/**
 * MCP's content blocks and tool definitions as Wield's, and back. What a model
 * cannot take as it is (a link, an embedded resource) becomes text.
 */
import type { Json } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Facts from "@wield/core/Facts"

/** The extension by which calls go on as tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks"

/** A content block of any revision. Unknown kinds keep their fields. */
export interface Block {
  readonly type: string
  readonly text?: string | undefined
  readonly data?: string | undefined
  readonly mimeType?: string | undefined
  readonly uri?: string | undefined
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly resource?: ResourceContents | undefined
  readonly _meta?: Json.JsonObject | undefined
}

/** The contents of a resource: text, or bytes as base64. */
export interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
  readonly _meta?: Json.JsonObject | undefined
}

/** A tool as `tools/list` has it. */
export interface McpTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Json.JsonSchema
  readonly outputSchema?: Json.JsonSchema | undefined
  readonly annotations?: Facts.Annotations | undefined
  readonly icons?: ReadonlyArray<Json.JsonObject> | undefined
  readonly _meta?: Json.JsonObject | undefined
}

/** What a model reads of a block. */
export const partOfBlock = (block: Block): Content.Part => {
  switch (block.type) {
    case "text":
      return Content.text(block.text ?? "")
    case "image":
      return Content.image(block.mimeType ?? "image/png", block.data ?? "")
    case "audio":
      return Content.file(block.mimeType ?? "audio/wav", block.data ?? "")
    case "resource_link":
      return Content.text(describeLink(block))
    case "resource":
      return block.resource === undefined ? Content.json(block) : partOfResource(block.resource)
    default:
      return Content.json(block)
  }
}

const describeLink = ({ description, mimeType, name, title, uri }: Block): string => {
  const label = title ?? name
  const kind = mimeType === undefined ? "" : ` (${mimeType})`
  return `Resource${label === undefined ? "" : ` ${label}`}: ${uri}${kind}${description === undefined ? "" : `\n${description}`}`
}

/** What a model reads of a resource. */
export const partOfResource = ({ blob, mimeType, text, uri }: ResourceContents): Content.Part => {
  if (blob === undefined) return Content.text(`Resource ${uri}:\n${text ?? ""}`)
  if (mimeType?.startsWith("image/") === true) return Content.image(mimeType, blob)
  return Content.file(mimeType ?? "application/octet-stream", blob, filenameOf(uri))
}

const filenameOf = (uri: string): string | undefined => {
  const last = uri.split(/[?#]/, 1)[0]?.split("/").at(-1)
  try {
    return last === undefined || last === "" ? undefined : decodeURIComponent(last)
  } catch {
    return last
  }
}

/** A part of a result as a block. `uriOf` names what only a resource can carry. */
export const blockOfPart = (part: Content.Part, uriOf: (filename: string | undefined) => string): Block => {
  switch (part._tag) {
    case "Text":
      return { type: "text", text: part.text }
    case "JsonValue":
      return { type: "text", text: JSON.stringify(part.value) ?? "null" }
    case "Image":
      return part.source._tag === "Base64"
        ? { type: "image", data: part.source.data, mimeType: part.mediaType }
        : { type: "resource_link", uri: part.source.url, name: "image", mimeType: part.mediaType }
    case "File": {
      const { filename, mediaType, source } = part
      if (source._tag === "Url") {
        return { type: "resource_link", uri: source.url, name: filename ?? "file", mimeType: mediaType }
      }
      return mediaType.startsWith("audio/")
        ? { type: "audio", data: source.data, mimeType: mediaType }
        : { type: "resource", resource: { uri: uriOf(filename), mimeType: mediaType, blob: source.data } }
    }
  }
}

/**
 * The facts that a server's annotations state. They are claims of a stranger:
 * `isTrusted` says whether they may loosen what is assumed of a tool about which
 * nothing is known. The title is for display only.
 */
export const factsOfTool = (tool: McpTool, isTrusted: boolean): Facts.Facts => {
  const { annotations = {} } = tool
  const remote = { kind: "api" as const, title: tool.title ?? annotations.title }
  return Facts.make(isTrusted ? { ...Facts.ofAnnotations(annotations), ...remote } : remote)
}
