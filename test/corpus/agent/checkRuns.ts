/** Checks on what a run told and came to: one result a call, in order, and the recorded end. */
import { Turn } from "@wield/core"
import { Cause, Exit } from "effect"
import { isDeepStrictEqual } from "node:util"
import { firstDifference } from "../wire/firstDifference.js"
import type { Conversation, Step } from "./conversations.js"
import { type FinalOutput, finalOutput } from "./finalOutput.js"
import type { Run } from "./replay.js"
import { statedOutput } from "./statedOutput.js"

/** `isExact`: the turns are those of the wire format, and not as another library reads them. */
export const checkRuns = (
  conversation: Conversation,
  runs: ReadonlyArray<Run>,
  isExact: boolean
): ReadonlyArray<string> => {
  const { steps } = conversation
  const output = finalOutput(conversation)
  const done = runs.reduce((count, run) => count + run.steps.length, 0)
  return [
    ...(done === steps.length ? [] : [`${done} of ${steps.length} turns were run`]),
    ...runs.flatMap((run, index) => checkRun(run, isExact, index === runs.length - 1 ? output : undefined))
  ]
}

const checkRun = (
  { events, exit, steps }: Run,
  isExact: boolean,
  output: FinalOutput | undefined
): ReadonlyArray<string> => {
  if (Exit.isFailure(exit)) return [`failed: ${Cause.pretty(exit.cause).slice(0, 600)}`]
  const result = exit.value
  const problems: Array<string> = []
  const check = (what: string, expected: unknown, found: unknown) => {
    if (!isDeepStrictEqual(expected, found))
      problems.push(`${what}: ${firstDifference({ expected }, { expected: found })}`)
  }
  const last = steps.at(-1)
  if (last === undefined) return ["nothing to run"]
  check(
    "how it ended",
    output === undefined ? endOf(last) : "Finished",
    result._tag === "Stopped" ? result.by.replace(/\(\d+\)/, "") : result._tag
  )
  check("final text", Turn.text(last.turn), result.text)
  if (output !== undefined) check("final output", output.value, result._tag === "Finished" ? result.output : undefined)
  check("steps", steps.length, result.steps)

  const finished = events.flatMap((event) => (event._tag === "TurnFinished" ? [event] : []))
  const made = steps.map(({ turn }) => Turn.calls(turn))
  const named = (calls: ReturnType<typeof Turn.calls>) => calls.map(({ name }) => name)
  check(
    "calls",
    made.map(named),
    finished.map(({ turn }) => named(Turn.calls(turn)))
  )
  check(
    "outcomes in the order of the calls",
    finished.map(({ turn }) => Turn.calls(turn)),
    finished.map(({ outcomes }) => outcomes.map(({ call }) => call))
  )
  const count = (tag: string) => events.filter(({ _tag }) => _tag === tag).length
  check("calls finished", made.flat().length, count("CallFinished"))
  check("calls started and refused", true, count("CallStarted") <= count("CallFinished"))

  const sum = (key: keyof Turn.Usage): number | undefined =>
    finished.reduce<number | undefined>((total, { turn }) => {
      const used = turn.usage[key]
      return used === undefined ? total : (total ?? 0) + used
    }, undefined)
  const total = {
    input: sum("input"),
    output: sum("output"),
    reasoning: sum("reasoning"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite")
  }
  check("usage", total, result.usage)
  const stated = steps.map(({ exchange }) => statedOutput(exchange))
  if (stated.every((count) => count !== undefined)) {
    const output = stated.reduce((sum, count) => sum + count, 0)
    check("output as the responses state it", output, result.usage.output)
  }
  if (isExact) check("turns", steps.map(exact), finished.map(exact))
  check("text told", Turn.text(last.turn), toldText(events))
  return problems
}

/** Ids that are made are made anew each time a response is read. */
const exact = ({ turn }: { readonly turn: Turn.Turn }) => ({
  text: Turn.text(turn),
  native: turn.native,
  usage: turn.usage,
  finish: turn.finish
})

const endOf = ({ turn }: Step): string =>
  Turn.calls(turn).length > 0
    ? "steps"
    : ["length", "filter", "error", "other"].includes(turn.finish)
      ? turn.finish
      : "Finished"

/** The text of the last turn, as it was told piece by piece. */
const toldText = (events: Run["events"]): string => {
  const from = events.findLastIndex(({ _tag }) => _tag === "TurnStarted")
  return events
    .slice(from)
    .flatMap((event) => (event._tag === "TextDelta" ? [event.text] : []))
    .join("")
}
