/** The calls of a task in one response of a wire format: decoded, run, and their results encoded. */
import { type Outcome, type ToolDefinition, Turn } from "@wield/core"
import { Effect, Either } from "effect"
import { isDeepStrictEqual } from "node:util"
import { resultWords } from "../agent/words.js"
import { responseOfAll, type Wire } from "../bfcl/responses.js"
import { firstDifference } from "../wire/firstDifference.js"
import { type Desk, type Done, isReading } from "./desk.js"
import type { ExpectedCall } from "./domain.js"

export interface Ran {
  /** How each call ended, without its id. */
  readonly endings: ReadonlyArray<unknown>
  readonly problems: ReadonlyArray<string>
}

export const runTask = (
  { runner, tools, written }: Desk,
  calls: ReadonlyArray<ExpectedCall>,
  wire: Wire
): Effect.Effect<Ran> =>
  Effect.gen(function* () {
    const before = written.length
    const definitions = yield* runner.definitions
    const turn = wire.format.decodeTurn(responseOfAll(wire, definitions, calls), { definitions })
    if (Either.isLeft(turn)) return { endings: [], problems: [turn.left.message] }
    const made = Turn.calls(turn.right)
    const outcomes = yield* runner.settle(made)
    const problems: Array<string> = []
    const check = (what: string, expected: unknown, found: unknown) => {
      if (!isDeepStrictEqual(expected, found))
        problems.push(`${what}: ${firstDifference({ expected }, { expected: found })}`)
    }
    const named = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name)
    check("calls", named(calls), named(made))
    check(
      "one outcome for each call, in order",
      made.map(({ id }) => id),
      outcomes.map(({ id }) => id)
    )
    const succeeded = outcomes.flatMap((outcome): ReadonlyArray<Done> =>
      outcome._tag === "Success" ? [outcome.encoded as Done] : []
    )
    const reading = new Set(named(tools.filter(isReading)))
    check(
      "what was written, in the order of the calls",
      succeeded.filter(({ name }) => !reading.has(name)),
      written.slice(before)
    )
    problems.push(...resultProblems(turn.right, outcomes, definitions, wire))
    return { endings: outcomes.map(endingOf), problems }
  }).pipe(Effect.orDie)

/** What a model reads of the results, once they are encoded. */
const resultProblems = (
  turn: Turn.Turn,
  outcomes: ReadonlyArray<Outcome.Outcome>,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  { format }: Wire
): ReadonlyArray<string> => {
  const { losses, messages, pending } = format.encodeResults(turn, outcomes)
  const tools = format.encodeTools(definitions).body
  const request = format.decodeRequest({ model: "any", ...tools, [format.historyKey]: messages })
  if (Either.isLeft(request)) return [request.left.message]
  const results = request.right.messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
  const expected = outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.encoded : outcome._tag))
  const found = results.map((result, index) =>
    outcomes[index]?._tag === "Success" ? plainValue(resultWords(result).value) : outcomes[index]?._tag
  )
  const difference = firstDifference({ expected }, { expected: found })
  return [
    ...(pending.length === 0 ? [] : [`no result for ${pending.join(", ")}`]),
    ...losses.map(({ reason }) => `a loss: ${reason}`),
    ...(difference === "" ? [] : [`results: ${difference}`])
  ]
}

/** Bedrock and Gemini may carry a JSON value as one of several. */
const plainValue = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value as ReadonlyArray<unknown>)[0] : value

const endingOf = (outcome: Outcome.Outcome): unknown =>
  outcome._tag === "Success"
    ? { ended: outcome._tag, encoded: outcome.encoded }
    : { ended: outcome._tag, issues: "issues" in outcome ? outcome.issues : undefined }
