/** Thousands of tools, and a conversation that asks for one after the other. */
import { HttpServerResponse } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Agent, type Conversation, Model, Tokens } from "@wield/agent"
import { Toolset } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import { Effect } from "effect"
import { sized } from "../../../test/sizes.js"
import { type Loopback, loopback, type Received } from "./loopback.js"

const tools = Array.from({ length: 5_000 }, (_, number) => ({
  name: `read_subject${number}`,
  description: `Reads what is known about subject${number} of kind ${number % 20}`,
  inputSchema: {
    type: "object",
    properties: { depth: { type: "integer", description: "How much to read, from 1 to 5" } }
  },
  execute: () => Effect.succeed({ number })
}))

/** Of all tests of a file: reading 5,000 schemas takes longer than the turns. */
export const all = Effect.runSync(Effect.cached(Toolset.dynamic(tools)))

export const few = Toolset.dynamic(tools.slice(0, 20))

const turns = sized(4, 20)

export type Body = Received["body"]

/** What is sent in all turns of the user, each about another subject: what its model answers comes from `answers`. */
export const askInTurns = (
  format: WireFormat.WireFormat,
  answers: (number: number) => ReadonlyArray<object>,
  search?: Agent.SearchOptions
) =>
  Effect.gen(function* () {
    const script = Array.from({ length: turns }, (_, turn) => answers(turn * 37)).flat()
    const server = yield* loopback((_, index) => Effect.succeed(HttpServerResponse.unsafeJson(script[index] ?? {})))
    const model = yield* modelOf(format, server)
    // Marks for a cache move along.
    const agent = yield* Agent.make({ model, toolset: yield* all, search, options: { isCached: false } })
    let conversation: Conversation.Conversation | undefined
    const ended: Array<string> = []
    for (let turn = 0; turn < turns; turn++) {
      const result = yield* Agent.run(
        agent,
        { prompt: `Question ${turn}`, conversation },
        {
          onEvent: (event) => void (event._tag === "CallFinished" && ended.push(event.outcome._tag + event.call.name))
        }
      )
      conversation = result.conversation
    }
    expect(server.requests).toHaveLength(script.length)
    const found = search === undefined || search.form === "hosted" ? [] : ["Successsearch_tools"]
    expect(ended).toEqual(
      Array.from({ length: turns }, (_, turn) => [...found, `Successread_subject${turn * 37}`]).flat()
    )
    return server.requests.map(({ body }) => body)
  })

export const modelOf = (format: WireFormat.WireFormat, { url }: Pick<Loopback, "url">) =>
  Model.fromWire(format, { model: "m", url, isStreaming: false, retry: false })

/** A request with its history last, as far as it goes: what every later one begins with. */
const prefixOf = (format: WireFormat.WireFormat, body: Body): ReadonlyArray<string> => {
  const { [format.historyKey]: history, tools: shown, ...rest } = body
  return [JSON.stringify(rest), JSON.stringify(shown ?? []).slice(0, -1), JSON.stringify(history).slice(0, -1)]
}

export const toolsIn = (body: Body | undefined): ReadonlyArray<{ readonly [key: string]: unknown }> => {
  const sent = body?.["tools"]
  return Array.isArray(sent) ? sent : []
}

/** Byte for byte; and what an API reads before the conversation is the same in all of them. */
export const expectToGrow = (format: WireFormat.WireFormat, bodies: ReadonlyArray<Body>): void => {
  const prefixes = bodies.map((body) => prefixOf(format, body))
  prefixes.slice(1).forEach((parts, index) => {
    parts.forEach((part, place) => expect(part.startsWith(prefixes[index]?.[place] ?? "?")).toBe(true))
  })
  const shown = bodies.map((body) => JSON.stringify(toolsIn(body).filter((tool) => tool["defer_loading"] !== true)))
  expect(new Set(shown).size).toBe(1)
}

/** At most a thirtieth of the tokens, by OpenAI's tokenizer, that an agent sends which shows all tools. */
export const expectToSave = (format: WireFormat.WireFormat, found: ReadonlyArray<Body>, whole: ReadonlyArray<Body>) =>
  Effect.gen(function* () {
    const [few, many] = [yield* tokensOf(found), yield* tokensOf(whole)]
    yield* Effect.log(
      `${format.name}, ${turns} turns: ${few} tokens of ${found.length} requests, ${many} of ${whole.length} with all tools`
    )
    expect(few * 30).toBeLessThan(many)
  })

const tokensOf = (bodies: ReadonlyArray<Body>) =>
  Effect.map(Tokens.openAi().counts, ({ text }) => {
    // The tools of an agent that shows all are the same in each.
    const known = new Map<string, number>()
    const count = (json: string) => {
      const tokens = known.get(json) ?? text(json)
      known.set(json, tokens)
      return tokens
    }
    return bodies.reduce(
      (sum, { tools: shown, ...rest }) => sum + count(JSON.stringify(shown ?? [])) + text(JSON.stringify(rest)),
      0
    )
  })
