/** Writing to the conversation: what a run says it did, it has recorded. */
import type { Message, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Outcome from "@wield/core/Outcome"
import * as Effect from "effect/Effect"
import * as Conversation from "../Conversation.js"
import { isConflict } from "../conversation/entries.js"
import { answersOf, openCallsOf } from "../conversation/messages.js"
import { isSameCall } from "./calls.js"
import { namesFound, withWay } from "./discovery.js"
import type { HeldWrites } from "./heldWrites.js"
import type { Taken } from "./settle.js"
import type { State } from "./state.js"

/** Appends to the conversation and to what the run knows of it. */
export const append = (state: State, ...entries: ReadonlyArray<Conversation.Entry>): Effect.Effect<void, unknown> =>
  Effect.suspend(() => {
    const added = entries.filter(({ id }) => !state.entries.some((known) => known.id === id))
    return added.length === 0
      ? Effect.void
      : Effect.map(write(state, added), () => {
          state.entries = [...state.entries, ...added]
        })
  })

/** The end of a call that the journal does not have yet is written with the entries. */
const write = (state: State, added: ReadonlyArray<Conversation.Entry>): Effect.Effect<void, unknown> => {
  const { conversation, heldWrites } = state
  const after = state.entries.at(-1)?.id
  const alone = conversation.append(added, after)
  return heldWrites === undefined
    ? alone
    : heldWrites.write(alone, (end) => heldWrites.writes.append(added, after, end))
}

/**
 * Appends a turn together with the begin of its first call, and settles its calls, each of which begins in the journal
 * before it does anything. Nothing has begun where it fails.
 */
export const appendWithCalls = <A>(
  state: State,
  heldWrites: HeldWrites,
  entry: Conversation.Entry,
  settle: Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const { entries } = state
    return Effect.tap(heldWrites.duringTurn(entry, entries.at(-1)?.id, settle), () => {
      state.entries = [...entries, entry]
    })
  })

/** Runs calls and records their results; the last end is left to the results' entry. */
export const untilRecorded = <A>(state: State, effect: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
  state.heldWrites === undefined ? effect : state.heldWrites.during(effect)

/**
 * Records how calls of a turn ended. What another process has recorded of the
 * same calls meanwhile stays as it is, and the run goes on from there.
 */
export const appendResults = (
  state: State,
  assistant: string,
  outcomes: ReadonlyArray<Outcome.Outcome>
): Effect.Effect<void, unknown> =>
  Effect.flatMap(resultsEntry(state, assistant, stillOpen(state, assistant, outcomes)), (results) =>
    Effect.catchIf(append(state, ...results), isConflict, (conflict) =>
      Effect.flatMap(takeOver(state, conflict), () => appendResults(state, assistant, outcomes))
    )
  )

const stillOpen = (state: State, assistant: string, outcomes: ReadonlyArray<Outcome.Outcome>) => {
  if (!state.isOvertaken) return outcomes
  const open = openCallsOf(state.entries)
  return open?.entry === assistant
    ? outcomes.filter(({ call }) => open.calls.some((other) => isSameCall(other, call)))
    : []
}

/** Goes on from what another process has appended of the same run; fails where that is something else. */
const takeOver = (state: State, conflict: unknown): Effect.Effect<void, unknown> =>
  Effect.flatMap(state.conversation.entries, (entries) =>
    isContinued(state, entries) ? Effect.sync(() => state.takeOver(entries)) : Effect.fail(conflict)
  )

/**
 * The outcomes that the conversation takes. Of a run that is handed over, what
 * was interrupted is left to the process that goes on: the journal decides there.
 */
export const takenOutcomes = (
  state: State,
  outcomes: ReadonlyArray<Outcome.Outcome>
): Effect.Effect<ReadonlyArray<Outcome.Outcome>> =>
  Effect.map(state.isHandedOver, (isHandedOver) =>
    isHandedOver ? outcomes.filter(({ _tag }) => _tag !== "Interrupted") : outcomes
  )

/**
 * Whether nothing but the same run came after what this one knows, as another
 * process goes on with it. Only a journal tells which of its calls are over, so
 * without one no process can join in.
 */
export const isContinued = (state: State, entries: ReadonlyArray<Conversation.Entry>): boolean =>
  state.plan.journal !== undefined &&
  entries.length > state.entries.length &&
  state.entries.every(({ id }, index) => entries[index]?.id === id) &&
  entries.slice(state.entries.length).every(({ message }) => message._tag !== "User")

/** A turn of the model as a message, with the provider's own JSON beside, and the names on offer where not all were. */
export const turnEntry = (
  { entry, offered }: { readonly entry: string; readonly offered: ReadonlyArray<string> | undefined },
  {
    finish,
    isComplete,
    isStopped,
    model,
    parts,
    usage
  }: Pick<Turn.Turn, "finish" | "isComplete" | "model" | "parts" | "usage"> & { readonly isStopped?: true },
  native: Message.Native | undefined
): Effect.Effect<Conversation.Entry> =>
  Conversation.entry(
    { _tag: "Assistant", parts, native },
    {
      id: entry,
      turn: {
        model,
        usage,
        finish,
        isComplete,
        ...(isStopped === undefined ? {} : { isStopped }),
        ...(offered === undefined ? {} : { offered })
      }
    }
  )

/**
 * Records answers that were not recorded before, so that what was decided is known whatever becomes of the call. `false`
 * where another process has gone on with the run; nothing is recorded then.
 */
export const appendAnswers = (
  state: State,
  assistant: string,
  taken: ReadonlyArray<Taken>
): Effect.Effect<boolean, unknown> =>
  Effect.gen(function* () {
    const known = new Set(state.entries.flatMap(({ responses }) => responses ?? []))
    const given = taken.filter(({ digest }) => !known.has(digest))
    if (given.length === 0) return true
    const entry = yield* Conversation.entry(
      { _tag: "Results", results: [], native: undefined },
      {
        id: `${assistant}/answers/${state.entries.length}`,
        responses: given.map(({ digest }) => digest),
        decisions: given.map(({ decision }) => decision)
      }
    )
    return yield* Effect.catchIf(Effect.as(append(state, entry), true), isConflict, (conflict) =>
      Effect.as(takeOver(state, conflict), false)
    )
  })

/**
 * The results of these outcomes; none where all of them still wait. The id tells
 * which calls it answers, so that recording the same results again changes nothing.
 */
const resultsEntry = (
  state: State,
  assistant: string,
  outcomes: ReadonlyArray<Outcome.Outcome>
): Effect.Effect<ReadonlyArray<Conversation.Entry>> => {
  const places = placesOf(state, outcomes)
  const ended = outcomes.flatMap((outcome, index) => {
    const result = resultOf(state, outcome)
    return result === undefined ? [] : [{ result, tag: outcome._tag, place: places?.[index] ?? -1 }]
  })
  if (ended.length === 0) return Effect.succeed([])
  const results = ended.map(({ result }) => result)
  const answers = places === undefined ? undefined : ended.map(({ place }) => place)
  const names = state.plan.discovery === undefined ? [] : namesFound(outcomes)
  const found = names.length === 0 ? undefined : names
  const isFirst = !state.entries.some((entry) => entry.id === `${assistant}/results`)
  const id = isFirst ? `${assistant}/results` : `${assistant}/results/${state.entries.length}`
  return Effect.map(
    Conversation.entry(
      { _tag: "Results", results, native: undefined },
      {
        id,
        answers,
        found,
        ends: ended.every(({ tag }) => tag === "Success" || tag === "Failure") ? undefined : ended.map(({ tag }) => tag)
      }
    ),
    (entry) => [entry]
  )
}

/** Which calls of the last turn came to these outcomes, where calls of it share an id. */
const placesOf = (state: State, outcomes: ReadonlyArray<Outcome.Outcome>): ReadonlyArray<number> | undefined => {
  const answered = answersOf(state.entries)
  if (answered === undefined) return undefined
  const { answers, calls } = answered
  if (new Set(calls.map(({ id }) => id)).size === calls.length) return undefined
  const free = calls.map((call, place) => ({ call, place })).filter(({ place }) => answers[place] === undefined)
  return outcomes.map((outcome) => {
    const found = free.findIndex(({ call }) => isSameCall(call, outcome.call))
    return found === -1 ? -1 : (free.splice(found, 1)[0]?.place ?? -1)
  })
}

const resultOf = (state: State, outcome: Outcome.Outcome): ToolResult.ToolResult | undefined =>
  // What the model has just said need not be said to it again.
  outcome._tag === "Success" && outcome.name === state.plan.output?.tool
    ? { id: outcome.id, name: outcome.name, isError: false, content: [Content.text("The answer was accepted.")] }
    : state.plan.discovery === undefined
      ? Outcome.render(outcome)
      : withWay(outcome, Outcome.render(outcome), state.searchable.form)
