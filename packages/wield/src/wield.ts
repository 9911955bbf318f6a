/// <reference lib="esnext.disposable" />
/** Tools under one policy, for programs that use promises: a face of `@wield/core` and `@wield/agent`. */
import * as ConversationStore from "@wield/agent/ConversationStore"
import { InvalidPolicy } from "@wield/core/ToolsetError"
import type { Facts, Policy } from "@wield/core"
import * as Approval from "@wield/core/Approval"
import * as Guards from "@wield/core/Guard"
import * as Journal from "@wield/core/Journal"
import * as OpenTelemetry from "@wield/core/OpenTelemetry"
import * as Quota from "@wield/core/Quota"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Toolset from "@wield/core/Toolset"
import * as Json from "@wield/core/Json"
import { aCountOrZero, anything, type Checks, holds, toText } from "@wield/core/Options"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Imported } from "@wield/interop/imported"
import { type Agent, type AgentOptions, makeAgent } from "./agent.js"
import { type ByName, makeRun, type Names, type NeededContext, type Run, type Tools } from "./run.js"
import { type Conversations, makeConversations } from "./conversations.js"
import { checkContext, checkKind, checkNames, checkOptions } from "./internal/checkNames.js"
import { Running, type Services } from "./internal/Running.js"
import { toolsetOf, type ToolSource } from "./internal/source.js"
import type { CallValues } from "./tool.js"

/** Runs the call, asks a person first, or refuses; with a reason that the person or the model reads. */
export type Decision = "allow" | "ask" | "deny" | { readonly ask: string } | { readonly deny: string }

/** What a rule may look at beside the parameters. */
export interface AboutCall {
  readonly name: string
  readonly context: CallValues
  readonly facts: Facts.Facts
  /** Aborts where the call ends before the rule has answered. */
  readonly signal: AbortSignal
}

/** A line of the log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
}

/** What is limited: of each tool, or of one. */
export interface Limits {
  /**
   * `"5 seconds"`, or milliseconds. The handler's signal aborts, and the model reads that it took too long. `"5 minutes"`
   * for all tools unless `default` says another.
   */
  readonly timeout?: Policy.Limits["timeout"]
  /** How many calls of the tool run at the same time. */
  readonly concurrency?: number
  readonly rate?: NonNullable<Policy.Limits["rate"]>
  /** Keeps successes of equal calls: `{ timeToLive: "1 minute" }`. For all tools together it holds for read-only ones. */
  readonly cache?: Policy.Cache
  /** How often a call runs again after a failure that it returned or threw with `failure`, 100 ms later, then 200, 400, … */
  readonly retries?: number
}

/** Decides about one call. It sees the parameters as `execute` gets them. */
export type Rule<P = unknown> = (parameters: P, about: AboutCall) => Decision | Promise<Decision>

/**
 * Lets a text pass, keeps it from where it goes, or tells the log and the trace. The reason of a block is read: of a result
 * by the model, else by the program.
 */
export type GuardDecision = "pass" | { readonly block: string } | { readonly report: string }

/** Looks at what goes into a model, comes out of it, and at results before it reads them. One that fails blocks. */
export interface Guard extends Omit<Guards.Guard, "check"> {
  readonly check: (
    text: string,
    about: Guards.About & { readonly signal: AbortSignal }
  ) => GuardDecision | Promise<GuardDecision>
}

/** What the program decides. */
export interface Options<T extends Tools, S extends Toolsets = Toolsets> {
  readonly tools?: T
  /**
   * Tools of `wield/manifest` (files, OpenAPI, GraphQL, SQL), `wield/mcp`, `wield/scripts` and `wield/assistant`, toolsets
   * of other packages, or tools of another SDK (`AiSdk.toToolset(tools)`), whose own approvals hold beside `approval`.
   * They live until `close`.
   */
  readonly toolsets?: S | Toolsets
  /**
   * One rule for all tools, or one by name. `"*"` has one for all others, such as those of `toolsets`, or one of each by
   * name. A tool without one is allowed; a name that no tool has is refused.
   */
  readonly approval?:
    | Rule
    | ({ readonly [Name in Names<T>]?: Rule<ByName<T, Name> extends { parameters: infer P } ? P : unknown> } & {
        readonly "*"?: Rule | { readonly [name: string]: Rule }
      })
  readonly limits?: {
    readonly default?: Limits
    readonly tools?: { readonly [Name in Names<T>]?: Limits }
    /** Of tools of `toolsets`. */
    readonly dynamic?: { readonly [name: string]: Limits }
  }
  /** How much one tenant, user or conversation may use in a window: of calls, tokens, money. Counted in the store, if it is given. */
  readonly quotas?: Policy.Policy["quotas"]
  /** Who looks at what users, models and tools say. */
  readonly guards?: ReadonlyArray<Guard>
  /**
   * Where conversations and the record of calls are kept: `fileStore` of `wield/file`, or `storeOf` of `wield/store` over
   * a database of yours. In memory unless given.
   */
  readonly store?: Store
  /** Takes the lines of the log in place of the console: `({ level, message }) => pino[level](message)`. */
  readonly logger?: (line: LogLine) => unknown
  /**
   * The rest of the policy, as `@wield/core` has it. `resultBound` is `{ maxBytes: 100_000, readOn: false }` unless given:
   * of a longer result the model reads the beginning, and that there is more.
   */
  readonly policy?: Omit<Policy.Policy, "approval" | "guards" | "journal" | "limits" | "quotas">
}

type Toolsets = ReadonlyArray<ToolSource | Source | Effect.Effect<Source, unknown, Scope.Scope>>

/** Names that only the run time knows: those of toolsets, where there are any. */
type OpenNames<S> = S extends readonly [] ? never : string & {}

type AnyToolset = Toolset.Toolset<unknown, never, unknown>

type Source = AnyToolset | Imported

/** Conversations, and the record by which a call runs once. */
export type Store = Layer.Layer<ConversationStore.ConversationStore | Journal.Journal, unknown>

/** What a run is given. `context` is required where tools have hidden parameters. */
export type RunOptions<T extends Tools> = {
  /**
   * Names the run: all runs of one id are one run, and a call that comes again is not run twice. With a `store` also after
   * a restart and in other processes; without one, the 10,000 ids that were used last are remembered, or 64 Mi characters
   * of their calls. A random one unless given: then only this run takes the answers to what waits in it.
   */
  readonly id?: string
} & ({} extends NeededContext<T>
  ? { readonly context?: CallValues }
  : { readonly context: NeededContext<T> & CallValues })

/** Tools under one policy. Close it, or declare it with `await using`: what still runs is aborted. */
export interface Wield<T extends Tools, Open extends string = never> extends AsyncDisposable {
  /** The calls of one request or conversation, for a loop of your own. */
  readonly run: (
    ...options: {} extends RunOptions<T> ? [options?: RunOptions<T>] : [options: RunOptions<T>]
  ) => Run<T, Open>
  /** A model that uses the tools. */
  readonly agent: <Output = string>(options: AgentOptions<Output>) => Agent<NeededContext<T>, Output>
  /** What the store has: to list, to draw a chat again, to fork, to delete. */
  readonly conversations: Conversations
  readonly close: () => Promise<void>
  /** The same for programs that use Effect. */
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>
  readonly policy: Policy.Policy
  readonly runtime: ManagedRuntime.ManagedRuntime<Services, unknown>
}

/**
 * Puts tools under one policy. Rejects where a tool or the policy is invalid, with an error that says what to do.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { tool, wield } from "wield"
 * import { z } from "zod"
 *
 * const refund = tool("refund", {
 *   description: "Pays money back for an order",
 *   parameters: z.object({ orderId: z.string(), amount: z.number().positive() }),
 *   execute: ({ amount, orderId }) => `${amount} for ${orderId}`
 * })
 * await using shop = await wield({
 *   tools: [refund],
 *   approval: { refund: ({ amount }) => (amount > 100 ? { ask: "over 100" } : "allow") }
 * })
 *
 * // A response as OpenAI sends it.
 * const calls = [{ id: "call_1", type: "function", function: { name: "refund", arguments: '{"orderId":"o1","amount":250}' } }]
 * const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] }
 *
 * const run = shop.run()
 * const { waiting } = await run.answer("openai-chat", response)
 * assert.strictEqual(waiting[0]?.why, "over 100")
 * const answers = waiting.map((to) => ({ to, reply: "approve" as const }))
 * const { messages } = await run.answer("openai-chat", response, { answers })
 * assert.deepStrictEqual(messages[1], { role: "tool", tool_call_id: "call_1", content: "250 for o1" })
 * ```
 */
export const wield = async <const T extends Tools = [], const S extends Toolsets = []>(
  options: Options<T, S>
): Promise<Wield<T, OpenNames<S>>> => {
  checkShape(options)
  const { logger } = options
  const services = options.store ?? inMemory
  const observed = Layer.provideMerge(services, OpenTelemetry.layer)
  const base = logger === undefined ? observed : Layer.provideMerge(observed, loggerLayer(logger))
  const running = new Running(Layer.provideMerge(Layer.scoped(Prepared, prepare<T>(options)), base))
  try {
    const { policy, runner, toolset } = await running.run(Prepared)
    return {
      run: (...[given]) => {
        checkNames("`run`", given, ["id", "context"])
        checkKind("`id` of a run", given?.id, "a text", typeof given?.id === "string")
        checkContext("a run", given?.context)
        return makeRun(running, runner.forRun({ ...given }), given?.id)
      },
      agent: (config) => makeAgent(running, toolset, policy, config),
      conversations: makeConversations(running),
      close: () => running.close(),
      [Symbol.asyncDispose]: () => running.close(),
      toolset,
      policy,
      runtime: running.managed
    }
  } catch (error) {
    await running.close()
    throw error
  }
}

/** Plain JavaScript has no compiler to say so. */
const checkShape = (options: Pick<Options<Tools>, "tools" | "limits" | "policy"> | undefined): void => {
  // Where they are left out, there may be toolsets alone; where they are `undefined`, something is missing.
  const isWithout = options === undefined || (Predicate.hasProperty(options, "tools") && options.tools === undefined)
  const missing = isWithout ? checks.tools(undefined) : undefined
  if (missing !== undefined) throw new TypeError(toText(missing, "`tools`"))
  checkOptions("`wield`", options, checks, "")
  const { limits, policy } = options ?? {}
  // They stand beside it, and would be laid over what stands in it.
  const misplaced = ["approval", "guards", "journal", "limits", "quotas"].find((name) => hasValue(policy, name))
  if (misplaced !== undefined) {
    const place = misplaced === "journal" ? "the journal is that of `store`" : `give \`${misplaced}\` beside it`
    throw new TypeError(`\`policy\` has no option \`${misplaced}\`: ${place}`)
  }
  checkOptions("`limits`", limits, { default: anything, tools: byToolName, dynamic: byToolName })
  const byName = [limits?.tools, limits?.dynamic].flatMap((some) => Object.entries<Limits | undefined>(some ?? {}))
  for (const [name, one] of [["default", limits?.default] as const, ...byName]) {
    checkOptions(`\`limits\` of ${name}`, one, limitChecks)
  }
}

/** What came from elsewhere, as far as its shape says it. */
const isSource = (one: unknown): boolean =>
  Effect.isEffect(one) || (Predicate.isRecord(one) && ("offer" in one || "losses" in one || "~toolset" in one))

const checks = {
  tools: holds(
    "an array of what `tool(name, { … })` gives (toolsets of other packages go into `toolsets`)",
    (tools) =>
      Array.isArray(tools) &&
      tools.every((one) => Predicate.hasProperty(one, "dynamic") && Effect.isEffect(one.dynamic))
  ),
  toolsets: holds(
    "an array of toolsets, such as `openApi(…)`, `mcp(…)` or `AiSdk.toToolset` gives (await a promise first)",
    (toolsets) => Array.isArray(toolsets) && toolsets.every(isSource)
  ),
  approval: holds(
    'a function that gives "allow", "ask" or "deny", or one for each tool by name',
    (rules) => typeof rules === "function" || Json.isPlain(rules)
  ),
  limits: anything,
  quotas: anything,
  guards: holds("an array of { name, check }", (guards) => Array.isArray(guards) && guards.every(Json.isObject)),
  store: holds("what `fileStore`, `postgresStore` or `storeOf` gives", Layer.isLayer),
  logger: holds(
    "a function: ({ level, message }) => console[level](message)",
    (logger) => typeof logger === "function"
  ),
  policy: holds("an object", Json.isPlain)
} satisfies Checks<Options<Tools>>

const byToolName = holds("limits by the name of a tool", Json.isPlain)

const limitChecks = {
  timeout: anything,
  concurrency: anything,
  rate: anything,
  cache: anything,
  retries: aCountOrZero
} satisfies Checks<Limits>

const hasValue = (given: unknown, name: string): boolean =>
  Predicate.hasProperty(given, name) && given[name] !== undefined

/** By their names in most loggers of JavaScript. */
const levels: { readonly [Level in LogLevel.LogLevel["_tag"]]: LogLine["level"] } = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warning: "warn",
  Error: "error",
  Fatal: "error",
  None: "debug"
}

const loggerLayer = (logger: NonNullable<Options<Tools>["logger"]>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause, logLevel, message }) => {
      const words = Array.isArray(message) ? message : [message]
      const causes = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause, { renderErrorCause: true })]
      try {
        const written = logger({
          level: levels[logLevel._tag],
          message: [...words, ...causes].map((one) => (typeof one === "string" ? one : inspect(one))).join("\n")
        })
        if (Predicate.isPromiseLike(written)) written.then(undefined, () => undefined)
      } catch {
        // A log that is full, or closed, ends no call.
      }
    })
  )

const inspect = (value: unknown): string => JSON.stringify(Json.attempt(value))

const inMemory = Layer.mergeAll(
  ConversationStore.layerMemory,
  Journal.layerMemory,
  Layer.sync(Quota.CurrentCounts, Quota.memory)
)

/** Everything that is made once. */
class Prepared extends Context.Tag("wield/Prepared")<
  Prepared,
  {
    readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>
    readonly policy: Policy.Policy
    readonly runner: ToolRunner.Runner<Toolset.DynamicTools, never, unknown>
  }
>() {}

const prepare = <T extends Tools>({
  approval,
  guards,
  limits,
  policy,
  quotas,
  store,
  tools,
  toolsets = []
}: Options<T>) =>
  Effect.gen(function* () {
    const all = yield* Effect.forEach(tools ?? [], ({ dynamic }) => dynamic)
    const declared = yield* Toolset.constant(all.flatMap((one) => ("offer" in one ? [] : [one])))
    const made = all.flatMap((one): ReadonlyArray<Source> => ("offer" in one ? [one] : []))
    const given = made.concat(
      yield* Effect.forEach(toolsets, (one) => {
        if ("~toolset" in one) return toolsetOf(one)
        return Effect.isEffect(one) ? one : Effect.succeed(one)
      })
    )
    const imported = given.filter((one) => "losses" in one)
    // Rules of typed tools are rules by name.
    const own = approval === undefined ? undefined : approvalOf(approval as AnyRules)
    const theirs = imported.map((one) => one.approval)
    // Names are known to this package's types, not to the toolset's.
    const toolset = given.reduce<AnyToolset>(
      (left, right) => Toolset.combine(left as Dynamic, ("losses" in right ? right.toolset : right) as Dynamic),
      declared
    ) as Dynamic
    const whole: Policy.Policy = {
      resultBound: { maxBytes: 100_000, readOn: false },
      ...Json.withoutUndefined(policy ?? {}),
      // The names are known to this package's types, not to the policy's.
      approval: (theirs.length === 0 ? own : strictestOf(theirs, own)) as Policy.Policy["approval"],
      ...(quotas === undefined ? {} : { quotas }),
      ...(guards === undefined ? {} : { guards: guards.map(guardOf) }),
      journal: store === undefined ? undefined : yield* Journal.Journal,
      limits: {
        default: limitsOf({ timeout: "5 minutes", ...Json.withoutUndefined(limits?.default ?? {}) }),
        // Limits of typed tools are limits by name.
        dynamic: Record.map(
          {
            ...Json.withoutUndefined((limits?.tools ?? {}) as ByToolName),
            ...Json.withoutUndefined(limits?.dynamic ?? {})
          },
          limitsOf
        )
      }
    }
    yield* checkRules(toolset, whole)
    return { toolset, policy: whole, runner: yield* ToolRunner.make(toolset, whole) }
  }).pipe(Effect.mapError((error) => (error instanceof InvalidPolicy ? placedAt(error, limits?.tools ?? {}) : error)))

/** Where the program wrote it: the limits of its own tools stand under `tools`. */
const placedAt = ({ path, ...error }: InvalidPolicy, own: object) => {
  const [limits = "", kind, tool = "", ...rest] = path
  const isOwn = limits === "limits" && kind === "dynamic" && Object.hasOwn(own, tool)
  return new InvalidPolicy({ ...error, path: isOwn ? [limits, "tools", tool, ...rest] : path })
}

/**
 * A name in the policy that no tool has protects nothing. Where tools can change, a runner only logs it: here it is refused
 * as it is where they cannot.
 */
const checkRules = (toolset: Dynamic, policy: Policy.Policy) =>
  Effect.flatMap(Effect.exit(toolset.offer), (offer) =>
    // What is offered may depend on the context of a request, which is not there yet.
    Exit.isSuccess(offer) ? ToolRunner.make({ ...toolset, offer }, policy) : Effect.void
  )

type ByToolName = { readonly [name: string]: Limits }

type Dynamic = Toolset.Toolset<Toolset.DynamicTools, never, unknown>

const limitsOf = ({ retries, ...limits }: Limits): Policy.Limits => ({
  ...limits,
  retry:
    retries === undefined
      ? undefined
      : Schedule.exponential("100 millis").pipe(Schedule.intersect(Schedule.recurs(retries)))
})

/** Of any tools: each rule gets the parameters that its own type names. */
type AnyRules = Rule | { readonly [name: string]: AnyRules }

/** As the runner reads them, whatever names its types know. */
type CoreRules = Approval.Rule | { readonly [name: string]: CoreRules }

/** Rules by name stay so: the runner knows then which of the names no tool has. */
const approvalOf = (rules: AnyRules): CoreRules =>
  Json.isPlain(rules) ? Record.map(rules, approvalOf) : typeof rules === "function" ? ruleOf(rules) : rules

/** What imported tools ask of the program, and what it decides itself. */
const strictestOf = (theirs: ReadonlyArray<Approval.Rule>, own: CoreRules = {}): CoreRules =>
  Predicate.isRecord(own)
    ? { "*": Approval.strictest(...theirs), ...Record.map(own, (rules) => strictestOf(theirs, rules)) }
    : Approval.strictest(...theirs, own)

const ruleOf =
  (rule: Rule): Approval.Rule =>
  ({ context, facts, name, parameters }) => {
    let controller: AbortController | undefined
    const decision = rule(parameters, {
      name,
      context,
      facts,
      // Most rules answer at once.
      get signal() {
        return (controller ??= new AbortController()).signal
      }
    })
    if (!Predicate.isPromiseLike(decision)) return decide(decision)
    const answer = Effect.promise(async () => decide(await decision))
    return Effect.onInterrupt(answer, () => Effect.sync(() => controller?.abort()))
  }

/** What a class gives is read as well. A guard whose check is no function is refused with the policy. */
const guardOf = (guard: Guard): Guards.Guard => {
  const { check, mode, name, on, timeout } = guard
  return {
    ...guard,
    name,
    on,
    mode,
    timeout,
    check:
      typeof check === "function"
        ? (text, about) => Effect.promise(async (signal) => verdictOf(await guard.check(text, { ...about, signal })))
        : check
  }
}

/** A guard that gives anything else blocks. */
const verdictOf = (decision: GuardDecision): Guards.Decision => {
  if (decision === "pass") return Guards.pass
  // Plain JavaScript can answer anything.
  if (Predicate.hasProperty(decision, "block")) return Guards.block(String(decision.block))
  if (Predicate.hasProperty(decision, "report")) return Guards.report(String(decision.report))
  throw new TypeError('A guard gives "pass", { block: why } or { report: why }')
}

/** Another answer than a decision allows nothing: the call ends as an internal error. */
const decide = (decision: Decision): Approval.Decision => {
  if (decision === "allow") return Approval.allow
  if (decision === "ask") return Approval.ask()
  if (decision === "deny") return Approval.deny("it is not allowed here")
  // Plain JavaScript can answer anything, also both: of two, one would be lost.
  const { ask, deny, ...others }: { readonly [name: string]: unknown } = Json.isObject(decision) ? decision : {}
  const isOne = (ask === undefined || deny === undefined) && Object.keys(others).length === 0
  if (isOne && typeof ask === "string") return Approval.ask(ask)
  if (isOne && typeof deny === "string") return Approval.deny(deny)
  throw new Approval.InvalidDecision(decision, '"allow", "ask", "deny", { ask: why } and { deny: why }')
}
