/**
 * Active sets in a JSON file that one process reads once and replaces as a whole.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Selection, Service } from "../ActiveToolsets.js"
import { ActiveToolsetFailed } from "../ToolsetManagerError.js"
import { conversationsOf } from "./memoryActive.js"
import { replaceFile } from "./replaceFile.js"

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

const decode = Schema.decode(Stored)

const encode = Schema.encode(Stored)

export const makeFileActive = (
  file: string
): Effect.Effect<Service, ActiveToolsetFailed, FileSystem.FileSystem | Path.Path> =>
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
          return encode({ version: 1, conversations }).pipe(
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
    const { conversations } = yield* decode(text)
    return new Map(conversations.map(({ active, id }): readonly [string, Selection] => [id, active]))
  }).pipe(
    Effect.mapError(
      (error) =>
        new ActiveToolsetFailed({ conversation: undefined, detail: `${file} is no such file: ${error.message}` })
    )
  )
