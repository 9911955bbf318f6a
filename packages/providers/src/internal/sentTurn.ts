/** A turn as the next request has to carry it: as it came, or said anew where it came from another API. */
import type { Json, Loss, Turn } from "@wield/core"
import type { NameRule } from "./nameMap.js"
import { nameMap } from "./nameMap.js"
import type { Saying } from "./sayable.js"

/** What is lost of every turn of another format. */
export const foreignTurn = (turn: Turn.Turn): Loss.Loss => ({
  subject: "turn",
  path: [],
  keyword: "native",
  reason: `The turn is one of ${turn.format}: its text and calls are sent, its metadata is not.`
})

export const sentTurn = (
  turn: Turn.Turn,
  format: {
    readonly name: string
    readonly nameRule: NameRule
    /** Where calls are noted, so that their results name them as they stand. */
    readonly calls: { readonly keep: (part: Turn.CallPart) => void }
    readonly say: (saying: Saying) => ReadonlyArray<Json.Json>
  },
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const isOwn = turn.format === format.name
  if (isOwn && (turn.parts.length > 0 || turn.native.length > 0)) {
    for (const part of turn.parts) if (part._tag === "Call") format.calls.keep(part)
    return turn.native
  }
  if (!isOwn) losses.push(foreignTurn(turn))
  const { toNative } = nameMap([], format.nameRule)
  return format.say({ format: format.name, subject: "turn", toNative, isPaired: () => true, losses })
}
