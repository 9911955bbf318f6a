/**
 * A response of the Responses API as a turn.
 */
import type { ToolDefinition, Turn } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { stringField, wireError } from "../internal/wireField.js"
import { callIds } from "../openai/callIds.js"
import { errorBody } from "../openai/errorBody.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import { readArguments } from "../openai/readArguments.js"
import type { WireFormat } from "../WireFormat.js"
import { answeredCalls } from "./callItem.js"
import { ending } from "./finish.js"
import { name } from "./name.js"
import type { ItemReader } from "./parts.js"
import { itemParts } from "./parts.js"
import { usageOf } from "./usage.js"

export const makeDecodeTurn =
  (
    offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined) => OfferedTools
  ): WireFormat["decodeTurn"] =>
  (body, offered) => {
    if (!Json.isObject(body)) return Either.left(wireError(name, [], "an object with output", body))
    const output: unknown = body["output"]
    if (!Array.isArray(output)) {
      return Either.left(errorBody(name, body, "output") ?? wireError(name, ["output"], "an array of items", output))
    }
    const tools = offeredTools(offered?.definitions)
    const reader: ItemReader = {
      callId: callIds(),
      tools,
      readArguments: readArguments(tools, offered?.isStrict === true),
      answered: answeredCalls(output)
    }
    const parts: Array<Turn.Part> = []
    let hasApprovals = false
    for (let index = 0; index < output.length; index++) {
      const item: unknown = output[index]
      if (!Json.isObject(item)) return Either.left(wireError(name, ["output", index], "an item", item))
      parts.push(...itemParts(item, index, reader))
      if (item["type"] === "mcp_approval_request") hasApprovals = true
    }
    const hasCalls = parts.some((part) => part._tag === "Call" && part.executedBy === "application")
    return Either.right({
      format: name,
      id: stringField(body, "id"),
      model: stringField(body, "model"),
      parts,
      usage: usageOf(body["usage"]),
      ...ending(body, { hasCalls, hasApprovals }),
      // A field of a body that was parsed from JSON is JSON.
      native: output as ReadonlyArray<Json.Json>
    })
  }
