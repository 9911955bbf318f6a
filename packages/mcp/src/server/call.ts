/** `tools/call`: one call through the runner, in as many rounds as the client must be asked. */
import type { CallContext, Outcome, ToolDefinition, ToolRunner, Toolset } from "@wield/core"
import { CurrentCall, unheard } from "@wield/core/CurrentCall"
import * as Json from "@wield/core/Json"
import * as Response from "@wield/core/Response"
import * as ToolCall from "@wield/core/ToolCall"
import { IncompleteContext } from "@wield/core/ResponseError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type CannotAsk, form, McpRequest, page, type Request } from "../McpRequest.js"
import { type Answers, ask, type Incoming, type Questions, Suspended } from "./incoming.js"
import { inquiryOf } from "./questions.js"
import { messageOf, reporterOf } from "./progress.js"
import { type CallResult, resultOf } from "./results.js"
import { isModern } from "./revision.js"
import { invalidParams, invalidState, orInternalError, RpcError, unknownTool } from "./rpc.js"
import type { Remembered } from "./remembered.js"
import type { RoundState, StateSeal } from "./state.js"
import { nameOf, SuspendedCalls } from "./suspended.js"
import type { Task, TaskCreated, Tasks } from "./tasks.js"
import type { Served } from "./tools.js"

/** A runner whose types are erased; what a call ends with is an outcome all the same. */
export type AnyRunner = ToolRunner.Runner<Toolset.DynamicTools, never, unknown>

/** A call that waits for a person's approval. */
export interface Waiting {
  /** The same for the same caller, tool and arguments. */
  readonly id: string
  readonly tool: string
  readonly arguments: unknown
  /** Why a person is asked, where the policy says so. */
  readonly why: string | undefined
  readonly principal: string | undefined
}

export interface ByUrl {
  /** The page where the call can be approved. */
  readonly url: (waiting: Waiting) => Effect.Effect<string>
  /** What was decided there; `undefined` while nothing is. It holds for one call: forget it when it was read. */
  readonly decision: (waiting: Waiting) => Effect.Effect<Response.Approve | Response.Deny | undefined>
}

export type Approvals = "client" | "task" | "deny" | ByUrl

export interface CallParams {
  readonly name: string
  readonly arguments?: Json.JsonObject | undefined
}

export interface InputRequired {
  readonly resultType: "input_required"
  readonly inputRequests: { readonly [key: string]: { readonly method: string; readonly params: Json.JsonObject } }
  readonly requestState: string
}

/** What the server has for a call of one caller. */
export interface Offering {
  readonly runner: AnyRunner
  readonly served: Served
  readonly isFiltered: boolean
  readonly values: CallContext.Values | undefined
  readonly approvals: Approvals
  readonly seal: StateSeal
  readonly tasks: Tasks | undefined
  /** What is left of a run when its call has ended. */
  readonly forget: Remembered["forget"]
  /** Whether the runner's journal forgets a call whose handler ended to ask the client (`givingUp`). */
  readonly isGivingUp: boolean
}

const maxRounds = 8

const approvalKey = "tools.wield/approval"

export const idempotencyKey = "tools.wield/idempotencyKey"

export const callTool = (
  offering: Offering,
  params: CallParams,
  incoming: Incoming
): Effect.Effect<CallResult | InputRequired | TaskCreated, RpcError> =>
  Effect.gen(function* () {
    const definition = offering.served.get(params.name)
    if (definition === undefined) return yield* unknownTool(params.name)
    const key = incoming.meta?.[idempotencyKey]
    if (key !== undefined && (typeof key !== "string" || key.length > 256)) {
      return yield* invalidParams(`_meta["${idempotencyKey}"] is a text of at most 256 characters`)
    }
    const principal = incoming.caller.principal?.id
    const binding = () =>
      Json.canonical(["tools/call", principal ?? null, key ?? null, params.name, params.arguments ?? {}])
    const now = Date.now()
    const opened = incoming.state === undefined ? undefined : yield* offering.seal.open(incoming.state, binding(), now)
    const run =
      opened?.run ?? (key === undefined ? crypto.randomUUID() : `mcp:${Json.canonical([principal ?? null, key])}`)
    const round: Omit<Round, "task"> = {
      offering,
      incoming,
      definition,
      run,
      next: run,
      isKeyed: key !== undefined,
      call: ToolCall.make(opened?.call ?? key ?? crypto.randomUUID(), params.name, params.arguments ?? {}),
      number: opened?.round ?? 0,
      answers: answersOf(opened, incoming.answers),
      waiting: opened?.waiting,
      approved: opened?.approved,
      isCounted: opened !== undefined && offering.seal.useCount(opened, now),
      consume: () => {
        if (opened !== undefined) offering.seal.use(opened, now)
      },
      giveBack: () => {
        if (opened !== undefined) offering.seal.giveBack(opened)
      }
    }
    const perform = (task: Task | undefined) => {
      const own: Round = { ...round, task }
      return runRound(own).pipe(
        Effect.catchTag("Suspended", ({ questions }) => suspend(own, questions, binding(), now)),
        Effect.tap((result) => {
          // What was refused is over, though it waits for input.
          if (!("inputRequests" in result)) own.waiting = undefined
        }),
        // A call that waits for input goes on in the same run, and a state that a client has may come again.
        Effect.ensuring(
          Effect.suspend(() => {
            const hasState = opened !== undefined || waitsForInput(own)
            return offering.forget(run, own.isKeyed ? "by key" : hasState ? "by state" : "no more")
          })
        )
      )
    }
    return yield* offering.tasks === undefined ? perform(undefined) : offering.tasks.run(definition, incoming, perform)
  })

interface Round {
  readonly offering: Offering
  readonly incoming: Incoming
  readonly definition: ToolDefinition.ToolDefinition
  readonly run: string
  /** The run of the round after it. */
  next: string
  /** Whether the client may send the call again from its start, and it is the same call. */
  readonly isKeyed: boolean
  readonly call: ToolCall.ToolCall
  readonly number: number
  readonly answers: Answers
  waiting: RoundState["waiting"]
  approved: string | undefined
  isCounted: boolean
  /** What the call can go on as, after its request. */
  readonly task: Task | undefined
  /** No second call may use the client's state. */
  readonly consume: () => void
  /** The call did not begin, by a mistake of the program: the client's state may be used again. */
  readonly giveBack: () => void
}

const waitsForInput = ({ waiting }: Pick<RoundState, "waiting">): boolean => waiting?.input !== undefined

/** Only what was asked for is an answer. */
const answersOf = (state: RoundState | undefined, sent: Answers | undefined): Answers =>
  state === undefined
    ? {}
    : {
        ...state.answers,
        ...Object.fromEntries(Object.entries(sent ?? {}).filter(([key]) => state.asked.includes(key)))
      }

/** A task waits for its answers; a request ends, or waits where its revision lets it. */
const askClient = (
  { answers, incoming, task }: Round,
  questions: Questions
): Effect.Effect<Answers, Suspended | CannotAsk> =>
  Effect.suspend(() => ask(incoming, answers, questions, task?.isStarted === true ? task.ask : undefined))

const runRound = (round: Round): Effect.Effect<CallResult, RpcError | Suspended> =>
  Effect.gen(function* () {
    const { definition, incoming, offering, task } = round
    const asked = new Set<string>()
    let hasBegun = false
    let suspended: Suspended | undefined
    let lacking: CannotAsk | undefined
    const request: Request = {
      caller: incoming.caller,
      log: incoming.log,
      continueAsTask: task?.start ?? Effect.void,
      ask: (questions) =>
        askClient(round, questions).pipe(
          Effect.tapErrorTag("CannotAsk", (error) => Effect.sync(() => (lacking = error))),
          Effect.catchTag("Suspended", (reason) =>
            Effect.flatMap(CurrentCall, (call) => {
              suspended = reason
              round.isCounted ||= hasBegun
              asked.add(nameOf(call))
              // The handler ends here. It runs again when the client comes back with the answers.
              return Effect.interrupt
            })
          )
        )
    }
    const run = offering.runner.forRun({
      id: round.run,
      isCounted: round.isCounted,
      ...(offering.values === undefined ? {} : { context: offering.values }),
      ...(offering.isFiltered ? { offered: [...offering.served.keys()] } : {})
    })
    const notify = reporterOf(incoming)
    const report =
      task === undefined
        ? notify
        : (value: unknown) => {
            if (!task.isStarted) return notify?.(value) ?? Effect.void
            const message = messageOf(value)
            return message === undefined ? Effect.void : Effect.sync(() => task.say(message))
          }
    const watcher: ToolRunner.Watcher = {
      // Its limits have counted it by then.
      started: () => void (hasBegun = true),
      finished: () => undefined,
      progress: () => report ?? unheard
    }
    // One call has one outcome.
    const settle = Effect.map(run.settle([round.call], watcher), ([outcome]) => outcome as Outcome.Outcome)
    const resume = (waiting: NonNullable<RoundState["waiting"]>, response: Response.Response) =>
      Effect.suspend(() => {
        if (response._tag === "Approve") round.approved = waiting.digest
        if (waiting.input !== undefined) round.waiting = undefined
        round.consume()
        const { digest, input } = waiting
        return run.resume({ call: round.call, name: round.call.name, digest, input }, response, watcher)
      }).pipe(
        Effect.catchAll((error) => {
          if (error instanceof IncompleteContext) round.giveBack()
          return Effect.fail(isResponseError(error) ? invalidState() : error)
        }),
        // As above.
        Effect.map((outcome) => outcome as Outcome.Outcome)
      )
    const replyTo = (input: Outcome.Input) =>
      Effect.catchTag(reply(round, input), "CannotAsk", (error) => {
        lacking = error
        return Effect.succeed(Response.deny(`it needs an answer, and the client does not support ${error.capability}`))
      })
    const perform = <E>(step: Effect.Effect<Outcome.Outcome, E>) =>
      internally(Effect.provideService(step, McpRequest, request).pipe(Effect.provideService(SuspendedCalls, asked)))
    const { waiting } = round
    const given = approvalOf(round.answers[approvalKey])
    let outcome: Outcome.Outcome
    if (waiting?.input !== undefined) {
      const response = yield* replyTo(waiting.input)
      if ("content" in response) return response
      outcome = yield* perform(resume(waiting, response))
    } else if (round.approved !== undefined) {
      outcome = yield* perform(resume({ digest: round.approved }, Response.approve))
    } else {
      outcome = yield* perform(waiting !== undefined && given !== undefined ? resume(waiting, given) : settle)
    }
    // A handler that asks without an end asks as often as a client may come again.
    for (let times = 0; times < maxRounds && outcome._tag === "Deferred" && outcome.waitsFor !== "client"; times++) {
      const { digest, input } = outcome
      round.waiting = { digest, input }
      const response = yield* input === undefined ? decide(round, outcome) : replyTo(input)
      if ("content" in response) return response
      outcome = yield* perform(resume(round.waiting, response))
    }
    const isOver = outcome._tag !== "Interrupted"
    // By its key, a call that has ended comes to no second end, though something within it asked.
    if (suspended !== undefined && !(isOver && round.isKeyed)) {
      // What the journal still has of the call is no end of it: it begins again in a run of its own.
      if (isOver || !offering.isGivingUp) round.next = `${round.run}#${round.number + 1}`
      return yield* Effect.fail(suspended)
    }
    if (lacking !== undefined && outcome._tag !== "Success") {
      const error = missingCapability(lacking, incoming)
      if (error !== undefined) return yield* error
    }
    if (outcome._tag === "UnknownTool" || outcome._tag === "Unavailable") return yield* unknownTool(round.call.name)
    return (
      resultOf(outcome, definition, incoming.caller.revision) ??
      refused(`The call of ${round.call.name} waits for what this server cannot ask for.`)
    )
  })

/** A handler that could not go on without asking; before 2026-07-28 there is no error for it. */
const missingCapability = ({ capability }: CannotAsk, { caller }: Incoming): RpcError | undefined => {
  if (!isModern(caller.revision)) return undefined
  const [family = "", mode] = capability.split(".")
  return new RpcError({
    code: -32021,
    message: `The client does not support ${capability}`,
    data: { requiredCapabilities: { [family]: mode === undefined ? {} : { [mode]: {} } } }
  })
}

const internally = orInternalError("The MCP server could not make its offer")

/** Mistakes of the client. `IncompleteContext` is the program's. */
const responseErrors = new Set(["StaleResponse", "WrongKindOfResponse", "NotWaiting", "InvalidEdit", "InvalidReply"])

const isResponseError = (error: unknown): boolean =>
  Json.isObject(error) && typeof error["_tag"] === "string" && responseErrors.has(error["_tag"])

const refused = (text: string): CallResult => ({ content: [{ type: "text", text }], isError: true })

/** What the client replies to a call that asks; or what it reads instead. */
const reply = (
  round: Round,
  input: Outcome.Input
): Effect.Effect<Response.Reply | Response.Deny | CallResult, Suspended | CannotAsk> =>
  Effect.gen(function* () {
    const inquiry = yield* inquiryOf(input)
    return inquiry === undefined
      ? refused(unaskable(round.call.name, input))
      : inquiry.respond(yield* askClient(round, inquiry.questions))
  })

/** Of a call that a client of MCP cannot be asked about: what waits, and what can be done. */
const unaskable = (name: string, { asks }: Outcome.Input): string => {
  // As a program or a sub-agent asks, whose calls wait.
  const waits = Json.isObject(asks) && typeof asks["agent"] === "string" ? asks["waits"] : undefined
  if (!Array.isArray(waits)) return `The call of ${name} waits for an answer that no form of MCP has room for.`
  const calls = [...new Set(waits)].join(", ")
  return `The call of ${name} stopped: it has made calls that need a person's answer (${calls}), and a client of MCP cannot be asked about calls within a call. These calls were not run; what had run before stays done. Do not make the same call again: go on without them, call ${calls} directly where this server offers that, or tell the user that the server's operator has to offer or to allow it.`
}

const suspend = (
  round: Round,
  questions: Questions,
  binding: string,
  now: number
): Effect.Effect<CallResult | InputRequired> => {
  const { answers, approved, call, isCounted, next, number, offering, waiting } = round
  if (number + 1 >= maxRounds) {
    return Effect.succeed(refused(`The tool ${call.name} asked the client ${maxRounds} times without an end.`))
  }
  return inputRequired(
    offering.seal,
    { run: next, call: call.id, round: number + 1, answers, approved, isCounted, waiting },
    questions,
    binding,
    now
  )
}

const inputRequired = (
  seal: StateSeal,
  state: Omit<RoundState, "asked">,
  questions: Questions,
  binding: string,
  now: number
): Effect.Effect<InputRequired> =>
  Effect.map(seal.seal({ ...state, asked: Object.keys(questions) }, binding, now), (requestState) => ({
    resultType: "input_required",
    inputRequests: Object.fromEntries(
      Object.entries(questions).map(([key, { method, params }]) => [key, { method, params }])
    ),
    requestState
  }))

/** A request other than a call, whose handler may ask the client, too. */
export const answerInRounds = <A>(
  seal: StateSeal,
  method: string,
  params: unknown,
  incoming: Incoming,
  answer: Effect.Effect<A, RpcError>
): Effect.Effect<A | InputRequired, RpcError> =>
  Effect.gen(function* () {
    const now = Date.now()
    const binding = Json.canonical([method, incoming.caller.principal?.id ?? null, params])
    const opened = incoming.state === undefined ? undefined : yield* seal.open(incoming.state, binding, now)
    const answers = answersOf(opened, incoming.answers)
    const round = (opened?.round ?? 0) + 1
    const request: Request = {
      caller: incoming.caller,
      log: incoming.log,
      continueAsTask: Effect.void,
      // The handler ends here. It runs again when the client comes back with the answers.
      ask: (questions) =>
        Effect.catchTag(ask(incoming, answers, questions), "Suspended", (reason) => Effect.die(reason))
    }
    return yield* Effect.provideService(answer, McpRequest, request).pipe(
      Effect.catchSomeDefect((defect) =>
        defect instanceof Suspended && round < maxRounds
          ? Option.some(inputRequired(seal, { run: "", call: "", round, answers }, defect.questions, binding, now))
          : Option.none()
      )
    )
  })

const Approval = Schema.Struct({
  approve: Schema.Boolean.annotations({ title: "Allow this call" }),
  reason: Schema.optional(Schema.String.annotations({ title: "Why not, for the model" }))
})

const decodeApproval = form({ message: "", fields: Approval }).decode

/** What a person answered; anything but a clear yes is a no. */
const approvalOf = (answer: unknown): Response.Approve | Response.Deny | undefined =>
  answer === undefined
    ? undefined
    : Option.match(decodeApproval(answer), {
        onNone: () => undefined,
        onSome: (given) => {
          if (given.action !== "accept") return Response.deny(`the user chose to ${given.action}`)
          return given.content.approve
            ? Response.approve
            : Response.deny(given.content.reason ?? "the user did not allow it")
        }
      })

/** The decision on a call that waits; or what the client reads instead of one. */
const decide = (
  round: Round,
  deferred: Outcome.Deferred
): Effect.Effect<Response.Approve | Response.Deny | CallResult, Suspended> => {
  const { approvals } = round.offering
  if (approvals === "deny") return Effect.succeed(Response.deny("this server does not ask for approval"))
  if (typeof approvals === "object") return decideByUrl(round, deferred, approvals)
  const byClient = decideByClient(round, deferred)
  return approvals === "task" && round.task !== undefined ? Effect.zipRight(round.task.start, byClient) : byClient
}

const decideByClient = (
  round: Round,
  deferred: Outcome.Deferred
): Effect.Effect<Response.Approve | Response.Deny, Suspended> => {
  const question = form({ message: describe(deferred), fields: Approval })
  return askClient(round, { [approvalKey]: question }).pipe(
    Effect.map((decoded) => approvalOf(decoded[approvalKey]) ?? Response.deny("the answer was not understood")),
    Effect.catchTag("CannotAsk", ({ capability }) =>
      Effect.succeed(Response.deny(`it needs a person's approval, and the client does not support ${capability}`))
    )
  )
}

const decideByUrl = (
  round: Round,
  deferred: Outcome.Deferred,
  { decision, url }: ByUrl
): Effect.Effect<Response.Approve | Response.Deny | CallResult, Suspended> =>
  Effect.gen(function* () {
    const { incoming, number, task } = round
    const principal = incoming.caller.principal?.id
    const waiting: Waiting = {
      id: `${deferred.digest}.${principal ?? ""}`,
      tool: deferred.name,
      arguments: deferred.arguments,
      why: deferred.why,
      principal
    }
    const decided = yield* decision(waiting)
    if (decided !== undefined) return decided
    const address = yield* url(waiting)
    const message = `${describe(deferred)}\nDecide at ${address}, then go on.`
    const key = `${approvalKey}/${number}`
    const visit = askClient(round, { [key]: page({ message, url: address }) }).pipe(
      Effect.catchTag("CannotAsk", () => Effect.succeed(undefined))
    )
    if (task?.isStarted === true) {
      task.say(`The call needs a person's approval at ${address}`)
      // Only a no ends the wait. The page has the decision.
      const refusal = Effect.flatMap(visit, (answer) => {
        // The question is a page, and its answers are decoded so.
        const { action } = (answer?.[key] ?? { action: "accept" }) as { readonly action: string }
        return action === "decline" ? Effect.succeed(Response.deny("the user chose to decline")) : Effect.never
      })
      // The client's requests are the clock: each is a reason to look whether something was decided.
      const decided = Effect.repeat(Effect.zipRight(task.nextLook, decision(waiting)), {
        until: (made): made is Response.Approve | Response.Deny => made !== undefined
      })
      return yield* Effect.raceFirst(decided, refusal)
    }
    const answer = yield* visit
    if (answer !== undefined) {
      const now = yield* decision(waiting)
      if (now !== undefined) return now
    }
    return refused(`The call of ${deferred.name} needs a person's approval at ${address}. Then call it again.`)
  })

const describe = (deferred: Outcome.Deferred): string =>
  `Allow the call of ${deferred.name}${deferred.why === undefined ? "" : ` (${deferred.why})`} with these arguments?\n${JSON.stringify(deferred.arguments, undefined, 2)}`
