/** A toolset's definitions as the tools of `tools/list`. Each is encoded once for each revision. */
import type { Json, ToolDefinition } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import type { McpTool } from "../internal/content.js"
import { can } from "./revision.js"

/** What other programs execute cannot be called through a server. */
const isServed = ({ facts, provider }: ToolDefinition.ToolDefinition): boolean =>
  provider === undefined && facts.kind !== "client" && facts.kind !== "provider"

/** The definitions that are served, by name, in their order. */
export type Served = ReadonlyMap<string, ToolDefinition.ToolDefinition>

const servedOf = new WeakMap<ReadonlyArray<ToolDefinition.ToolDefinition>, Served>()

/** Toolsets that do not change give the same array each time. */
export const serve = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): Served => {
  let served = servedOf.get(definitions)
  if (served === undefined) {
    served = new Map(definitions.filter(isServed).map((definition) => [definition.name, definition]))
    servedOf.set(definitions, served)
  }
  return served
}

const mirroring = new WeakMap<Json.JsonSchema, boolean>()

/** Whether HTTP headers must repeat some of the tool's arguments. */
export const mirrorsHeaders = ({ inputSchema }: ToolDefinition.ToolDefinition): boolean => {
  let mirrors = mirroring.get(inputSchema)
  if (mirrors === undefined) {
    mirrors = JSON.stringify(inputSchema).includes('"x-mcp-header"')
    mirroring.set(inputSchema, mirrors)
  }
  return mirrors
}

const encoded = new WeakMap<ToolDefinition.ToolDefinition, Map<string, McpTool>>()

export const toolOf = (definition: ToolDefinition.ToolDefinition, revision: string, isBounded: boolean): McpTool => {
  let tools = encoded.get(definition)
  if (tools === undefined) encoded.set(definition, (tools = new Map()))
  const key = isBounded ? `${revision}, bounded` : revision
  let tool = tools.get(key)
  if (tool === undefined) tools.set(key, (tool = encode(definition, revision, isBounded)))
  return tool
}

const encode = (definition: ToolDefinition.ToolDefinition, revision: string, isBounded: boolean): McpTool => {
  const { description, facts, inputSchema, name, native } = definition
  // What another MCP server said of the tool, beyond what Wield has words for.
  const { _meta, icons } = native?.format === "mcp" ? (native.json as Partial<McpTool>) : {}
  return {
    name,
    ...(facts.title !== undefined && can(revision, "title") ? { title: facts.title } : {}),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(!isBounded && hasOutputSchema(definition, revision) ? { outputSchema: definition.outputSchema } : {}),
    ...(can(revision, "annotations") ? { annotations: Facts.toAnnotations(facts) } : {}),
    ...(icons !== undefined && can(revision, "icons") ? { icons } : {}),
    ...(_meta === undefined ? {} : { _meta })
  }
}

/** Whether the revision can say the tool's output schema. */
export const hasOutputSchema = ({ outputSchema }: ToolDefinition.ToolDefinition, revision: string): boolean =>
  outputSchema !== undefined &&
  (can(revision, "anyStructured") || (can(revision, "structured") && outputSchema["type"] === "object"))
