/**
 * Bedrock's Converse API: a turn of another format as content blocks.
 */
import type { Json, Turn } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { sayable } from "../internal/sayable.js"

export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> =>
  sayable(parts, saying).flatMap((part): ReadonlyArray<Json.JsonObject> => {
    // A blank text is refused.
    if (part._tag !== "Call") return part.text.trim() === "" ? [] : [{ text: part.text }]
    const { arguments: sent, name } = part.call
    const input = argumentObject(sent)
    if (input === undefined) {
      const reason = `The arguments of ${name} are no JSON object; {} is sent.`
      saying.losses.push({ subject: saying.subject, path: [], keyword: "arguments", reason })
    }
    return [{ toolUse: { toolUseId: pairs.call(part), name: saying.toNative(name), input: input ?? {} } }]
  })
