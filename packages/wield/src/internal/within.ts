/** Calls that wait for what they have called themselves: programs and sub-agents. */
import type { Answer } from "@wield/agent/DeferredCall"
import * as WithinCall from "@wield/agent/WithinCall"
import type { Outcome, Response } from "@wield/core"
import * as Json from "@wield/core/Json"
import type { Waiting } from "@wield/interop/approval"
import type { Answered } from "../run.js"

export { requestsIn } from "@wield/agent/WithinCall"

/** What is waited for within the call; `undefined` where the call itself waits. */
export const waitsWithin = (deferred: Outcome.Deferred): ReadonlyArray<Waiting> | undefined =>
  WithinCall.requestsIn(deferred)?.map(
    ({ arguments: visible, call, digest, id, input, name, waitsFor, why, within = [] }) => ({
      id,
      name,
      waitsFor,
      arguments: visible,
      ...(why === undefined ? {} : { why }),
      digest,
      call,
      ...(input === undefined ? {} : { input }),
      within
    })
  )

/** Whether the call waits for other answers by now. */
export const isOtherAsk = (before: Outcome.Deferred, now: Outcome.Deferred): boolean => {
  const [asked, asks] = [before, now].map((one) => (WithinCall.requestsIn(one) ?? []).map(({ id }) => id).join())
  return asked !== asks
}

/** Answers to what waits within the call. What a browser sent is held against what was asked. */
export const replyTo = (
  asked: Outcome.Deferred,
  given: ReadonlyArray<{ readonly to: Answered["to"]; readonly response: Response.Response }>,
  of: { readonly conversation: string; readonly entry: string }
) => {
  const requests = WithinCall.requestsIn(asked) ?? []
  const answers = given.flatMap(({ response, to }): ReadonlyArray<Answer> => {
    const known = requests.find(({ id }) => id === to.id) ?? requests[0]
    if (known === undefined) return []
    // What is not JSON in them is lost where the reply is written, and then they are not what was asked.
    const visible = Json.isObject(to.arguments) ? (to.arguments as Json.JsonObject) : known.arguments
    const named = { id: to.id, call: to.call, name: String(to.name), digest: String(to.digest), arguments: visible }
    return [{ request: { ...known, ...of, ...named }, response }]
  })
  return WithinCall.replyTo(asked, answers)
}
