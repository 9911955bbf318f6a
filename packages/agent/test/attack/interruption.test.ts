import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, DeferredCall } from "@wield/agent"
import { Approval, CurrentCall, Facts, Journal, type Message, type Response, Toolset } from "@wield/core"
import { ApiError } from "@wield/providers"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber, Random, Schema, Stream } from "effect"
import { sized } from "../../../../test/sizes.js"

const success = Schema.Number
const Shop = Toolkit.make(
  Tool.make("look", { success }).annotate(Tool.Readonly, true),
  Tool.make("reserve", { success }).annotate(Tool.Idempotent, true),
  Tool.make("pay", { success }),
  Tool.make("ship", { success }).pipe(Facts.sequential),
  Tool.make("sign", { success })
)

const someYields = Effect.flatMap(Random.nextIntBetween(0, 6), (times) => Effect.repeatN(Effect.yieldNow(), times))

/** Effects by idempotency key: of each call that ran, how often its effect was made. */
const shop = Effect.gen(function* () {
  const effects = new Map<string, number>()
  const denied: Array<string> = []
  const act = (tool: string) => () =>
    Effect.gen(function* () {
      const { id, idempotencyKey } = yield* CurrentCall.CurrentCall
      yield* someYields
      const key = tool === "look" || tool === "reserve" ? `${tool} once` : `${tool} ${idempotencyKey}`
      effects.set(key, key.endsWith("once") ? 1 : (effects.get(key) ?? 0) + 1)
      if (tool === "sign" && id.endsWith("no")) denied.push(id)
      yield* someYields
      return effects.size
    })
  const handlers = Shop.toLayer({
    look: act("look"),
    reserve: act("reserve"),
    pay: act("pay"),
    ship: act("ship"),
    sign: act("sign")
  })
  return { effects, denied, toolset: yield* Effect.provide(Toolset.fromToolkit(Shop), handlers) }
})

/** Calls of several tools, ids used again, text, broken responses; at last an answer. */
const talking = (isTwinned: boolean) =>
  FunctionModel.make(({ messages }) =>
    Effect.gen(function* () {
      const turns = messages.filter(({ _tag }) => _tag === "Assistant").length
      if (turns >= 5) return [ScriptedModel.text("Done.")]
      const count = yield* Random.nextIntBetween(1, 5)
      const parts = yield* Effect.forEach(Array.from({ length: count }), (_, place) =>
        Effect.gen(function* () {
          const names = ["look", "reserve", "pay", "ship", "sign", "no_such_tool"]
          const name = names[yield* Random.nextIntBetween(0, names.length)]!
          const number = isTwinned ? yield* Random.nextIntBetween(0, 4) : place
          const id = `call_${number}${(yield* Random.nextBoolean) ? "_no" : ""}`
          return [ScriptedModel.wait(someYields), ScriptedModel.call(name, {}, { id })]
        })
      )
      const all = [ScriptedModel.text("Let me see. "), ...parts.flat()] as const
      const isBroken = (yield* Random.next) < 0.15
      return isBroken
        ? ScriptedModel.broken(...all, new ApiError.ProviderUnavailable({ format: "scripted", detail: "gone" }))
        : [...all]
    })
  )

/** Each assistant's calls have one result each, in the message behind it, and no result stands without its call. */
const isPaired = (messages: ReadonlyArray<Message.Message>): boolean =>
  messages.every((message, index) => {
    const before = messages[index - 1]
    if (message._tag === "Results") {
      const calls =
        before?._tag === "Assistant" ? before.parts.flatMap((part) => (part._tag === "Call" ? [part.call.id] : [])) : []
      return JSON.stringify(calls) === JSON.stringify(message.results.map(({ id }) => id))
    }
    return before?._tag !== "Assistant" || before.parts.every((part) => part._tag !== "Call")
  })

const answerTo = ({ request }: DeferredCall.Answer): Response.Response =>
  request.call.id.endsWith("no") ? { _tag: "Deny", reason: "no" } : { _tag: "Approve" }

/** What the model reads of calls that came to no end. */
const lost = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    message._tag === "Results"
      ? message.results.flatMap(({ content }) => JSON.stringify(content).match(/was interrupted|is not known/g) ?? [])
      : []
  )

const kinds = [
  { name: "interrupted", kind: "a journal", seeds: sized(10, 40) },
  { name: "interrupted", kind: "no journal", seeds: sized(10, 40) },
  { name: "handed over, interrupted after it", kind: "a journal", seeds: sized(4, 40) },
  { name: "handed over, interrupted after it", kind: "no journal", seeds: sized(4, 40) },
  { name: "handed over with time enough", kind: "a journal", seeds: sized(4, 40) },
  { name: "handed over with time enough", kind: "no journal", seeds: sized(4, 40) }
] as const

describe("a run that is ended anywhere, again and again, and gone on with", () => {
  for (const { kind, name, seeds } of kinds) {
    it.effect(`${name}, with ${kind}: comes to its end, makes no effect twice, and every call has one result`, () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < seeds; seed++) {
          yield* Effect.gen(function* () {
            const { denied, effects, toolset } = yield* shop
            const asked: Array<ReadonlyArray<Message.Message>> = []
            // Only a journal knows, of two calls that are the same in everything, what became of the one.
            const talker = yield* talking(kind === "a journal")
            const model = {
              ...talker,
              stream: (request: Parameters<typeof talker.stream>[0]) => {
                asked.push(request.messages)
                return talker.stream(request)
              }
            }
            const agent = yield* Agent.make({
              model,
              toolset,
              mistakes: { perTool: 100, total: 100 },
              policy: {
                journal: kind === "a journal" ? yield* Journal.memory : undefined,
                approval: { sign: () => Approval.ask() }
              }
            })
            const conversation = yield* Conversation.make()
            let answers: ReadonlyArray<DeferredCall.Answer> = []
            const said: Array<Agent.InboxMessage> = []
            const inbox = Effect.sync(() => said)
            let isOver = false
            for (let tries = 0; !isOver; tries++) {
              expect(tries).toBeLessThan(300)
              const input = { conversation, inbox, answers, ...(tries === 0 ? { prompt: "Go on", promptId: "p" } : {}) }
              const empty = (yield* conversation.entries).length === 0
              const handOver = name === "interrupted" ? undefined : yield* Deferred.make<void>()
              const given = { ...(empty ? { conversation, inbox, prompt: "Go on", promptId: "p" } : input), handOver }
              const isStreamed = yield* Random.nextBoolean
              const running = isStreamed
                ? Stream.runLast(Agent.stream(agent, given)).pipe(
                    Effect.map((last) =>
                      last._tag === "Some" && last.value._tag === "Done" ? last.value.result : undefined
                    )
                  )
                : Agent.run(agent, given)
              const fiber = yield* Effect.fork(Effect.either(running))
              const patience = yield* Random.nextIntBetween(0, tries < 20 ? 80 : 2000)
              yield* Effect.repeatN(Effect.yieldNow(), patience)
              if (patience % 3 === 0) said.push({ id: `said ${tries}`, content: `Faster ${tries}` })
              if (handOver !== undefined) yield* Deferred.succeed(handOver, undefined)
              if (name.endsWith("after it")) yield* someYields
              const exit = yield* name.endsWith("enough") ? Fiber.await(fiber) : Fiber.interrupt(fiber)
              const before = answers
              answers = []
              if (exit._tag === "Failure" || exit.value._tag === "Left" || exit.value.right === undefined) continue
              const result = exit.value.right
              if (result._tag === "Paused") {
                answers = result.requests.map((request) => {
                  const answer = DeferredCall.approve(request)
                  return { ...answer, response: answerTo(answer) }
                })
              } else if (result._tag === "Stopped" && result.by === "handOver") answers = before
              else isOver = true
            }
            const entries = yield* conversation.entries
            expect(Conversation.unanswered(entries)).toBeUndefined()
            expect([seed, ...asked.map(isPaired)]).toEqual([seed, ...asked.map(() => true)])
            expect([seed, ...[...effects].filter(([, times]) => times > 1)]).toEqual([seed])
            expect(denied).toEqual([])
            const taken = entries.filter(({ id }) => id.startsWith("said")).map(({ id }) => id)
            expect([seed, ...taken]).toEqual([seed, ...said.slice(0, taken.length).map(({ id }) => id)])
            const told = lost(Conversation.messages(entries))
            if (name.endsWith("enough")) expect([seed, ...told]).toEqual([seed])
            if (name.endsWith("after it")) expect([seed, ...told]).not.toContain("was interrupted")
          }).pipe(Effect.withRandom(Random.make(`seed ${seed}`)))
        }
      })
    )
  }
})
