/** What of a turn can be said in another format than its own. */
import type { Json, Loss, Turn } from "@wield/core"

/** What is needed to re-encode a turn. */
export interface Saying {
  /** The format that is written: what came from it goes back as it stood. */
  readonly format: string
  /** What the losses belong to. */
  readonly subject: string
  readonly toNative: (name: string) => string
  /** Whether this call may be said: it has a result. */
  readonly isPaired: (id: string) => boolean
  readonly losses: Array<Loss.Loss>
}

/** What came from this API, and only it understands. */
export interface KeptPart {
  readonly _tag: "Kept"
  readonly isReasoning: boolean
  readonly json: ReadonlyArray<Json.Json>
}

export type Sayable = Exclude<Turn.Part, Turn.ReasoningPart> | KeptPart

/** The text, and the calls of the application; what is left out is a loss. */
export const sayable = (
  parts: ReadonlyArray<Turn.Part>,
  { format, isPaired, losses, subject }: Omit<Saying, "toNative">
): ReadonlyArray<Sayable> =>
  parts.flatMap((part, index): ReadonlyArray<Sayable> => {
    const lose = (keyword: string, reason: string): ReadonlyArray<Sayable> => {
      losses.push({ subject, path: [index], keyword, reason })
      return []
    }
    if (part._tag !== "Reasoning" && part._tag !== "Call") return [part]
    if (part.native?.format === format) {
      return [{ _tag: "Kept", isReasoning: part._tag === "Reasoning", json: part.native.json }]
    }
    if (part._tag === "Reasoning") {
      return lose("reasoning", "Only the API that reasoning came from takes it back; it is left out.")
    }
    const { id, name } = part.call
    if (part.executedBy === "provider") {
      return lose("providerCall", `The provider ran ${name} itself; the call and its result are left out.`)
    }
    return isPaired(id)
      ? [part]
      : lose("call", `The call ${JSON.stringify(id)} of ${name} has no result; it is left out.`)
  })

/** Whether the model said nothing in this turn. */
export const isEmptyTurn = (parts: ReadonlyArray<Turn.Part>): boolean =>
  parts.every((part) => (part._tag === "Text" || part._tag === "Refusal") && part.text === "")

/** The loss of such a turn, for an API that refuses an empty message. */
export const emptyTurn = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "turn",
  reason: "The model said nothing, and the API takes no empty message of it: the turn is left out."
})
