/** A model with the project's tools, over its store: what `run`, `chat` and `approvals` have in common. */
import { resolve } from "node:path"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type { AgentEvent, DeferredCall } from "@wield/agent"
import * as Agent from "@wield/agent/Agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import * as Model from "@wield/agent/Model"
import * as ModelError from "@wield/agent/ModelError"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import * as Journal from "@wield/core/Journal"
import * as WireFormat from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Config } from "../Config.js"
import { type Platform } from "../config/gather.js"
import { loadProject, type Project } from "../config/load.js"
import { printProblems } from "../output/print.js"
import { messageOf, quote, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { type Common, openProject, readPairs } from "./common.js"

export interface Opened {
  readonly store: ConversationStore.Service
  /** Runs until the model has answered, waits or is stopped. */
  readonly run: (input: {
    readonly prompt?: string | undefined
    readonly conversation: string | undefined
    readonly answers?: ReadonlyArray<DeferredCall.Answer> | undefined
    readonly onEvent: (event: Event) => Effect.Effect<void>
  }) => Effect.Effect<Result, Refused>
}

export type Result = Extract<Event, { readonly _tag: "Done" }>["result"]

type Event = AgentEvent.AgentEvent

export const openAgent = (
  given: Common & { readonly context: ReadonlyArray<string> }
): Effect.Effect<Opened, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const { policy, problems, project, services, toolset } = yield* openProject(given, "run")
    yield* printProblems(problems)
    const { config } = project
    const stores = yield* buildStore(project)
    const { journal, store } = stores
    const context = { ...config.context, ...(yield* readPairs(given.context)) }
    const agent = yield* Effect.mapError(
      Agent.make({
        model: yield* modelOf(config),
        toolset,
        policy: { ...policy, journal },
        instructions: config.instructions
      }),
      refuse
    )
    return {
      store,
      run: ({ answers, conversation: id, onEvent, prompt }) =>
        Effect.gen(function* () {
          const conversation = yield* id === undefined ? store.create() : store.openOrCreate(id)
          const last = yield* Agent.stream(agent, { prompt, conversation, answers, context }).pipe(
            Stream.tap(onEvent),
            Stream.runLast,
            Effect.mapError((error) =>
              conversation.isDurable && ModelError.isModelError(error)
                ? Refused.failed(`${messageOf(error)}\nwield runs retry ${quote(conversation.id)} goes on with it`)
                : error
            )
          )
          const done: Event = yield* last
          if (done._tag !== "Done") return yield* Effect.dieMessage("A run ends with Done")
          const requests = done.result._tag === "Paused" ? done.result.requests : []
          yield* WaitingCalls.remember(store, conversation.id, requests)
          return done.result
        }).pipe(Effect.mapError(refuse), Effect.provide(services))
    }
  })

/** The store alone, for commands that ask no model. */
export const openStore = (given: Common): Effect.Effect<ConversationStore.Service, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const project = yield* loadProject(given)
    if (project.config.store === undefined) {
      return yield* Refused.usage(`${project.file} has no store: without one, conversations end with their command`)
    }
    return (yield* buildStore(project)).store
  })

export const buildStore = ({ config, folder }: Project) =>
  Effect.gen(function* () {
    const path = config.store === undefined ? undefined : resolve(folder, config.store)
    const layer =
      path === undefined
        ? Layer.merge(ConversationStore.layerMemory, Journal.layerMemory)
        : (yield* Effect.promise(() => import("@wield/agent/FileStore"))).layer({ path })
    const context = yield* Effect.mapError(Layer.build(layer), (error) => Refused.unusable(messageOf(error)))
    return yield* Effect.provide(
      Effect.all({ store: ConversationStore.ConversationStore, journal: Journal.Journal }),
      context
    )
  })

const refuse = (error: unknown): Refused => (error instanceof Refused ? error : Refused.failed(messageOf(error)))

export const modelOf = ({ model }: Config): Effect.Effect<Model.Model, Refused> =>
  Effect.gen(function* () {
    if (model === undefined) {
      return yield* Refused.usage("The configuration has no model: give it one, such as anthropic:claude-sonnet-4-5")
    }
    if (Effect.isEffect(model)) return yield* Effect.mapError(model, refuse)
    if (typeof model === "object" && "stream" in model) return model
    const { format: name, id, url } = typeof model === "string" ? splitModel(model) : model
    const format = WireFormat.all.find((one) => one.name === (aliases[name] ?? name))
    if (format === undefined || id === "") {
      const names = WireFormat.all.map((one) => one.name).join(", ")
      return yield* Refused.usage(`model: expected format:id with one of ${names}, not ${JSON.stringify(model)}`)
    }
    const { environment } = yield* Shell
    const { variable } = format.endpoint.key
    const key = environment[variable] ?? ""
    // A server of one's own may need no key.
    if (key === "" && url === undefined) return yield* Refused.usage(`${format.title} needs a key: set ${variable}`)
    return yield* Effect.provide(
      Model.fromWire(format, { model: id, url, key: key === "" ? undefined : Redacted.make(key) }),
      // A redirect would take the key along.
      Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
    )
  })

const splitModel = (text: string) => {
  const at = text.indexOf(":")
  return { format: at < 0 ? text : text.slice(0, at), id: at < 0 ? "" : text.slice(at + 1), url: undefined }
}

const aliases: { readonly [name: string]: string | undefined } = {
  openai: "openai-responses",
  google: "gemini",
  bedrock: "bedrock-converse",
  cohere: "cohere-v2"
}

export type { Event }
