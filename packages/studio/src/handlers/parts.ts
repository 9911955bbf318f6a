/** What a studio shows, as its handlers have it: types erased, everything optional decided. */
import type { Agent, ConversationStore, Stop } from "@wield/agent"
import * as Tokens from "@wield/agent/Tokens"
import type { Policy, ToolDefinition, Toolset, ToolRunner } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import type { ToolsetManager } from "@wield/toolset-manager"
import * as Effect from "effect/Effect"
import type * as PubSub from "effect/PubSub"
import type * as Runtime from "effect/Runtime"
import type { Problem } from "@wield/core/Problem"
import { type Changed, Failed, NotFound } from "../Api.js"
import type * as Inbox from "../Inbox.js"
import type * as Recorder from "../Recorder.js"
import type { Playground } from "./playground.js"

export interface Parts {
  readonly title: string
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>
  readonly runner: ToolRunner.Runner<Toolset.DynamicTools, never, unknown>
  readonly policy: Policy.Policy
  readonly context: CallContext.Values
  readonly agent: Agent.Agent<Toolset.DynamicTools, unknown, never, unknown> | undefined
  readonly manager: ToolsetManager.Service<Toolset.DynamicTools, never, unknown> | undefined
  readonly store: ConversationStore.Service
  readonly hasStore: boolean
  readonly sourceOf: (tool: string) => string | undefined
  readonly prices: Stop.Prices | undefined
  readonly problems: Effect.Effect<ReadonlyArray<Problem>>
  readonly recorder: Recorder.Service
  readonly inbox: Inbox.Service
  readonly changed: PubSub.PubSub<Changed>
  readonly playground: Playground
  /** What a person said first in a conversation without a title; `undefined` where no one has said anything. */
  readonly titleOf: (conversation: string) => Effect.Effect<string | undefined>
  /** With the clock and the loggers of the program, which handlers do not run with. */
  readonly runtime: Runtime.Runtime<never>
}

/** The offer of all tools, or what a conversation's active toolset leaves of it. */
export const offerOf = (
  { context, manager, toolset }: Parts,
  conversation?: string | undefined
): Effect.Effect<Toolset.Offer, Failed> =>
  (conversation === undefined ? toolset : (manager?.toolset ?? toolset)).offer.pipe(
    CallContext.provide({ ...context, ...(conversation === undefined ? {} : { conversation }) }),
    Effect.mapError(failureOf)
  )

export const failureOf = (error: unknown): Failed => new Failed({ message: messageOf(error) })

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const notFound = (what: string, name: string): NotFound =>
  new NotFound({ message: `There is no ${what} ${JSON.stringify(name)}` })

const counts = Effect.runSync(Tokens.estimate().counts)

/** What JSON takes of a prompt, about. */
export const tokensOf = (json: unknown): number => counts.text(JSON.stringify(json))

/** What a definition takes, without what an API puts around all tools. Counted once. */
export const tokensOfTool = (definition: ToolDefinition.ToolDefinition): number => counts.definition(definition)

/** The studio knows one person: who has its token. */
export const theUser = { who: "the user of the studio", way: "studio" }
