/** What of a turn can be said in another format than its own. */
import type { Loss, Turn } from "@wield/core"

/** What is needed to say a turn anew. */
export interface Saying {
  /** What the losses belong to. */
  readonly subject: string
  readonly toNative: (name: string) => string
  /** Whether this call may be said: it has a result. */
  readonly isPaired: (id: string) => boolean
  readonly losses: Array<Loss.Loss>
}

export type Sayable = Exclude<Turn.Part, Turn.ReasoningPart>

/** The text, and the calls of the application; what is left out is a loss. */
export const sayable = (
  parts: ReadonlyArray<Turn.Part>,
  { isPaired, losses, subject }: Pick<Saying, "isPaired" | "losses" | "subject">
): ReadonlyArray<Sayable> =>
  parts.filter((part, index): part is Sayable => {
    const lose = (keyword: string, reason: string): false => {
      losses.push({ subject, path: [index], keyword, reason })
      return false
    }
    if (part._tag === "Reasoning") {
      return lose("reasoning", "Only the API that reasoning came from takes it back; it is left out.")
    }
    if (part._tag !== "Call") return true
    const { id, name } = part.call
    if (part.executedBy === "provider") {
      return lose("providerCall", `The provider ran ${name} itself; the call and its result are left out.`)
    }
    return isPaired(id) || lose("call", `The call ${JSON.stringify(id)} of ${name} has no result; it is left out.`)
  })
