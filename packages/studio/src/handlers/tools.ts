import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DeferredCall from "@wield/agent/DeferredCall"
import type { Toolset } from "@wield/core"
import type * as CoreFacts from "@wield/core/Facts"
import * as Issue from "@wield/core/Issue"
import * as Journal from "@wield/core/Journal"
import * as Json from "@wield/core/Json"
import * as Outcome from "@wield/core/Outcome"
import * as Policy from "@wield/core/Policy"
import * as Response from "@wield/core/Response"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as ToolSearch from "@wield/core/ToolSearch"
import * as WireFormat from "@wield/providers/WireFormat"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Api, Conflict, type Facts, Failed, Refused, type Tool, type ToolDetail } from "../Api.js"
import { encodeOutcome } from "../recorder/encode.js"
import { recordCalls } from "../Recorder.js"
import { tokensOf, tokensOfTool, failureOf, messageOf, notFound, offerOf, type Parts, theUser } from "./parts.js"

export const toolsHandlers = (parts: Parts) =>
  HttpApiBuilder.group(Api, "tools", (handlers) =>
    Effect.map(ToolSearch.make(), (index) =>
      handlers
        .handle("list", ({ urlParams: { conversation, search } }) =>
          Effect.gen(function* () {
            const tools = yield* listTools(parts, conversation)
            if (search === undefined) return { tools: [...tools.values()] }
            const { entries } = yield* offerOf(parts)
            const definitions = [...entries.values()].map(({ definition }) => definition)
            yield* index.replace(definitions)
            const found = yield* index.search(search, { limit: 50 })
            return { tools: found.flatMap(({ id }) => tools.get(id) ?? []) }
          })
        )
        .handle("get", ({ path: { name }, urlParams }) =>
          Effect.gen(function* () {
            const tool = (yield* listTools(parts, urlParams.conversation)).get(name)
            const entry = (yield* offerOf(parts)).entries.get(name)
            return tool === undefined || entry === undefined
              ? yield* notFound("tool", name)
              : detailOf(parts, tool, entry)
          })
        )
        .handle("preview", ({ path: { name }, payload }) =>
          Effect.gen(function* () {
            yield* requireTool(parts, name)
            const run = yield* runOf(parts, payload.conversation)
            const call = ToolCall.make(crypto.randomUUID(), name, payload.arguments)
            const previewed = yield* Effect.mapError(run.preview(call), failureOf)
            return previewed._tag === "Allow"
              ? { _tag: "Allow" as const }
              : { _tag: "Ended" as const, outcome: encodeOutcome(previewed) }
          })
        )
        .handle("call", ({ path: { name }, payload }) =>
          Effect.gen(function* () {
            yield* requireTool(parts, name)
            return yield* callTool(parts, name, payload.arguments, payload.conversation)
          })
        )
    )
  )

/** By their names, sorted; those that are not on offer too. */
const listTools = (parts: Parts, conversation: string | undefined) =>
  Effect.gen(function* () {
    const { manager, sourceOf } = parts
    const { entries, withheld } = yield* offerOf(parts)
    const offered = conversation === undefined ? entries : (yield* offerOf(parts, conversation)).entries
    const inactive =
      manager === undefined || conversation === undefined
        ? []
        : yield* Effect.mapError(manager.inactive(conversation), failureOf)
    const toolsetsOf = new Map(inactive.map(({ name, toolsets }) => [name, toolsets]))
    const tools = [...entries.values(), ...withheld.values()].map(({ definition }): Tool => {
      const source = sourceOf(definition.name)
      const toolsets = toolsetsOf.get(definition.name)
      const reason = withheld.has(definition.name)
        ? "A filter of the program withholds it"
        : toolsets === undefined
          ? "A filter withholds it from this conversation"
          : "The active toolset does not have it"
      return {
        name: definition.name,
        ...(definition.description === undefined ? {} : { description: definition.description }),
        ...(source === undefined ? {} : { source }),
        facts: factsOf(definition.facts),
        parameters: Object.keys(definition.inputSchema["properties"] ?? {}),
        tokens: tokensOfTool(definition),
        isOffered: offered.has(definition.name),
        ...(offered.has(definition.name) ? {} : { notOffered: { reason, toolsets: toolsets ?? [] } })
      }
    })
    tools.sort((one, other) => (one.name < other.name ? -1 : 1))
    return new Map(tools.map((tool) => [tool.name, tool]))
  })

export const factsOf = (facts: CoreFacts.Facts): Facts => Json.withoutUndefined(facts)

const detailOf = ({ policy }: Parts, tool: Tool, entry: Toolset.Entry): ToolDetail => {
  const { definition, hidden } = entry
  const { resultBound } = policy
  return {
    ...tool,
    inputSchema: { ...definition.inputSchema },
    ...(definition.outputSchema === undefined ? {} : { outputSchema: { ...definition.outputSchema } }),
    hidden: [...(hidden?.keys ?? [])].sort(),
    fingerprint: ToolDefinition.fingerprint(definition),
    policy: {
      hasApprovalRule: Policy.hasRule(policy, tool.name),
      limits: limitsOf(Policy.limitsOf(policy, entry)),
      ...(resultBound === undefined ? {} : { resultBound: resultBound.maxBytes })
    },
    wires: WireFormat.all.map(({ encodeTools, name: format, title }) => {
      const { body, losses } = encodeTools([definition])
      return { format, title, body, losses, tokens: tokensOf(body) }
    })
  }
}

const limitsOf = ({ cache, concurrency, rate, retry, timeout }: Policy.Limits = {}): ToolDetail["policy"]["limits"] =>
  Json.withoutUndefined({
    timeout: timeout === undefined ? undefined : Duration.toMillis(timeout),
    isRetried: retry !== undefined,
    concurrency,
    rate: rate && { calls: rate.calls, window: Duration.toMillis(rate.window) },
    cache: cache && Duration.toMillis(cache.timeToLive)
  })

/** Also one that is withheld: a call of it shows how it ends. */
const requireTool = (parts: Parts, name: string) =>
  Effect.flatMap(offerOf(parts), ({ entries, withheld }) =>
    entries.has(name) || withheld.has(name) ? Effect.void : notFound("tool", name)
  )

const runOf = (parts: Parts, conversation: string | undefined) =>
  Effect.gen(function* () {
    const { context, runner } = parts
    if (conversation === undefined) return runner.forRun({ context })
    const { entries } = yield* offerOf(parts, conversation)
    return runner.forRun({ context: { ...context, conversation }, offered: [...entries.keys()] })
  })

const callTool = (parts: Parts, name: string, args: unknown, conversation: string | undefined) =>
  Effect.gen(function* () {
    const { inbox, recorder } = parts
    const run = yield* runOf(parts, conversation)
    const recording = yield* recorder.begin({ name, ...(conversation === undefined ? {} : { conversation }) })
    const begun = yield* Clock.currentTimeMillis
    const call = ToolCall.make(`call_${crypto.randomUUID()}`, name, args)
    const settled = run.settle([call], recording.watcher)
    const [outcome] = yield* recordCalls(recorder, recording, settled, (all) => all.some(Outcome.isDeferred)).pipe(
      Effect.mapError(failureOf)
    )
    if (outcome === undefined) return yield* new Failed({ message: "The call has no outcome" })
    const now = yield* Clock.currentTimeMillis
    const called = { run: recording.id, outcome: encodeOutcome(outcome), milliseconds: now - begun }
    if (!Outcome.isDeferred(outcome)) return called
    const from = conversation === undefined ? {} : { conversation }
    /** What is approved may still ask for input. */
    const keep = (waiting: Outcome.Deferred, asking: string): Effect.Effect<string, Failed> =>
      Effect.gen(function* () {
        const { entries } = yield* offerOf(parts)
        return yield* inbox.add({
          request: {
            ...waiting,
            call,
            // Deferred arguments were parsed: they are an object.
            arguments: waiting.arguments as never,
            description: entries.get(name)?.definition.description,
            expiresAt: undefined
          },
          from: { kind: "call", name, run: asking, ...from },
          askedAt: yield* Clock.currentTimeMillis,
          answer: (response) =>
            Effect.gen(function* () {
              // What is refused is asked again: no run of it has failed.
              yield* Effect.mapError(run.check(waiting, response), refusalOf)
              const answering = yield* recorder.begin({ name, ...from })
              const answered = run.resume(waiting, response, answering.watcher)
              const resumed = yield* recordCalls(recorder, answering, answered, Outcome.isDeferred).pipe(
                Effect.provideService(Journal.AnsweredBy, DeferredCall.nameOf(theUser)),
                Effect.mapError(refusalOf)
              )
              // Another tab was faster: this one has decided nothing.
              if (Response.isOverruled(response, resumed, waiting.arguments))
                return yield* new Conflict({ message: "The call was answered before, in another way" })
              if (Outcome.isDeferred(resumed)) yield* keep(resumed, answering.id)
              return { run: answering.id, outcome: encodeOutcome(resumed) }
            })
        })
      })
    return { ...called, approval: yield* keep(outcome, recording.id) }
  })

/** Why an answer was not taken: it came too late, or its arguments do not fit. */
export const refusalOf = (error: unknown): Conflict | Refused | Failed => {
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
  switch (tag) {
    case "Conflict":
    case "StaleResponse":
    case "NotWaiting":
    case "AlreadyAnswered":
    case "UnknownRequest":
    case "ExpiredRequest":
    case "TamperedRequest":
      return new Conflict({ message: messageOf(error) })
    case "InvalidEdit":
    case "InvalidReply": {
      // Both errors have issues.
      const { issues } = error as { readonly issues: ReadonlyArray<Issue.Issue> }
      // A reply may be anything, so a form has one field for it.
      const within = tag === "InvalidReply" ? ["reply"] : []
      const placed = issues.map((issue) => Issue.toJson({ ...issue, path: [...within, ...issue.path] }))
      return new Refused({ message: messageOf(error), issues: placed })
    }
    case "WrongKindOfResponse":
    case "InvalidAnswer":
      return new Refused({ message: messageOf(error) })
    default:
      return failureOf(error)
  }
}

export const responseOf = (
  reply:
    | { readonly _tag: "Approve" }
    | { readonly _tag: "ApproveWith"; readonly arguments: { readonly [key: string]: unknown } }
    | { readonly _tag: "Deny"; readonly reason: string }
    | { readonly _tag: "Result" | "Reply"; readonly value: unknown }
): Response.Response => {
  switch (reply._tag) {
    case "Approve":
      return Response.approve
    case "ApproveWith":
      // It came as JSON.
      return Response.approveWith(Json.attempt(reply.arguments) as never)
    case "Deny":
      return Response.deny(reply.reason)
    case "Result":
      return Response.result(reply.value)
    case "Reply":
      return Response.reply(Json.from(reply.value))
  }
}
