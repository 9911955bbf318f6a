/**
 * Conversations kept by an API of your own: the entries
 * `InternalSaveChatMessage` and `InternalGetChatMessages` of a manifest (in any
 * case) save each message and read them again, over REST, GraphQL or SQL.
 * Imported by its path, `@wield/manifest/ApiConversationStore`, for it needs
 * the optional peer `@wield/agent`.
 */
import * as ConversationError from "@wield/agent/ConversationError"
import * as ConversationStore from "@wield/agent/ConversationStore"
import * as Tokens from "@wield/agent/Tokens"
import type { CallContext } from "@wield/core"
import { isObject } from "@wield/core/Json"
import { aContext, aCount, aName, type Checks, fields, holds, oneOf, orThrow } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { aManifest, executorChecks } from "./load/executors.js"
import type * as Binding from "./load/requirements.js"
import type { ExecutorOptions, Manifest } from "./Manifest.js"
import type { InvalidManifest } from "./ManifestError.js"
import { type Calls, callsOf } from "./messages/calls.js"
import { conversation, read, type Settings } from "./messages/history.js"

/**
 * How messages are kept. Everything is optional.
 *
 * @category models
 */
export interface Options extends ExecutorOptions {
  /** Values of the context fields of both entries; those of the call context are taken too. */
  readonly context?: CallContext.Values | undefined
  /** Names a conversation in the context; the only field of `InternalGetChatMessages` without a value unless given. */
  readonly conversationField?: string | undefined
  /** How many messages are read, the newest. 100 unless given. */
  readonly limit?: number | undefined
  /** How the API orders its answer, where its messages have no timestamps: `newest-first` unless given. */
  readonly order?: "newest-first" | "oldest-first" | undefined
  /** `fail`: appending fails with `StoreError`. `log`: the error is logged, and the conversation goes on. `fail` unless given. */
  readonly onSaveFailure?: "fail" | "log" | undefined
  /** Counts the tokens that are saved with a message; an estimate unless given. */
  readonly tokens?: Tokens.Counter | undefined
}

/**
 * What two calls, one to save a message and one to read, cannot do: the `cause` of a `StoreError`.
 *
 * @category errors
 */
export class Unsupported extends Schema.TaggedError<Unsupported>("@wield/manifest/UnsupportedByApi")("Unsupported", {
  operation: Schema.String
}) {
  override get message(): string {
    return `an API that saves and reads messages cannot ${this.operation}; use a store of @wield/agent for that`
  }
}

/**
 * The store of the entries for messages: `create`, `open` and `openOrCreate` read the history once, and what is
 * appended is saved message by message. A conversation without messages is not there; two programs that append at once
 * do not notice each other. Other operations fail with a `StoreError` whose cause is `Unsupported`.
 *
 * Fails with `InvalidManifest` when an entry is missing or refused, or a context field is named as a message's field.
 *
 * @example
 * ```ts
 * import { Manifest, RestExecutor } from "@wield/manifest"
 * import * as ApiConversationStore from "@wield/manifest/ApiConversationStore"
 * import { Effect } from "effect"
 *
 * // The file has the entries InternalSaveChatMessage and InternalGetChatMessages, and the API that they call.
 * export const store = Effect.flatMap(Manifest.load("shop.tools.json"), (manifest) =>
 *   ApiConversationStore.make(manifest, { factories: [RestExecutor.factory], context: { userid: "ada" } })
 * )
 * ```
 *
 * @category constructors
 */
export const make = <const O extends Options = {}>(
  manifest: Manifest,
  options?: O
): Binding.Bound<ConversationStore.Service, O> =>
  // Inside, what executors require is erased; the options say it.
  serviceOf(manifest, options ?? {}) as Binding.Bound<ConversationStore.Service, O>

/**
 * The store as the one of a program.
 *
 * @category layers
 */
export const layer = <const O extends Options = {}>(
  manifest: Manifest,
  options?: O
): Layer.Layer<
  ConversationStore.ConversationStore,
  InvalidManifest | Binding.ExecutorErrors<O>,
  Binding.ExecutorRequirements<O>
> => Layer.effect(ConversationStore.ConversationStore, make(manifest, options))

const serviceOf = (manifest: Manifest, options: Options): Effect.Effect<ConversationStore.Service, unknown, unknown> =>
  Effect.gen(function* () {
    orThrow(aManifest(manifest), "What has the entries for messages")
    orThrow(checkOptions(options), "How messages are kept")
    const calls = yield* callsOf(manifest, options)
    const counts = yield* (options.tokens ?? Tokens.estimate()).counts
    return service(calls, {
      context: options.context ?? {},
      limit: options.limit ?? 100,
      order: options.order,
      onSaveFailure: options.onSaveFailure ?? "fail",
      counts
    })
  })

// Of a name that is misspelt, whose messages they are would not be said.
const checkOptions = fields({
  ...executorChecks,
  context: aContext,
  conversationField: aName,
  limit: aCount,
  order: oneOf("newest-first", "oldest-first"),
  onSaveFailure: oneOf("fail", "log"),
  tokens: holds("a counter, such as Tokens.estimate()", (value) => isObject(value) && Effect.isEffect(value["counts"]))
} satisfies Checks<Options>)

const service = (calls: Calls, settings: Settings): ConversationStore.Service => {
  const opened = (id: string) =>
    Effect.flatMap(read(calls, settings, id), (history) => conversation(calls, settings, id, history))
  return {
    create: ({ entries = [], id = crypto.randomUUID(), metadata, title } = {}) =>
      Effect.gen(function* () {
        if (title !== undefined || metadata !== undefined) return yield* unsupported("keep a title or metadata")
        const made = yield* opened(id)
        if ((yield* made.entries).length > 0) {
          return yield* new ConversationError.ConversationExists({ conversation: id })
        }
        yield* Effect.mapError(made.append(entries, undefined), (error) =>
          error._tag === "StoreError"
            ? error
            : new ConversationError.StoreError({ operation: "create", detail: error.message })
        )
        return made
      }),
    open: (id) =>
      Effect.gen(function* () {
        const found = yield* opened(id)
        if ((yield* found.entries).length > 0) return found
        return yield* new ConversationError.ConversationNotFound({ conversation: id })
      }),
    openOrCreate: opened,
    summary: () => unsupported("tell of a conversation without its messages"),
    list: () => unsupported("list conversations"),
    update: () => unsupported("keep a title or metadata"),
    fork: () => unsupported("fork a conversation"),
    truncate: () => unsupported("take messages away"),
    delete: () => unsupported("delete a conversation"),
    export: () => unsupported("export a conversation, of which it reads the newest messages only"),
    import: () => unsupported("import a conversation with its title and metadata")
  }
}

const unsupported = (operation: string): Effect.Effect<never, ConversationError.StoreError> => {
  const cause = new Unsupported({ operation })
  return new ConversationError.StoreError({ operation, detail: cause.message, cause })
}
