/**
 * Which set of tools is active in which conversation: a small service of its
 * own, so that it can be kept where conversations are kept.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ActiveToolsetFailed } from "./ToolsetManagerError.js"
import * as Schema from "effect/Schema"
import { replaceFile } from "./file/replaceFile.js"

/**
 * What is active: a set by its name, which means what it means at the time, or
 * functions by theirs.
 *
 * @category models
 */
export type Selection =
  | { readonly _tag: "Named"; readonly name: string }
  | { readonly _tag: "Custom"; readonly functions: ReadonlyArray<string> }

/**
 * Keeps the active set of each conversation.
 *
 * @category models
 */
export interface Service {
  /** `undefined` where nothing was ever activated. */
  readonly get: (conversation: string) => Effect.Effect<Selection | undefined, ActiveToolsetFailed>
  readonly set: (conversation: string, selection: Selection) => Effect.Effect<void, ActiveToolsetFailed>
  /** Forgets a conversation that is gone. */
  readonly remove: (conversation: string) => Effect.Effect<void, ActiveToolsetFailed>
  /** The conversations in which a set is active by its name. */
  readonly conversationsOf: (name: string) => Effect.Effect<ReadonlyArray<string>, ActiveToolsetFailed>
}

/**
 * The service.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ActiveToolsets } from "@wield/toolset-manager"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const active = yield* ActiveToolsets.ActiveToolsets
 *   yield* active.set("chat 1", { _tag: "Named", name: "research" })
 *   return [yield* active.get("chat 1"), yield* active.get("chat 2")]
 * })
 * const found = Effect.runSync(program.pipe(Effect.provide(ActiveToolsets.layerMemory)))
 * assert.deepStrictEqual(found, [{ _tag: "Named", name: "research" }, undefined])
 * ```
 *
 * @category services
 */
export class ActiveToolsets extends Context.Tag("@wield/toolset-manager/ActiveToolsets")<ActiveToolsets, Service>() {}

/**
 * Kept in memory: gone with the process.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<ActiveToolsets> = Layer.sync(ActiveToolsets, () => {
  const active = new Map<string, Selection>()
  return {
    get: (conversation) => Effect.sync(() => active.get(conversation)),
    set: (conversation, selection) => Effect.sync(() => void active.set(conversation, selection)),
    remove: (conversation) => Effect.sync(() => void active.delete(conversation)),
    conversationsOf: (name) => Effect.sync(() => conversationsOf(active, name))
  }
})

/**
 * Kept in a JSON file, which is made with the first set that is activated, and
 * replaced as a whole by each further one. The file belongs to one process: it
 * is read once. Fails where the file is there and is no such file.
 *
 * @category layers
 */
export const layerFile = (
  file: string
): Layer.Layer<ActiveToolsets, ActiveToolsetFailed, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(ActiveToolsets, makeFileActive(file))

const Stored = Schema.parseJson(
  Schema.Struct({
    version: Schema.Literal(1),
    // Pairs, since the id of a conversation may be any text, `__proto__` included.
    conversations: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        active: Schema.Union(
          Schema.TaggedStruct("Named", { name: Schema.String }),
          Schema.TaggedStruct("Custom", { functions: Schema.Array(Schema.String) })
        )
      })
    )
  }),
  { space: 2 }
)

const makeFileActive = (file: string): Effect.Effect<Service, ActiveToolsetFailed, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const lock = yield* Effect.makeSemaphore(1)
    let active: ReadonlyMap<string, Selection> = yield* load(file)
    // What is not in the file is not active either: memory follows it.
    const become = (conversation: string, change: (next: Map<string, Selection>) => void) =>
      lock.withPermits(1)(
        Effect.suspend(() => {
          const next = new Map(active)
          change(next)
          const conversations = [...next].map(([id, selection]) => ({ id, active: selection }))
          return Schema.encode(Stored)({ version: 1, conversations }).pipe(
            Effect.flatMap((text) => replaceFile(file, `${text}\n`)),
            Effect.mapError((error) => new ActiveToolsetFailed({ conversation, detail: error.message })),
            Effect.provide(context),
            // A file that was replaced and a memory that was not would be two answers.
            Effect.tap(() => Effect.sync(() => void (active = next))),
            Effect.uninterruptible
          )
        })
      )
    return {
      get: (conversation) => Effect.sync(() => active.get(conversation)),
      set: (conversation, selection) => become(conversation, (next) => next.set(conversation, selection)),
      remove: (conversation) =>
        Effect.suspend(() =>
          active.has(conversation) ? become(conversation, (next) => next.delete(conversation)) : Effect.void
        ),
      conversationsOf: (name) => Effect.sync(() => conversationsOf(active, name))
    }
  })

const load = (file: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = yield* files.readFileString(file).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeed(undefined)
      )
    )
    if (text === undefined) return new Map<string, Selection>()
    const { conversations } = yield* Schema.decode(Stored)(text)
    return new Map(conversations.map(({ active, id }): readonly [string, Selection] => [id, active]))
  }).pipe(
    Effect.mapError(({ message }) => {
      const detail = `${file} is no such file: ${message}`
      return new ActiveToolsetFailed({ conversation: undefined, detail })
    })
  )

const conversationsOf = (active: ReadonlyMap<string, Selection>, name: string): ReadonlyArray<string> =>
  [...active].flatMap(([conversation, selection]) =>
    selection._tag === "Named" && selection.name === name ? [conversation] : []
  )
