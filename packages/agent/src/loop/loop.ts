/**
 * The loop: ask the model, run its calls, and again, until it has answered, a
 * person has to be asked, or a stop condition is reached.
 *
 * The file is long because all of it reads and writes the state of one run.
 */
import type { Outcome } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as Journal from "@wield/core/Journal"
import * as Json from "@wield/core/Json"
import * as Time from "@wield/core/Time"
import { finishReason, within, withSpan } from "@wield/core/Traces"
import * as Turn from "@wield/core/Turn"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { checkMessages, effectBy, invalidChanges, invalidInstructions } from "./config.js"
import type { Changes, InboxMessage, Input } from "./input.js"
import { NothingToDo, WaitingForAnswers } from "../AgentError.js"
import * as AgentEvent from "../AgentEvent.js"
import type { Model, ModelRequest } from "../Model.js"
import * as Conversation from "../Conversation.js"
import { EntryIdTaken } from "../ConversationError.js"
import type { Answer, DeferredCall } from "../DeferredCall.js"
import * as ModelError from "../ModelError.js"
import * as Stop from "../Stop.js"
import { asOnlyRun } from "./acrossProcesses.js"
import { settleOpen } from "./answers.js"
import { spend, usedUp } from "./budget.js"
import { agentAttributes, usageAttributes } from "./chatSpan.js"
import {
  callTool,
  findings,
  findLost,
  isLeftOut,
  reminder,
  Searchable,
  searchTool,
  shownTools,
  wrapMessages
} from "./discovery.js"
import { checkInput } from "./guarded.js"
import { tellAgain } from "./tellAgain.js"
import { isConflict, isSameEntry, newId } from "../conversation/entries.js"
import { type Emit, emitLater, type Inherited, Outer, type Plan, type Run } from "./plan.js"
import { append } from "./record.js"
import { finishedResult, handedOverResult, lastTurnOf, pausedResult, type Result, stoppedResult } from "./result.js"
import { type InContext, State } from "./state.js"
import { type Asked, raise, type Taken, takeTurn } from "./turn.js"
import { askAbout } from "./waiting.js"

type Given = Input<{}, unknown>

export const loop = (plan: Plan, input: Given, emit: Emit): Effect.Effect<Result, unknown> =>
  Effect.gen(function* () {
    const inherited = yield* Outer
    const conversation = input.conversation ?? (yield* Conversation.make())
    const begun: Begun = { state: undefined }
    return yield* withSpan(
      `invoke_agent ${plan.name}`,
      "internal",
      () => ({
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": plan.model.origin?.provider ?? plan.model.format,
        "gen_ai.request.model": plan.model.id,
        "gen_ai.conversation.id": conversation.id,
        ...agentAttributes(plan)
      }),
      (span) =>
        within(
          Effect.gen(function* () {
            yield* warnOf(plan, conversation)
            const run = runOf(plan, input, emit, conversation, inherited, begun)
            const result = yield* inTurn(plan, conversation, inherited, run)
            yield* emitLater(emit, { _tag: "Done", result })
            return result
          }),
          span
        ),
      () => ({
        ...usageAttributes(begun.state?.usage ?? Turn.unknownUsage),
        ...(begun.state?.finish === undefined
          ? {}
          : { "gen_ai.response.finish_reasons": [finishReason(begun.state.finish)] })
      })
    )
  })

/** A run, once it has begun: its span says what it has come to, whatever it ends with. */
interface Begun {
  state: State | undefined
}

/**
 * The runs of one conversation go one after the other. One within another run of
 * it, as a tool may start, would wait for itself.
 */
const inTurn = <A>(
  plan: Plan,
  conversation: Conversation.Conversation<unknown>,
  inherited: Inherited,
  run: Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> => {
  const { exclusively, id } = conversation
  if (inherited.conversations.has(id)) return run
  const alone = asOnlyRun(plan, conversation, run)
  return exclusively === undefined ? plan.oneAtATime(id, alone) : exclusively(alone)
}

const runOf = (
  plan: Plan,
  input: Given,
  emit: Emit,
  conversation: Conversation.Conversation<unknown>,
  inherited: Inherited,
  begun: Begun
): Effect.Effect<Result, unknown> =>
  Effect.gen(function* () {
    const run = plan.forRun({ id: conversation.id, context: input.context })
    const startedAt = yield* Time.monotonic
    const inContext = withContext(input.context)
    const entries = yield* conversation.entries
    const given = Json.isObject(input.context) ? input.context : {}
    const context = { ...(yield* CallContext.CallContext), ...given }
    const state = new State(
      plan,
      conversation,
      run,
      emit,
      inherited,
      startedAt,
      entries,
      inContext,
      context,
      input.handOver
    )
    begun.state = state
    const inner: Inherited = {
      isWithin: true,
      conversations: new Set(inherited.conversations).add(conversation.id),
      use: (model, usage) => state.use(model, usage),
      answer: plan.answer ?? inherited.answer
    }
    const { heldWrites } = state
    const conversed = converse(state, input).pipe(
      Effect.provideService(Outer, inner),
      // What was answered around this run is the call that runs it.
      Effect.provideService(Journal.AnsweredBy, undefined),
      Effect.provideService(Searchable, state.searchable)
    )
    return yield* plan.journal === undefined || heldWrites === undefined
      ? conversed
      : plan.journal.during(conversation.id, heldWrites, conversed)
  })

/** What is decided for a step may depend on whom it is for. */
const withContext = (context: unknown): InContext =>
  Json.isObject(context) ? CallContext.provide(context) : (effect) => effect

/** After a crash it would not be known which of its calls ran. */
const warnOf = (plan: Plan, { id, isDurable }: Conversation.Conversation<unknown>): Effect.Effect<void> =>
  isDurable && plan.journal === undefined
    ? Effect.logWarning(
        `The conversation ${id} outlives the process, but the agent ${plan.name} has no journal in its policy: a call that was approved just before a crash could run twice. Give it the journal that stands beside the store`
      )
    : Effect.void

const converse = (state: State, input: Given): Effect.Effect<Result, unknown> =>
  Effect.gen(function* () {
    // Where another process may go on with a run, its readers learn from there what was recorded.
    if (input.handOver === undefined) yield* tellAgain(state, input.answers)
    const requests = yield* settleAll(state, input.answers ?? [])
    if (yield* state.isHandedOver) return handedOverResult(state)
    if (requests.length > 0) {
      return isNew(state, input) ? yield* stillWaiting(state, requests) : pausedResult(state, requests)
    }
    yield* addPrompt(state, input)
    // A run that was over when its process ended is over still.
    let result = (yield* caughtUp(state)) ?? (yield* afterSettled(state, input.answers))
    while (true) {
      const isOpen = result === undefined || result._tag === "Finished"
      // What has come before the end is still answered.
      if (isOpen && (yield* takeMessages(state, input))) result = yield* caughtUp(state)
      if (result !== undefined) return result
      if (state.entries.length === 0) return yield* new NothingToDo({ conversation: state.conversation.id })
      if (yield* state.isHandedOver) return handedOverResult(state)
      const budget = yield* usedUp(state)
      if (budget !== undefined) return stoppedResult(state, budget)
      result = (yield* step(state)) ?? (yield* caughtUp(state))
    }
  })

/** Settles what is open, also what another process has left open that went on meanwhile. */
const settleAll = (state: State, answers: ReadonlyArray<Answer>): Effect.Effect<ReadonlyArray<DeferredCall>, unknown> =>
  Effect.gen(function* () {
    state.settled = []
    const requests = yield* settleOpen(state, answers)
    if (!state.isOvertaken) return requests
    state.isOvertaken = false
    return yield* settleAll(state, [])
  })

/** Where another process has gone on with the run: what it has come to, if it is over or waits. */
const caughtUp = (state: State): Effect.Effect<Result | undefined, unknown> =>
  Effect.gen(function* () {
    if (!state.isOvertaken) return undefined
    const requests = yield* settleAll(state, [])
    if (yield* state.isHandedOver) return handedOverResult(state)
    return requests.length > 0 ? pausedResult(state, requests) : yield* afterSettled(state)
  })

/** What a run has come to that has settled what was open, or was given the same answers again: the turn of those calls is over now. */
const afterSettled = (state: State, answers: ReadonlyArray<Answer> = []): Effect.Effect<Result | undefined, unknown> =>
  Effect.gen(function* () {
    const finished = yield* alreadyFinished(state)
    const last = lastTurnOf(state.entries)
    if (finished !== undefined || last?.isLast !== true || state.settled.length + answers.length === 0) return finished
    const entries = state.entries.slice(state.entries.indexOf(last.entry))
    // Of other ends than these the conversation does not keep enough.
    const isKept = (id: string) =>
      entries.some(
        ({ ends, message }) =>
          message._tag === "Results" &&
          message.results.some(
            (result, place) => result.id === id && /^(Success|Failure)$/.test(ends?.[place] ?? "Success")
          )
      )
    const events = AgentEvent.fromEntries(entries)
    const before = events.flatMap((event) =>
      event._tag === "CallFinished" && isKept(event.call.id) ? [event.outcome] : []
    )
    const outcomes = [...before.filter(({ id }) => state.settled.every((one) => one.id !== id)), ...state.settled]
    const turn = events.find((event) => event._tag === "TurnFinished")?.turn
    return turn === undefined ? undefined : yield* stopAfter(state, turn, outcomes)
  })

const addPrompt = (state: State, { prompt, promptId }: Given): Effect.Effect<void, unknown> =>
  prompt === undefined
    ? Effect.void
    : Effect.flatMap(promptId === undefined ? newId : Effect.succeed(promptId), (id) =>
        addMessages(state, [{ id, content: prompt }])
      )

/** Whether a message has come that the conversation did not have. */
const takeMessages = (state: State, { inbox }: Given): Effect.Effect<boolean, unknown> =>
  Effect.gen(function* () {
    const messages = inbox === undefined ? [] : yield* inbox
    checkMessages(messages)
    if (messages.length === 0) return false
    const added = yield* addMessages(state, messages)
    yield* Effect.forEach(added, ({ id }) => state.emit({ _tag: "MessageTaken", entry: id }), { discard: true })
    return added.length > 0
  })

/** A message that comes again is there already; another one under its id would be left out in silence. */
const addMessages = (
  state: State,
  messages: ReadonlyArray<InboxMessage>
): Effect.Effect<ReadonlyArray<Conversation.Entry>, unknown> =>
  Effect.gen(function* () {
    const added: Array<Conversation.Entry> = []
    for (const { content, id } of messages) {
      const entry = yield* Conversation.entry(Conversation.user(content), { id })
      const there = [...state.entries, ...added].find((known) => known.id === id)
      if (there === undefined) {
        yield* checkInput(state, content)
        added.push(entry)
      } else if (!saysSame(there, entry)) {
        return yield* new EntryIdTaken({ conversation: state.conversation.id, entry: id })
      }
    }
    yield* Effect.catchIf(append(state, ...added), isConflict, (conflict) =>
      Effect.flatMap(state.conversation.entries, (entries) => {
        // Another process may have been given the same messages at the same time.
        const areThere = added.every((entry) => entries.some((theirs) => saysSame(theirs, entry)))
        if (!areThere || state.plan.journal === undefined) return Effect.fail(conflict)
        return Effect.sync(() => state.takeOver(entries))
      })
    )
    return added
  })

const saysSame = (one: Conversation.Entry, other: Conversation.Entry): boolean =>
  one.id === other.id && isSameEntry(one, { ...one, message: other.message })

/** A prompt that is given again, after a crash, is what the calls wait for. */
const isNew = (state: State, { prompt, promptId }: Given): boolean =>
  prompt !== undefined && (promptId === undefined || state.entries.every((entry) => entry.id !== promptId))

const stillWaiting = (state: State, requests: ReadonlyArray<DeferredCall>) =>
  new WaitingForAnswers({
    conversation: state.conversation.id,
    calls: requests.map((request) => request.call.id)
  })

const alreadyFinished = (state: State): Effect.Effect<Result | undefined, unknown> => {
  const last = lastTurnOf(state.entries)
  if (last?.isLast === true && last.entry.turn?.isStopped === true && last.results.length === 0) {
    return Effect.succeed(stoppedResult(state, "interruption"))
  }
  if (last === undefined || !last.isLast || last.entry.turn?.isComplete === false) return Effect.succeed(undefined)
  const { output } = state.plan
  const finish = last.entry.turn?.finish
  if (last.calls.length === 0 && isCutOff(finish)) return Effect.succeed(stoppedResult(state, finish))
  if (output === undefined) {
    // Results behind it, of calls of an earlier turn, have not been sent yet.
    const isAnswer = last.calls.length === 0 && last.results.length === 0 && finish !== "paused"
    return Effect.succeed(isAnswer ? finishedResult(state, last.text) : undefined)
  }
  const accepted = last.results.find((result) => result.name === output.tool && !result.isError)
  const call = last.calls.find((made) => made.id === accepted?.id && made.name === output.tool)
  return call === undefined
    ? Effect.succeed(undefined)
    : Effect.map(output.read(call), (value) => (Option.isSome(value) ? finishedResult(state, value.value) : undefined))
}

/** One turn with its calls; `undefined` when another one follows. */
const step = (state: State): Effect.Effect<Result | undefined, unknown> =>
  Effect.gen(function* () {
    const asked = yield* state.inContext(prepare(state))
    state.steps++
    yield* state.emit({ _tag: "TurnStarted", step: state.steps, entry: asked.entry, model: asked.model.id })
    const taken = yield* takeTurn(state, asked)
    if (taken._tag === "Overtaken") return undefined
    const { outcomes, requests } = yield* askAbout(state, asked.entry, asked.run, taken.outcomes)
    if (taken._tag === "Broken") return yield* afterBroken(state, asked.entry, taken, outcomes, requests)
    state.broken = 0
    state.finish = taken.turn.finish
    yield* state.emit({ _tag: "TurnFinished", step: state.steps, entry: asked.entry, turn: taken.turn, outcomes })
    yield* state.emit({ _tag: "UsageKnown", usage: taken.turn.usage, total: state.usage })
    yield* raise(outcomes)
    if (outcomes.length < Turn.calls(taken.turn).length) return handedOverResult(state)
    return yield* after(state, taken.turn, outcomes, requests)
  })

const after = (
  state: State,
  turn: Turn.Turn,
  outcomes: ReadonlyArray<Outcome.Outcome>,
  requests: ReadonlyArray<DeferredCall>
): Effect.Effect<Result | undefined, unknown> =>
  Effect.gen(function* () {
    const { output } = state.plan
    const answer = outcomes.find((outcome) => outcome._tag === "Success" && outcome.name === output?.tool)
    if (answer?._tag === "Success" && requests.length === 0) {
      return finishedResult(state, output?.valueOf(answer.result))
    }
    const over = state.mistakes.count(outcomes)
    if (over !== undefined) return yield* over
    if (requests.length > 0) return pausedResult(state, requests)
    if (outcomes.length === 0) {
      const ending = yield* withoutCalls(state, turn)
      if (ending !== undefined) return ending
    }
    return yield* stopAfter(state, turn, outcomes)
  })

const stopAfter = (
  state: State,
  turn: Turn.Turn,
  outcomes: ReadonlyArray<Outcome.Outcome>
): Effect.Effect<Result | undefined, unknown> =>
  Effect.gen(function* () {
    const { stop } = state.plan
    const isStopped = yield* Stop.isReached(stop, {
      steps: state.steps,
      usage: state.usage,
      usageByModel: state.usageByModel,
      elapsed: (yield* Time.monotonic) - state.startedAt,
      entries: state.entries,
      turn,
      outcomes
    })
    return isStopped ? stoppedResult(state, stop.name) : undefined
  })

/** What a turn without calls means. */
const withoutCalls = (state: State, turn: Turn.Turn): Effect.Effect<Result | undefined, unknown> => {
  if (isCutOff(turn.finish)) return Effect.succeed(stoppedResult(state, turn.finish))
  // The provider asks to be called again to go on.
  if (turn.finish === "paused") return Effect.succeed(undefined)
  return state.plan.output === undefined
    ? Effect.succeed(finishedResult(state, Turn.text(turn)))
    : remind(state, state.plan.output.tool)
}

/** The turn is no answer, though nothing follows it; with an unknown word it may be one. */
const isCutOff = (
  finish: Turn.Finish | undefined
): finish is "length" | "filter" | "background" | "error" | "other" => {
  switch (finish) {
    case "length":
    case "filter":
    case "background":
    case "error":
    case "other":
      return true
    case undefined:
    case "stop":
    case "calls":
    case "paused":
      return false
  }
}

/** The model answered in words where it should have called the tool. */
const remind = (state: State, tool: string): Effect.Effect<undefined, unknown> =>
  Effect.gen(function* () {
    const reminder = askForOutput(tool)
    const over = state.mistakes.unanswered(reminder)
    if (over !== undefined) return yield* over
    yield* append(state, yield* Conversation.entry(Conversation.user(reminder)))
    return undefined
  })

const afterBroken = (
  state: State,
  entry: string,
  taken: Extract<Taken, { readonly _tag: "Broken" }>,
  outcomes: ReadonlyArray<Outcome.Outcome>,
  requests: ReadonlyArray<DeferredCall>
): Effect.Effect<Result | undefined, unknown> =>
  Effect.gen(function* () {
    // Before it began, the model has already tried again by itself.
    const isChanged = (yield* unforce(state, taken.error)) || (yield* refuseFound(state, taken.error))
    const isRetried =
      isChanged || (taken.isBegun && state.broken < state.plan.retries && ModelError.isPassing(taken.error))
    if (!isChanged) state.broken++
    yield* state.emit({ _tag: "TurnBroken", step: state.steps, entry, error: taken.error, isRetried })
    yield* raise(outcomes)
    if (requests.length > 0) return pausedResult(state, requests)
    return isRetried ? undefined : yield* Effect.fail(taken.error)
  })

/**
 * Whether the API refuses that a call is demanded, as those do of models that think and of some others. The final
 * output is then asked for in words.
 */
const unforce = (state: State, error: ModelError.ModelError): Effect.Effect<boolean> => {
  const { options, output } = state.plan
  const isForced = output !== undefined && options?.choice === undefined && !state.isUnforced
  if (!isForced || error._tag !== "RequestRejected" || !choiceWords.test(error.detail)) return Effect.succeed(false)
  state.isUnforced = true
  return Effect.as(
    Effect.logWarning(
      `The model of ${state.plan.name} refuses that a call is demanded: the tool ${output.tool} is asked for in words, and the model may answer without it first. ${error.detail.slice(0, 300)}`
    ),
    true
  )
}

const choiceWords = /tool[ _-]?choice|function[ _-]?calling|forced? (tool|function)|forces tool/i

/** Whether the API refuses its own form of what a search has found: it is then shown as to any other API. */
const refuseFound = (state: State, error: ModelError.ModelError): Effect.Effect<boolean> => {
  const isOwn = state.searchable.form === "native" || state.searchable.form === "hosted"
  if (!isOwn || error._tag !== "RequestRejected" || !foundWords.test(error.detail)) {
    return Effect.succeed(false)
  }
  state.isFoundRefused = true
  return Effect.as(
    Effect.logWarning(
      `The model of ${state.plan.name} refuses deferred tools: found ones are called with ${callTool}. Set the agent's \`search.form\` to "call-through" to ask so at once. ${error.detail.slice(0, 300)}`
    ),
    true
  )
}

const foundWords = /tool[ _]?(search|reference)|defer_loading/i

/** What the next turn is asked with. */
const prepare = (state: State): Effect.Effect<Asked, unknown> =>
  Effect.gen(function* () {
    const { plan } = state
    const given = plan.instructions === undefined ? undefined : yield* plan.instructions
    const wrong = invalidInstructions(given)
    if (wrong !== undefined) return yield* Effect.die(wrong)
    const changes = yield* changesOf(state, given)
    const instructions = withOutput(state, changes.instructions ?? given)
    const model = changes.model ?? plan.model
    const entry = yield* newId
    const { callable, definitions, offered, run } = yield* offer(state, entry, offeredNames(state, changes), model)
    const view = yield* plan.window.view(state.entries, { instructions, definitions })
    if (view.summary !== undefined) {
      const { turn } = view.summary
      if (turn !== undefined) {
        const by = turn.model ?? model.id
        state.use(by, turn.usage)
        yield* spend(state, by, turn.usage)
      }
      yield* append(state, view.summary)
    }
    const request: ModelRequest = {
      messages: view.messages,
      definitions,
      options: optionsOf(state, changes, definitions.length > 0),
      settings: { ...plan.settings, ...changes.settings },
      conversation: state.conversation.id
    }
    const requestFor = (asked: Model): ModelRequest => {
      const { prompt, ...rest } = inForm(state, asked, request)
      const system = joinTexts(instructions, prompt)
      if (system === undefined) return rest
      return { ...rest, messages: [{ _tag: "System", text: system, native: undefined }, ...rest.messages] }
    }
    return { entry, model, run, definitions: callable, offered, requestFor }
  })

/** The request as this model is shown what was found, and what the instructions say of it. */
const inForm = (
  state: State,
  model: Model,
  request: ModelRequest
): ModelRequest & { readonly prompt?: string | undefined } => {
  const { discovery } = state.plan
  if (discovery === undefined) return request
  const { definitions, messages } = request
  const form = state.formFor(model)
  state.searchable.form = form
  const lost = form === "hosted" ? [] : findLost(state.entries, messages)
  const added = form === "activation" ? findings(state.entries) : lost
  const shown = shownTools(discovery, form, definitions, added)
  if (form !== "call-through") {
    if (form === "activation") return { ...request, definitions: shown }
    const own = { ...request, definitions: shown, search: searchTool }
    return form === "native"
      ? { ...own, findable: definitions }
      : { ...own, deferred: state.searchable.definitions?.filter((one) => !discovery.isShown(one)) }
  }
  return { ...request, definitions: shown, messages: wrapMessages(messages), prompt: reminder(lost, definitions) }
}

/** The run with what is on offer in a turn. */
const offer = (state: State, turn: string, names: ReadonlyArray<string> | undefined, model: Model) =>
  Effect.gen(function* () {
    const runOf = (offered: ReadonlyArray<string> | undefined): Run =>
      state.run.forRun({ turn, ...(offered === undefined ? {} : { offered }) })
    const whole = runOf(names)
    const all = yield* whole.definitions
    const { discovery } = state.plan
    if (discovery === undefined) return { run: whole, offered: names, definitions: all, callable: all }
    state.searchable.definitions = all
    const found = new Set(findings(state.entries))
    const definitions = all.filter((one) => discovery.isShown(one) || found.has(one.name))
    // Where the API searches, its model calls what was found in the same response. One behind it may need the agent's search.
    const form = state.formFor(model)
    const reachable = form === "hosted" ? all : definitions
    const callable = model.fallback === undefined ? reachable.filter((one) => !isLeftOut(form, one)) : reachable
    const offered = callable.map(({ name }) => name)
    return { run: runOf(offered), offered, definitions, callable }
  })

const joinTexts = (...texts: ReadonlyArray<string | undefined>): string | undefined => {
  const given = texts.filter((text) => text !== undefined)
  return given.length === 0 ? undefined : given.join("\n\n")
}

/** Where no call can be demanded, the instructions say how the answer is given. */
const withOutput = (state: State, instructions: string | undefined): string | undefined =>
  state.plan.output === undefined || !state.isUnforced
    ? instructions
    : joinTexts(instructions, askForOutput(state.plan.output.tool))

const askForOutput = (tool: string): string => `Give your final answer by calling the tool ${tool}.`

const changesOf = (state: State, instructions: string | undefined): Effect.Effect<Changes, unknown> =>
  state.plan.prepare === undefined
    ? Effect.succeed({})
    : Effect.tap(
        effectBy(
          "prepare",
          state.plan.prepare({
            number: state.steps + 1,
            model: state.plan.model,
            instructions,
            entries: state.entries,
            usage: state.usage
          })
        ),
        (changes) => {
          const wrong = invalidChanges(changes)
          return wrong === undefined ? Effect.void : Effect.die(wrong)
        }
      )

/** Whatever else is on offer, the tool for the final output is, and those that find others. */
const offeredNames = (state: State, changes: Changes): ReadonlyArray<string> | undefined => {
  if (changes.offered === undefined) return undefined
  const { discovery, output } = state.plan
  return [
    ...changes.offered,
    ...(output === undefined ? [] : [output.tool]),
    ...(discovery === undefined ? [] : [searchTool, callTool])
  ]
}

const optionsOf = (state: State, changes: Changes, hasTools: boolean): WireFormat.ToolsOptions => {
  const options = { ...state.plan.options, ...changes.options }
  if (!hasTools) return { ...options, choice: undefined }
  // With a tool for the final output, words alone are never the answer.
  return state.plan.output !== undefined && options.choice === undefined && !state.isUnforced
    ? { ...options, choice: { _tag: "Required" } }
    : options
}
