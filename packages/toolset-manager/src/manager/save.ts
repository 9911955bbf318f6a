/** Saves, renames, deletes and exchanges toolsets of the user's file. */
import { isPlain } from "@wield/core/Json"
import { aFlag, aName, aText, type Checks, fields, holds, orThrow, texts } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as PubSub from "effect/PubSub"
import * as ToolsetExport from "../ToolsetExport.js"
import * as ToolsetFile from "../ToolsetFile.js"
import type { Listed, SaveOptions } from "../ToolsetManager.js"
import { EmptyToolset, NotUserToolset, ReservedName, ToolsetChanged, ToolsetExists } from "../ToolsetManagerError.js"
import { unknownFunctions } from "./activate.js"
import { announceSets, type Inside, type Manager } from "./inside.js"
import type { ChangeError, Edit } from "./files.js"
import { lookUp, listEntryOf, find } from "./look.js"
import { functionsOf, reservedReason, type Sets } from "./resolve.js"

export const save =
  <E>(inside: Inside<E>): Manager<E>["save"] =>
  (name, functions, options = {}) =>
    Effect.gen(function* () {
      orThrow(texts(functions, ["functions"]))
      orThrow(checkSave(options), "How a toolset is saved")
      const { isReplacing = false, metadata } = options
      const { sets } = yield* lookUp(inside)
      yield* freeName(name, sets, isReplacing)
      const distinct = [...new Set(functions)]
      if (distinct.length === 0) return yield* new EmptyToolset({ name })
      const before = sets.user.get(name) ?? sets.core.get(name)
      yield* change(inside, [name], (file) =>
        // Saved by this manager since the name was looked at.
        file.toolsets.has(name) && !isReplacing
          ? Either.left(new ToolsetExists({ name }))
          : Either.right(
              ToolsetFile.put(file, { name, functions: distinct, metadata: metadata ?? before?.metadata ?? {} })
            )
      )
      yield* PubSub.publish(inside.events, { _tag: "Saved", name })
      return yield* savedEntryOf(inside, name, distinct)
    })

// Of a word in the place of true, a set would be replaced.
const checkSave = fields({
  isReplacing: aFlag,
  metadata: holds("an object", isPlain)
} satisfies Checks<SaveOptions>)

const checkImport = fields({ name: aName, isReplacing: aFlag, file: aText })

const freeName = (name: string, { core, modules, user }: Sets, isReplacing: boolean) => {
  const reason = reservedReason(name, modules)
  if (reason !== undefined) return new ReservedName({ name, reason })
  return isReplacing || !(user.has(name) || core.has(name)) ? Effect.void : new ToolsetExists({ name })
}

/** Changes the file and tells conversations of it. */
const change = <E, E2 = never, E3 = never>(
  inside: Inside<E>,
  names: ReadonlyArray<string>,
  edit: Edit<E2>,
  following?: Effect.Effect<void, E3>
): Effect.Effect<void, ChangeError | E2 | E3> =>
  Effect.flatMap(inside.sets, (before) =>
    // A change by others may have been read with it, and is announced even if ours was refused.
    Effect.ensuring(inside.files.change(names, edit, following), announceSets(inside, before))
  )

/** What was saved, though by now it may have been changed again. */
const savedEntryOf = <E>(inside: Inside<E>, name: string, functions: ReadonlyArray<string>): Effect.Effect<Listed, E> =>
  Effect.map(lookUp(inside), (all) => {
    const toolset = all.sets.user.get(name) ?? { name, functions, metadata: {}, place: { line: 1, column: 1 } }
    return listEntryOf({ type: "user", name, toolset }, all)
  })

export const rename =
  <E>(inside: Inside<E>): Manager<E>["rename"] =>
  (name, to) =>
    Effect.gen(function* () {
      const { sets } = yield* lookUp(inside)
      const toolset = yield* ofUser(name, sets)
      if (name === to) return yield* savedEntryOf(inside, name, toolset.functions)
      yield* freeName(to, sets, false)
      const conversations = yield* inside.store.conversationsOf(name)
      yield* change(
        inside,
        [name, to],
        (file): Either.Either<ToolsetFile.ToolsetFile, ToolsetChanged | ToolsetExists> => {
          const now = file.toolsets.get(name)
          if (now === undefined) return Either.left(new ToolsetChanged({ name, functions: undefined }))
          return file.toolsets.has(to)
            ? Either.left(new ToolsetExists({ name: to }))
            : Either.right(ToolsetFile.put(ToolsetFile.remove(file, name), { ...now, name: to }))
        },
        Effect.forEach(conversations, (conversation) => inside.store.set(conversation, { _tag: "Named", name: to }), {
          discard: true
        })
      )
      yield* PubSub.publish(inside.events, { _tag: "Renamed", name, to })
      return yield* savedEntryOf(inside, to, toolset.functions)
    })

const ofUser = (name: string, sets: Sets) =>
  Effect.flatMap(find(name, sets), (found) =>
    found.type === "user" ? Effect.succeed(found.toolset) : new NotUserToolset({ name, type: found.type })
  )

export const remove =
  <E>(inside: Inside<E>): Manager<E>["delete"] =>
  (name) =>
    Effect.gen(function* () {
      yield* ofUser(name, yield* inside.sets)
      const conversations = yield* inside.store.conversationsOf(name)
      yield* change(inside, [name], (file) => Either.right(ToolsetFile.remove(file, name)))
      yield* PubSub.publish(inside.events, { _tag: "Deleted", name })
      return conversations
    })

export const exportSet =
  <E>(inside: Inside<E>): Manager<E>["export"] =>
  (name) =>
    Effect.gen(function* () {
      const { loaded, sets } = yield* lookUp(inside)
      const found = yield* find(name, sets)
      return {
        wield: "toolset",
        version: 1,
        name,
        functions: functionsOf(found) ?? [...loaded.keys()],
        metadata: "toolset" in found ? found.toolset.metadata : {}
      }
    })

export const importSet =
  <E>(inside: Inside<E>): Manager<E>["import"] =>
  (given, options = {}) =>
    Effect.gen(function* () {
      orThrow(checkImport(options), "How a toolset is imported")
      const { functions, metadata, name } = yield* ToolsetExport.parse(given, { file: options.file })
      const loaded = yield* inside.loaded
      const skipped = functions.filter((one) => !loaded.has(one))
      if (functions.length > 0 && skipped.length === functions.length) {
        return yield* unknownFunctions(skipped, loaded.keys())
      }
      const found = functions.filter((one) => loaded.has(one))
      const toolset = yield* save(inside)(options.name ?? name, found, { metadata, isReplacing: options.isReplacing })
      return { toolset, skipped }
    })
