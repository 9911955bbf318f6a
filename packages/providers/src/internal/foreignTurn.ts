/** What is lost of every turn that is said in another format than its own. */
import type { Loss, Turn } from "@wield/core"

export const foreignTurn = (turn: Turn.Turn): Loss.Loss => ({
  subject: "turn",
  path: [],
  keyword: "native",
  reason: `The turn is one of ${turn.format}: its text and calls are sent, its metadata is not.`
})
