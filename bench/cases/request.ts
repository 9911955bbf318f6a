/** Preparing a request that offers tools: the first time, and again. */
import { ToolRunner, Toolset } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { measureFresh } from "../harness/fresh.js"
import { asynchronous, batched, type Contender, keep, measure, standard } from "../harness/measure.js"
import { duration, type Goal, type Group, type Measured, rowOf, timingTable } from "../harness/table.js"
import { formats } from "../peers/formats.js"
import { aiSdkRequest, effectAiRequest } from "../peers/models.js"
import { handlersOf, kitOf } from "../task/effectSchema.js"

const prepared = (count: number) => {
  const kit = kitOf(count)
  return Effect.flatMap(Toolset.fromLayer(kit, kit.toLayer(handlersOf(count))), (toolset) =>
    ToolRunner.make(toolset)
  ).pipe(Effect.scoped)
}

const answer = { choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }] }

const own = "Wield: definitions + OpenAiChat.encodeTools"

const repeated = (name: string, work: () => unknown): Contender =>
  batched(
    name,
    async () => String(work() !== undefined),
    (times) => {
      for (let time = 0; time < times; time++) keep(work())
    }
  )

const request = (count: number) => async (): Promise<Measured> => {
  const runner = Effect.runSync(prepared(count))
  const definitions = Effect.runSync(runner.definitions)
  if (definitions.length !== count) throw new Error(`${definitions.length} tools are offered, not ${count}`)
  const encode = () => OpenAiChat.encodeTools(Effect.runSync(runner.definitions))
  const requests = [
    asynchronous("@effect/ai generateText, mock model", effectAiRequest(count)),
    asynchronous("AI SDK 7 generateText, mock model", aiSdkRequest(count))
  ]
  for (const { name, once } of requests) {
    if ((await once()) !== "ok") throw new Error(`${name} did not answer`)
  }
  const again = timingTable(
    `a request that offers ${count} tools, repeated`,
    await measure(
      [
        ...requests,
        repeated(own, encode),
        repeated("Wield: the same + decodeTurn of a text answer", () => [
          encode(),
          Either.getOrThrow(OpenAiChat.decodeTurn(answer, { definitions }))
        ]),
        repeated("Wield: the same + JSON.stringify of the tools", () => JSON.stringify(encode().body)),
        ...formats.map((format) =>
          repeated(`${format.name}: encodeTools alone`, () => format.encodeTools(definitions))
        ),
        repeated("openai-chat: encodeTools alone, strict", () =>
          OpenAiChat.encodeTools(definitions, { isStrict: true })
        )
      ],
      { rounds: count >= 100 ? 7 : 11, sampleMilliseconds: 10, warmMilliseconds: standard.warmMilliseconds }
    ),
    own
  )
  const first = timingTable(
    `a request that offers ${count} tools, the first with these tools`,
    await measureFresh(
      [
        { name: "@effect/ai generateText, mock model", prepare: () => effectAiRequest(count) },
        { name: "AI SDK 7 generateText, mock model", prepare: () => aiSdkRequest(count) },
        {
          name: "Wield: fromLayer + ToolRunner.make + definitions + OpenAiChat.encodeTools",
          prepare: () => {
            const fresh = prepared(count)
            return () => OpenAiChat.encodeTools(Effect.runSync(Effect.runSync(fresh).definitions))
          }
        },
        ...formats.map((format) => ({
          name: `${format.name}: encodeTools alone`,
          prepare: () => {
            const unseen = Effect.runSync(Effect.runSync(prepared(count)).definitions)
            return () => format.encodeTools(unseen)
          }
        }))
      ],
      count >= 1_000 ? 3 : 7
    )
  )
  return { tables: [again, first], goals: goalOf(count, rowOf(again, own).minimum) }
}

const goalOf = (count: number, nanoseconds: number): ReadonlyArray<Goal> => {
  const limit = count === 100 ? 0.2e6 : count === 1_000 ? 1e6 : undefined
  return limit === undefined
    ? []
    : [
        {
          name: `request with ${count} tools, repeated`,
          goal: `≤ ${duration(limit)}`,
          measured: duration(nanoseconds),
          isMet: nanoseconds <= limit
        }
      ]
}

export const groups: ReadonlyArray<Group> = [1, 10, 100, 1_000].map((count) => ({
  name: String(count),
  measure: request(count)
}))
