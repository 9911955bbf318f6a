/**
 * The fields and items of a response as a turn.
 */
import type { Turn } from "@wield/core"
import type { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import { readArguments } from "../openai/readArguments.js"
import { answeredCalls } from "./callItem.js"
import { callIds } from "./callIds.js"
import { ending } from "./finish.js"
import { name } from "./name.js"
import type { ItemReader } from "./parts.js"
import { partsOf } from "./parts.js"
import { usageOf } from "./usage.js"

/** What the calls of a response are read with. */
export interface Tools {
  readonly offered: OfferedTools
  readonly isStrict: boolean
}

export const itemReader = (response: Fields, items: ReadonlyArray<unknown>, tools: Tools): ItemReader => ({
  callId: callIds(stringField(response, "id")),
  tools: tools.offered,
  readArguments: readArguments(tools.offered, tools.isStrict),
  answered: answeredCalls(items)
})

/** `placeOf` an item is its position, unless it has been told of at another: ids that are made go by it. */
export const responseTurn = (
  response: Fields,
  items: ReadonlyArray<Fields>,
  tools: Tools,
  placeOf: (item: Fields) => number | undefined = () => undefined
): Turn.Turn => {
  const reader = itemReader(response, items, tools)
  const parts = partsOf(items, (item, position) => placeOf(item) ?? position, reader)
  return {
    format: name,
    id: stringField(response, "id"),
    model: stringField(response, "model"),
    parts,
    usage: usageOf(response["usage"]),
    ...ending(response, {
      hasCalls: parts.some((part) => part._tag === "Call" && part.executedBy === "application"),
      hasApprovals: items.some((item) => item["type"] === "mcp_approval_request")
    }),
    isComplete: true,
    // The items of a body that was parsed from JSON are JSON.
    native: items as ReadonlyArray<Json.JsonObject>
  }
}
