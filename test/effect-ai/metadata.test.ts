/** What a provider's package keeps beside the parts of a response goes back with the next request, whatever it is. */
import { LanguageModel, type Prompt, type Response } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Model } from "@wield/agent"
import { ToolDefinition } from "@wield/core"
import { Effect, FastCheck, Stream } from "effect"
import { assistant, turnOf, user } from "./models.js"
import { runs } from "../sizes.js"

const json = FastCheck.jsonValue({ maxDepth: 2 })
const metadata = FastCheck.dictionary(
  FastCheck.constantFrom("google", "openai", "anthropic", "acme"),
  // A refusal is a word of Wield's own.
  FastCheck.dictionary(FastCheck.stringMatching(/^[a-z_]{1,8}$/), json, { maxKeys: 3 }).filter(
    (keys) => !("refusal" in keys)
  ),
  { maxKeys: 2 }
)
const words = FastCheck.string({ minLength: 1, maxLength: 20 })
const names = ["get_orders", "refund"] as const

/** A part of a prompt, and the parts of a response that tell it, whole and streamed. */
interface Said {
  readonly back: Prompt.PartEncoded
  readonly whole: Response.PartEncoded
  readonly pieces: ReadonlyArray<Response.StreamPartEncoded>
}

type Metadata = Response.ProviderMetadata

/** What is told of a part at its end is laid over what was told at its beginning, key by key. */
const together = (early: Metadata, late: Metadata): Metadata =>
  Object.fromEntries(
    [...Object.keys(early), ...Object.keys(late)].map((name) => [name, { ...early[name], ...late[name] }])
  )

const unknown = (metadata: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, fields]) => [
      name,
      Object.fromEntries(Object.keys(fields ?? {}).map((key) => [key, undefined]))
    ])
  )

const spoken = (kind: "text" | "reasoning") =>
  FastCheck.record({ id: FastCheck.uuid(), text: words, early: metadata, late: metadata }).map(
    ({ early, id, late, text }): Said => {
      const options = together(early, late)
      return {
        back: { type: kind, text, options },
        whole: { type: kind, text, metadata: options },
        pieces: [
          { type: `${kind}-start`, id, metadata: early },
          { type: `${kind}-delta`, id, delta: text.slice(0, 1) },
          { type: `${kind}-delta`, id, delta: text.slice(1) },
          // A package may say again what it does not know.
          { type: `${kind}-end`, id, metadata: { ...unknown(early), ...late } }
        ]
      }
    }
  )

const called = FastCheck.record({
  id: FastCheck.uuid(),
  name: FastCheck.constantFrom(...names),
  params: FastCheck.dictionary(words, json, { maxKeys: 3 }),
  options: metadata
}).map(({ id, name, options, params }): Said => {
  const call = { type: "tool-call", id, name, params, metadata: options } as const
  return {
    back: { type: "tool-call", id, name, params, providerExecuted: false, options },
    whole: call,
    pieces: [
      { type: "tool-params-start", id, name },
      { type: "tool-params-delta", id, delta: JSON.stringify(params) },
      { type: "tool-params-end", id },
      call
    ]
  }
})

const finish = {
  type: "finish",
  reason: "stop",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
} as const

const turns = FastCheck.array(FastCheck.oneof(spoken("text"), spoken("reasoning"), called), {
  minLength: 1,
  maxLength: 6
})

/** A provider that says this, and keeps the prompts it was given. */
const provider = (said: ReadonlyArray<Said>) => {
  const prompts: Array<Prompt.Prompt> = []
  const service = LanguageModel.make({
    generateText: ({ prompt }) => {
      prompts.push(prompt)
      return Effect.succeed([...said.map(({ whole }) => whole), finish])
    },
    streamText: ({ prompt }) => {
      prompts.push(prompt)
      return Stream.fromIterable([...said.flatMap(({ pieces }) => pieces), finish])
    }
  })
  return { prompts, service }
}

for (const isStreaming of [true, false]) {
  it.effect.prop(
    `metadata of every part goes back as it came, ${isStreaming ? "streamed" : "not streamed"}`,
    [turns],
    ([said]) =>
      Effect.gen(function* () {
        const { prompts, service } = provider(said)
        const definitions = names.map((name) => ToolDefinition.make({ name }))
        const model = yield* Model.fromLanguageModel({ id: "acme-1", isStreaming }).pipe(
          Effect.provideServiceEffect(LanguageModel.LanguageModel, service)
        )
        const turn = yield* turnOf(model, { definitions })
        yield* turnOf(model, { definitions, messages: [user("-"), assistant(turn)] })
        const sent = prompts[1]?.content[1]
        const content = JSON.parse(JSON.stringify(sent?.content)) as ReadonlyArray<object>
        expect(content).toEqual(said.map(({ back }) => expect.objectContaining(JSON.parse(JSON.stringify(back)))))
      }),
    { fastCheck: { numRuns: runs(60), seed: 11 } }
  )
}
