/** `wield run` and `wield chat`: a model with the project's tools. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import type { Outcome } from "@wield/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { codes, type ExitCode } from "../ExitCode.js"
import { plain, print, reportInput } from "../output/print.js"
import { quote, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { type Event, openAgent, type Opened, type Result } from "./agent.js"
import { byUser, type Command, type Common, jsonOrText, readText } from "./common.js"

export interface Options extends Common {
  readonly context: ReadonlyArray<string>
  readonly conversation: Option.Option<string>
  readonly approve: boolean
}

export const ask = (given: Options & { readonly prompt: string }): Command =>
  Effect.gen(function* () {
    const prompt = yield* readText(given.prompt)
    const agent = yield* openAgent(given)
    const conversation = Option.getOrUndefined(given.conversation)
    return yield* converse(agent, { prompt, conversation }, given)
  }).pipe(Effect.scoped)

/** Goes on with a conversation where its process has ended or its model has failed. */
export const retry = (given: Omit<Options, "conversation"> & { readonly conversation: string }): Command =>
  Effect.gen(function* () {
    const { conversation } = given
    const agent = yield* openAgent(given)
    // A run would make it.
    yield* Effect.mapError(agent.store.summary(conversation), ({ message }) => Refused.failed(message))
    return yield* converse(agent, { prompt: undefined, conversation }, given)
  }).pipe(Effect.scoped)

/** One answer of the model; calls that wait are asked about on a terminal. */
const converse = (
  agent: Opened,
  input: { readonly prompt: string | undefined; readonly conversation: string | undefined },
  { approve, json }: Pick<Options, "approve" | "json">
): Effect.Effect<ExitCode, Refused> =>
  Effect.gen(function* () {
    const onEvent = json ? printEvent : printText
    let result = yield* agent.run({ ...input, onEvent })
    while (result._tag === "Paused") {
      const answers = yield* Effect.forEach(result.requests, (request) => answerTo(request, approve))
      const given = answers.flatMap((answer) => (answer === undefined ? [] : [DeferredCall.withBy(answer, byUser())]))
      const isWhole = given.length === answers.length
      // What a person has answered counts, whatever else stays open.
      if (given.length > 0) result = yield* agent.run({ conversation: result.conversation.id, answers: given, onEvent })
      if (isWhole || result._tag !== "Paused") continue
      if (!json) yield* printWaiting(result)
      return codes.waiting
    }
    // What was said before this run has not been printed.
    if (!json) yield* print(result.steps === 0 ? plain(result.text) : "")
    if (result._tag === "Stopped") {
      yield* Console.error(`Stopped by ${result.by}`)
      return codes.limited
    }
    return codes.done
  })

const printWaiting = ({ conversation, requests }: Extract<Result, { readonly _tag: "Paused" }>) =>
  Effect.forEach(
    requests,
    ({ call, name, arguments: args, why }) => {
      const reason = why === undefined ? "" : ` (${plain(why)})`
      const how = conversation.isDurable
        ? `wield approvals answer ${quote(plain(call.id))} --approve`
        : "it can be answered later where the configuration has a store, and now with --approve"
      return Console.error(`${plain(name)} ${plain(JSON.stringify(args))} waits${reason}: ${how}`)
    },
    { discard: true }
  )

const answerTo = (
  request: DeferredCall.DeferredCall,
  approve: boolean
): Effect.Effect<DeferredCall.Answer | undefined, Refused> =>
  Effect.gen(function* () {
    if (request.waitsFor === "client") return undefined
    if (request.input !== undefined) return yield* replyTo(request, request.input)
    if (approve) return DeferredCall.approve(request)
    const shell = yield* Shell
    if (!shell.isInteractive) return undefined
    const { arguments: args, name, why } = request
    yield* Console.error(`\n${plain(name)} ${plain(JSON.stringify(args))}${why === undefined ? "" : `\n${plain(why)}`}`)
    const reply = (yield* shell.ask("Run it? [y]es, [n]o, other arguments as JSON, or why not: ")).trim()
    if (/^y(es)?$/i.test(reply)) return DeferredCall.approve(request)
    const edited = Either.try(() => Json.parse(reply))
    if (Either.isRight(edited) && Json.isObject(edited.right)) {
      return DeferredCall.approveWith(request, Json.fromObject(edited.right))
    }
    return DeferredCall.deny(request, /^(no?)?$/i.test(reply) ? "the user did not approve it" : reply)
  })

/** Asks until the reply fits; nothing leaves the call waiting. */
const replyTo = (request: DeferredCall.DeferredCall, input: Outcome.Input) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    if (!shell.isInteractive) return undefined
    const validator = yield* Effect.orDie(JsonSchema.compile(input.accepts, { formats: "assertion" }))
    yield* Console.error(`\n${plain(request.name)} asks:\n${reportInput(input)}`)
    while (true) {
      const reply = (yield* shell.ask("Reply as JSON, or nothing to leave it waiting: ")).trim()
      if (reply === "") return undefined
      const value = Json.from(jsonOrText(reply))
      const checked = validator.validate(value)
      if (Either.isRight(checked)) return DeferredCall.reply(request, value)
      for (const issue of checked.left)
        yield* Console.error(plain(Issue.toText({ ...issue, path: ["reply", ...issue.path] })))
    }
  })

const printText = (event: Event): Effect.Effect<void> => {
  switch (event._tag) {
    case "TextDelta":
      return Effect.map(Shell, ({ output }) => void output.write(plain(event.text)))
    case "CallStarted":
      return Console.error(`→ ${plain(event.call.name)}`)
    case "CallFinished":
      return Console.error(`← ${plain(event.call.name)}: ${event.outcome._tag}`)
    default:
      return Effect.void
  }
}

/** JSON Lines, each an event of a run. */
const printEvent = (event: Event): Effect.Effect<void> =>
  print(JSON.stringify({ wield: 1, command: "run", event: AgentEvent.toJson(event) }))

export const chat = (given: Options): Command =>
  Effect.gen(function* () {
    const shell = yield* Shell
    if (!shell.isInteractive) return yield* Refused.usage("A chat needs a terminal; for one answer there is wield run")
    const agent = yield* openAgent(given)
    const { id } = yield* Effect.mapError(
      Option.isSome(given.conversation) ? agent.store.openOrCreate(given.conversation.value) : agent.store.create(),
      ({ message }) => Refused.failed(message)
    )
    yield* Console.error(`Conversation ${id}. An empty line ends it`)
    for (;;) {
      // The end of input, Ctrl-D, ends it as well.
      const prompt = yield* Effect.orElseSucceed(shell.readLine("> "), () => "")
      if (prompt.trim() === "") return codes.done
      yield* Effect.catchAll(converse(agent, { prompt, conversation: id }, given), (error) =>
        Effect.as(Console.error(error.message), codes.failed)
      )
    }
  }).pipe(Effect.scoped)
