/** Checks on what a run asked of the model: the same as the recording. */
import type { Json } from "@wield/core"
import { Either } from "effect"
import { isDeepStrictEqual } from "node:util"
import { firstDifference } from "../wire/firstDifference.js"
import { remaining } from "../wire/remaining.js"
import type { Received } from "./answering.js"
import type { Conversation, Step } from "./conversations.js"
import { differencesOf } from "./differences.js"
import { oddities } from "./oddities.js"
import { beginning } from "./replay.js"
import { holdsTextOnly, saidOf } from "./said.js"
import { replacedIn, type Spoken } from "./spoken.js"

export type Need = (difference: string) => void

export const checkRequests = (
  conversation: Conversation,
  received: ReadonlyArray<Received>,
  { replacements }: Spoken,
  need: Need
): ReadonlyArray<string> => {
  const { continuations, known, steps } = conversation
  const { format } = known
  const problems: Array<string> = []
  const oddity = oddities.find(({ file }) => file === conversation.name)
  if (oddity !== undefined) need(oddity.name)
  if (received.length !== steps.length) problems.push(`${received.length} requests instead of ${steps.length}`)
  const allowed = [...known.differences, ...differencesOf(known.wire)]
  const historyOf = ({ body }: { readonly body: Json.JsonObject }): ReadonlyArray<Json.Json> => {
    const history = body[format.historyKey]
    return Array.isArray(history) ? (history as ReadonlyArray<Json.Json>) : []
  }
  /** The first exchange after which media follow results; from there on histories are compared in words only. */
  const media = continuations.findIndex((each) => each.media.length > 0)
  const hasFiles = continuations.some((each) => each.media.some((part) => part._tag === "File"))

  for (const [index, step] of steps.entries()) {
    const sent = received[index]
    if (sent === undefined) continue
    const check = (what: string, problem: string) => {
      if (problem !== "") problems.push(`request ${index + 1}, ${what}: ${problem}`)
    }
    const isStreaming = step.exchange.stream !== undefined
    check("path", firstDifference(format.endpoint.path(step.model, isStreaming), sent.path))
    if (!step.isWhole) need("conversation held by the API")

    const before = received[index - 1]
    const turn = steps[index - 1]?.turn.native ?? []
    if (before !== undefined && isSameBeginning(steps[index - 1], step)) {
      const kept = [...historyOf(before), ...turn]
      const again = historyOf(sent).slice(0, kept.length)
      const isKept = isSame(kept, again)
      if (isKept && !isDeepStrictEqual(kept, again)) need("ids of calls")
      check("the history and the turn before, as they were", isKept ? "" : firstDifference(kept, again))
    }

    const words = Either.all({
      expected: saidOf(known, step.body, new Map()),
      found: saidOf(known, sent.body, replacements)
    })
    check(
      "in words",
      Either.match(words, {
        onLeft: (problem) => problem,
        onRight: ({ expected, found }) => firstDifference(...both(expected, found, oddity?.apply))
      })
    )

    const isCut = media !== -1 && index > media
    if (isCut && holdsTextOnly(known.wire) && hasFiles) need("files left out of results")
    if (isCut) need("media of results")
    const cut = (body: Json.JsonObject, length: number): Json.JsonObject => ({
      ...body,
      [format.historyKey]: historyOf({ body }).slice(0, length)
    })
    const recorded = isCut ? cut(step.body, historyOf(steps[media] ?? step).length) : step.body
    const given = isCut ? cut(sent.body, historyOf(received[media] ?? sent).length) : sent.body
    const spoken = replacedIn(given, replacements, need)
    check("body", remaining(...both(recorded, spoken, oddity?.applyToBody), allowed, need))
  }
  return problems
}

/** Equal, but for the id of a call that the API left empty and that a result has to name, or one of a single response. */
const isSame = (kept: unknown, found: unknown, key?: string): boolean => {
  if (kept === "" && key === "id") return typeof found === "string"
  if (key === "call_id" && /^resp_[a-z2-7]{52}:/.test(String(found)))
    return String(found).endsWith(`:${String(kept)}`) || kept === found
  if (typeof kept !== "object" || typeof found !== "object" || kept === null || found === null) return kept === found
  if (Array.isArray(kept) !== Array.isArray(found)) return false
  const entries = Object.entries(kept)
  const others = new Map<string, unknown>(Object.entries(found))
  return (
    entries.length === others.size &&
    entries.every(([name, value]) => others.has(name) && isSame(value, others.get(name), name))
  )
}

/** Instructions may stand at the head of the history; where they change, all of it does. */
const isSameBeginning = (before: Step | undefined, { request }: Step): boolean =>
  before !== undefined && beginning(before.request.messages).instructions === beginning(request.messages).instructions

const both = <A>(expected: A, found: A, change: ((value: A) => A) | undefined): readonly [A, A] =>
  change === undefined ? [expected, found] : [change(expected), change(found)]
