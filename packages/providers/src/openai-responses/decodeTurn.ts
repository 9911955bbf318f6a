/**
 * A response of the Responses API as a turn.
 */
import type { ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Fields } from "../internal/wireField.js"
import { wireError } from "../internal/wireField.js"
import { errorBody } from "../openai/errorBody.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import type { WireFormat } from "../WireFormat.js"
import { name } from "./name.js"
import { responseTurn } from "./responseTurn.js"

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
    const wrong = output.findIndex((item) => !Json.isObject(item))
    if (wrong !== -1) return Either.left(wireError(name, ["output", wrong], "an item", output[wrong]))
    const tools = { offered: offeredTools(offered?.definitions), isStrict: offered?.isStrict === true }
    // All of them are objects, as has been checked.
    return Either.right(responseTurn(body, output as ReadonlyArray<Fields>, tools))
  }
