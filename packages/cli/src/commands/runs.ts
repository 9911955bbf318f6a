/** `wield runs` and `wield approvals`: what the store holds, and what waits in it. */
import type { ConversationStore } from "@wield/agent"
import * as Audit from "@wield/agent/Audit"
import * as Conversation from "@wield/agent/Conversation"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import type { Content, Message, Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as ToolResult from "@wield/core/ToolResult"
import * as Clock from "effect/Clock"
import * as Outcome from "@wield/core/Outcome"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { codes } from "../ExitCode.js"
import { firstLine, plain, print, printReport, reportInput } from "../output/print.js"
import { Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { openAgent, openStore } from "./agent.js"
import { byUser, type Command, type Common, jsonOrText } from "./common.js"

export const listRuns = (given: Common): Command => printRuns("runs list", given)

/** Those that neither wait for a person nor have an answer, and that nothing has changed for a while. */
export const listStuck = (given: Common & { readonly patience: number }): Command =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    printRuns("runs stuck", given, { state: "open", changedUntil: now - given.patience * 1000 })
  )

const printRuns = (
  command: "runs list" | "runs stuck",
  given: Common,
  only?: { readonly state: State; readonly changedUntil: number }
): Command =>
  Effect.gen(function* () {
    const store = yield* openStore(given)
    const listed = yield* allConversations(store)
    const candidates = only === undefined ? listed : listed.filter(({ changedAt }) => changedAt <= only.changedUntil)
    const all = Effect.forEach(candidates, (summary) =>
      Effect.gen(function* () {
        const waiting = yield* WaitingCalls.of(summary)
        const { entries } = yield* store.open(summary.id)
        return [{ ...summary, waiting: waiting.length, state: stateOf(yield* entries, waiting) }]
      }).pipe(
        // It was deleted since it was listed.
        Effect.catchTag("ConversationNotFound", () => Effect.succeed([]))
      )
    )
    const runs = (yield* Effect.mapError(all, ({ message }) => Refused.failed(message)))
      .flat()
      .filter(({ state }) => only === undefined || state === only.state)
      .map(({ changedAt, id, length, state, waiting }) => ({
        conversation: id,
        changedAt: new Date(changedAt).toISOString(),
        entries: length,
        waiting,
        state
      }))
    if (given.json) {
      yield* printReport(Reports.Runs, { wield: 1, command, runs })
      return codes.done
    }
    for (const { changedAt, conversation, entries, state, waiting } of runs) {
      const shown = state === "waiting" ? `${waiting} waiting` : state
      yield* print(`${plain(conversation)}  ${changedAt}  ${entries} entries, ${shown}`)
    }
    return codes.done
  }).pipe(Effect.scoped)

type State = "done" | "open" | "waiting"

/** A person has to answer, or the model has answered, or neither: the run goes on, or it is stuck. */
const stateOf = (
  entries: ReadonlyArray<Conversation.Entry>,
  waiting: ReadonlyArray<DeferredCall.DeferredCall>
): State => {
  const last = entries.findLast(({ summaryOf }) => summaryOf === undefined)
  if (last === undefined) return "done"
  const open = Conversation.unanswered(entries)
  if (open !== undefined) {
    const isWaiting = (id: string) =>
      waiting.some((request) => request.entry === open.entry && DeferredCall.callOf(request).id === id)
    return open.calls.every(({ id }) => isWaiting(id)) ? "waiting" : "open"
  }
  const isAnswered =
    last.message._tag === "Assistant" && last.turn?.finish !== "paused" && last.turn?.isComplete !== false
  return isAnswered ? "done" : "open"
}

const allConversations = (store: ConversationStore.Service) =>
  // The first page has no cursor, the next ones have.
  Stream.paginateEffect(undefined as string | undefined, (from) =>
    Effect.map(store.list({ limit: 200, from }), ({ conversations, next }) => [
      conversations,
      Option.map(Option.fromNullable(next), (page): string | undefined => page)
    ])
  ).pipe(
    Stream.runCollect,
    Effect.mapBoth({ onSuccess: (pages) => [...pages].flat(), onFailure: ({ message }) => Refused.failed(message) })
  )

const allRequests = (store: ConversationStore.Service) =>
  Effect.mapError(WaitingCalls.all(store), ({ message }) => Refused.failed(message))

/** The messages of a conversation, for a person: `export` has everything. */
export const showRun = (given: Common & { readonly conversation: string }): Command =>
  Effect.gen(function* () {
    const store = yield* openStore(given)
    const opened = Effect.flatMap(store.open(given.conversation), ({ entries }) => entries)
    const entries = yield* Effect.mapError(opened, ({ message }) => Refused.failed(message))
    const shown = entries.flatMap((entry) =>
      linesOf(entry).map((line) => ({ at: new Date(entry.at).toISOString(), ...line }))
    )
    if (given.json) {
      yield* printReport(Reports.Run, {
        wield: 1,
        command: "runs show",
        conversation: given.conversation,
        entries: shown
      })
      return codes.done
    }
    for (const { at, from, text } of shown) yield* print(`${at}  ${from.padEnd(9)}  ${plain(text)}`)
    return codes.done
  }).pipe(Effect.scoped)

interface Line {
  readonly from: string
  readonly text: string
}

/** Answers that were given stand before what came of them. */
const linesOf = ({ decisions = [], message }: Conversation.Entry): ReadonlyArray<Line> => {
  const isEmpty = message._tag === "Results" && message.results.length === 0
  return [...decisions.map(lineOfDecision), ...(isEmpty ? [] : [lineOf(message)])]
}

const lineOfDecision = ({ arguments: edited, by, name, reason, response }: Conversation.Decision): Line => ({
  from: by === undefined ? "person" : DeferredCall.nameOf(by),
  text: `${response} ${name}${edited === undefined ? "" : ` with ${JSON.stringify(edited)}`}${reason === undefined ? "" : `: ${reason}`}`
})

const lineOf = (message: Message.Message): Line => {
  switch (message._tag) {
    case "System":
      return { from: "system", text: message.text }
    case "User":
      return { from: "user", text: message.content.map(textOfPart).join("\n") }
    case "Assistant":
      return { from: "assistant", text: message.parts.map(textOfPart).join("\n") }
    case "Results":
      return {
        from: "tools",
        text: message.results
          .map((result) => `${result.name}${result.isError ? " failed" : ""}: ${ToolResult.toText(result)}`)
          .join("\n")
      }
  }
}

const textOfPart = (part: Content.Part | Turn.Part): string => {
  if ("text" in part) return part.text
  if (!("call" in part)) return `(${part._tag})`
  const { arguments: args, name } = part.call
  return `${name} ${typeof args === "string" ? args : JSON.stringify(args)}`
}

export const forgetRun = (given: Common & { readonly conversation: string }): Command =>
  Effect.gen(function* () {
    const store = yield* openStore(given)
    // The store takes an unknown name for deleted; here it is a mistake.
    yield* Effect.mapError(
      Effect.zipRight(store.summary(given.conversation), store.delete(given.conversation)),
      ({ message }) => Refused.failed(message)
    )
    if (given.json) {
      yield* printReport(Reports.Forgotten, { wield: 1, command: "runs forget", conversation: given.conversation })
    }
    return codes.done
  }).pipe(Effect.scoped)

/** Who did what: a line of JSON for each call of a conversation, or of all of them. */
export const auditRuns = (given: Common & { readonly conversation: Option.Option<string> }): Command =>
  Effect.gen(function* () {
    const store = yield* openStore(given)
    const rows = Option.match(given.conversation, {
      onNone: () => Audit.ofStore(store),
      onSome: (id) => Stream.fromIterableEffect(Audit.ofConversation(store, id))
    })
    yield* Stream.runForEach(rows, (row) => print(Audit.toLine(row).trimEnd())).pipe(
      Effect.mapError((error) => (error instanceof Refused ? error : Refused.failed(error.message)))
    )
    return codes.done
  }).pipe(Effect.scoped)

/** The conversation as JSON, which imports elsewhere and replays (`wield replay`). */
export const exportRun = (given: Common & { readonly conversation: string }): Command =>
  Effect.gen(function* () {
    const store = yield* openStore(given)
    const exported = yield* Effect.mapError(store.export(given.conversation), ({ message }) => Refused.failed(message))
    yield* print(JSON.stringify(exported))
    return codes.done
  }).pipe(Effect.scoped)

export const listApprovals = (given: Common): Command =>
  Effect.gen(function* () {
    const requests = yield* allRequests(yield* openStore(given))
    if (given.json) {
      const approvals = requests.map(
        ({ arguments: args, call, conversation, digest, id, input, name, waitsFor, why }) => ({
          id,
          call: call.id,
          conversation,
          tool: name,
          arguments: args,
          digest,
          waitsFor,
          ...(input === undefined ? {} : { input: Outcome.inputToJson(input) }),
          ...(why === undefined ? {} : { why })
        })
      )
      yield* printReport(Reports.Approvals, { wield: 1, command: "approvals list", approvals })
      return codes.done
    }
    for (const { arguments: args, id, input, name, why } of requests) {
      yield* print(
        `${plain(id)}  ${plain(name)} ${firstLine(JSON.stringify(args))}${why === undefined ? "" : `  ${firstLine(why)}`}` +
          (input === undefined ? "" : `\n${reportInput(input)}`)
      )
    }
    if (requests.length === 0) yield* Console.error("Nothing waits")
    return codes.done
  }).pipe(Effect.scoped)

export interface AnswerOptions extends Common {
  readonly context: ReadonlyArray<string>
  readonly id: string
  readonly approve: boolean
  readonly deny: Option.Option<string>
  readonly args: Option.Option<string>
  readonly reply: Option.Option<string>
}

/** An empty text, such as a variable of a shell that is not set, would name any call. */
const shortestBeginning = 4

/** Answers one call; when nothing of its conversation waits any more, the model goes on. */
export const answerApproval = (given: AnswerOptions): Command =>
  Effect.gen(function* () {
    const ways = [given.approve, Option.isSome(given.deny), Option.isSome(given.reply)]
    if (ways.filter((isGiven) => isGiven).length !== 1)
      return yield* Refused.usage("Give --approve, --deny with a reason, or --reply with what the call asks for")
    if (Option.isSome(given.args) && !given.approve) {
      return yield* Refused.usage("--args are those that a call is approved with: give them with --approve")
    }
    const agent = yield* openAgent(given)
    const requests = yield* allRequests(agent.store)
    const isNamed = (id: string) => given.id.length >= shortestBeginning && id.startsWith(given.id)
    const found = requests.filter(({ call, id }) => call.id === given.id || isNamed(id))
    const [request] = found
    if (request === undefined)
      return yield* Refused.failed(`No call waits under ${given.id}. wield approvals list shows what does`)
    if (found.length > 1)
      return yield* Refused.usage(
        `${found.length} calls wait under ${given.id}: give the id of one request, which wield approvals list shows`
      )
    const edited = Option.isNone(given.args) ? undefined : yield* readObject(given.args.value)
    const answer = Option.isSome(given.reply)
      ? DeferredCall.reply(request, Json.from(jsonOrText(given.reply.value)))
      : Option.isSome(given.deny)
        ? DeferredCall.deny(request, given.deny.value)
        : edited === undefined
          ? DeferredCall.approve(request)
          : DeferredCall.approveWith(request, edited)
    const result = yield* agent.run({
      conversation: request.conversation,
      answers: [DeferredCall.withBy(answer, byUser())],
      onEvent: () => Effect.void
    })
    const others = result._tag === "Paused" ? result.requests.length : 0
    if (given.json) {
      yield* printReport(Reports.Answer, {
        wield: 1,
        command: "approvals answer",
        conversation: request.conversation,
        result: result._tag,
        text: result.text,
        waiting: others
      })
    } else if (others > 0) yield* Console.error(`${others} more wait`)
    else yield* print(plain(result.text))
    if (result._tag === "Stopped") {
      yield* Console.error(`Stopped by ${result.by}`)
      return codes.limited
    }
    return others > 0 ? codes.waiting : codes.done
  }).pipe(Effect.scoped)

const readObject = (text: string): Effect.Effect<Json.JsonObject, Refused> =>
  Effect.suspend(() => {
    const value = jsonOrText(text)
    return Json.isObject(value)
      ? Effect.succeed(Json.fromObject(value))
      : Refused.usage("--args has to be a JSON object")
  })
