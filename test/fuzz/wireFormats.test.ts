/**
 * Mutated real bodies and streams: whatever comes, a format gives a turn or a
 * typed error that says where, and never throws. Every run makes the same mutations.
 */
import { describe, expect, it } from "@effect/vitest"
import { Json, Outcome, Turn } from "@wield/core"
import { WireError, WireFormat } from "@wield/providers"
import { Either, Predicate } from "effect"
import { apiErrors } from "../corpus/wire/responses.js"
import { firstDifference } from "../corpus/wire/firstDifference.js"
import { cases } from "../corpus/wire/formats.js"
import { seeded } from "../corpus/wire/random.js"
import { sized } from "../sizes.js"
import { readMaterial } from "./material.js"
import type { Random } from "./mutate.js"
import { cutAnywhere, mutateBytes, mutateJson, mutateLine, pick } from "./mutate.js"

/** Mutations for each of a format's three tests; `WIELD_FUZZ` gives another number. */
const mutations = Number(process.env["WIELD_FUZZ"] ?? sized(30, 800))

const material = readMaterial()

/** The first mutation that fails, and how. */
const fuzz = (seed: string, check: (random: Random) => string | undefined): string | undefined => {
  for (let run = 0; run < mutations; run++) {
    try {
      const problem = check(seeded(`${seed} ${run}`))
      if (problem !== undefined) return `${seed} ${run}: ${problem}`
    } catch (error) {
      return `${seed} ${run}: threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    }
  }
  return undefined
}

const isPlaced = (error: WireError.WireError, format: string): boolean =>
  error instanceof WireError.WireError &&
  error.format === format &&
  error.expected !== "" &&
  error.message.length < 3000

/** What is wrong with the turn: its calls have to be answerable. */
const turnProblem = (format: WireFormat.WireFormat, turn: Turn.Turn): string | undefined => {
  const calls = Turn.calls(turn)
  const outcomes = calls.map((call) => Outcome.success(call, 1))
  const ids = new Set(calls.map((call) => call.id))
  const { pending } = format.encodeResults(turn, outcomes)
  if (pending.some((id) => ids.has(id))) return `calls stay pending: ${pending.join(", ")}`
  if (JSON.stringify(turn) === undefined) return "the turn is no JSON"
  return calls.every((call) => call.id !== "") ? undefined : "a call has no id"
}

/** If a body refers to a tool that it does not offer: Anthropic refuses such a body, so that the reference is left out. */
const hasStaleReference = (body: unknown): boolean => {
  const tools = Predicate.hasProperty(body, "tools") && Array.isArray(body.tools) ? body.tools : []
  const offered = tools.flatMap((tool: unknown) => (Predicate.hasProperty(tool, "name") ? [tool.name] : []))
  const referred = objectsIn(body).flatMap(({ tool_name }) => (typeof tool_name === "string" ? [tool_name] : []))
  return referred.some((name) => !offered.includes(name))
}

/** Whether reasoning stands at the end of what an assistant says, which these APIs refuse. */
const endsInReasoning = (body: unknown): boolean =>
  objectsIn(body).some(({ content, input, role }) => {
    if (role === "assistant" && Array.isArray(content)) return isReasoning(content.at(-1))
    const items: ReadonlyArray<unknown> = Array.isArray(input) ? input : []
    return items.some((item, index) => isReasoning(item) && isOfAnother(items[index + 1]))
  })

const isReasoning = (item: unknown): boolean =>
  Predicate.isRecord(item) &&
  ("reasoningContent" in item ||
    item["type"] === "thinking" ||
    item["type"] === "redacted_thinking" ||
    item["type"] === "reasoning")

/** What an assistant's own item is not. */
const isOfAnother = (item: unknown): boolean =>
  !Predicate.isRecord(item) ||
  ("role" in item
    ? item["role"] !== "assistant"
    : typeof item["type"] !== "string" || !/^(reasoning|.*_call)$/.test(item["type"]))

const objectsIn = (value: unknown): ReadonlyArray<{ readonly [key: string]: unknown }> => {
  const objects: Array<{ readonly [key: string]: unknown }> = []
  JSON.stringify(value, (_, inner: unknown) => {
    if (Predicate.isRecord(inner)) objects.push(inner)
    return inner
  })
  return objects
}

const blank = /"text":"(?:\s|\\[nrt]|\\u[0-9a-f]{4})*"/

describe.each(cases.map((each) => [each.wire, each.format] as const))("%s", (wire, format) => {
  const { requests, responses, streams } = material.get(wire) ?? { requests: [], responses: [], streams: [] }

  it("gives a turn or an error that says where, whatever the response", () => {
    const problem = fuzz(`${wire} response`, (random) => {
      const body = mutateJson(pick(responses, random), random)
      WireFormat.detect(body)
      const decoded = format.decodeTurn(body)
      if (Either.isLeft(decoded))
        return isPlaced(decoded.left, format.name) ? undefined : "an error that does not say where"
      const error = format.decodeError({ status: pick([400, 429, 500, 0], random) ?? 0, body })
      if (!apiErrors.has(error._tag)) return `an unknown error ${String(error)}`
      return turnProblem(format, decoded.right)
    })
    expect(problem).toBeUndefined()
  })

  it("gives a turn as far as it came, whatever the stream", () => {
    const problem = fuzz(`${wire} stream`, (random) => {
      const stream = pick(streams, random)
      if (stream === undefined) return undefined
      const bytes = random(3) === 0 ? mutateBytes(stream, random) : mutateLine(stream, random)
      const decoder = format.streamDecoder()
      const events = [...cutAnywhere(bytes, random).flatMap((piece) => decoder.push(piece)), ...decoder.end()]
      const last = events.at(-1)
      if (last?._tag !== "Finished") return "the last event is not Finished"
      if (events.filter((event) => event._tag === "Finished").length > 1) return "it is finished twice"
      const failure = decoder.failure()
      if (
        failure?._tag === "WireError" ? !isPlaced(failure, format.name) : !apiErrors.has(failure?._tag ?? "RateLimited")
      ) {
        return `an error that does not say what it is: ${String(failure)}`
      }
      const announced = events.flatMap((event) =>
        event._tag === "CallComplete" ? [JSON.stringify(event.part.call)] : []
      )
      const called = Turn.calls(last.turn).map((call) => JSON.stringify(call))
      if (!called.every((call) => announced.includes(call))) return `not announced: ${called.join(", ")}`
      return turnProblem(format, last.turn)
    })
    expect(problem).toBeUndefined()
  })

  it("gives a request or an error that says where, whatever the body, gives it back, and says it in every format", () => {
    const problem = fuzz(`${wire} request`, (random) => {
      const body = mutateJson(pick(requests, random), random)
      const decoded = format.decodeRequest(body)
      if (Either.isLeft(decoded))
        return isPlaced(decoded.left, format.name) ? undefined : "an error that does not say where"
      const difference = firstDifference(Json.toWellFormed(body), format.encodeRequest(decoded.right).body)
      // These APIs refuse a text of blanks only, so that it is left out.
      const isBlank =
        (format.name === "anthropic" || format.name === "bedrock-converse") && blank.test(JSON.stringify(body))
      const isStale = format.name === "anthropic" && hasStaleReference(body)
      const isLeftOut = isBlank || isStale || endsInReasoning(body)
      if (difference !== "" && !isLeftOut) return `not given back as it came: ${difference}`
      for (const other of cases) {
        const { body: said } = other.format.encodeRequest(decoded.right)
        if (typeof said !== "object") return `no body in ${other.wire}`
      }
      return undefined
    })
    expect(problem).toBeUndefined()
  })
})
