/**
 * A toolset that follows its folders of function files.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { type Json, Toolset } from "@wield/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { follow, orUnreadable } from "../folder/follow.js"
import { languageOf, stemOf } from "../folder/languages.js"
import { makeLoading } from "../folder/loading.js"
import { logProblems } from "../folder/logProblems.js"
import { fileError } from "../folder/problem.js"
import { changed, walk, type Walk } from "../folder/walk.js"
import type { Problem } from "@wield/core/Problem"
import type { UnreadableScript } from "../ScriptError.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import { assemble } from "./assemble.js"
import { keep, type Kept } from "./keep.js"
import type { FunctionFolder } from "./model.js"
import { reader } from "./read.js"
import { readFolders } from "./readFolders.js"
import { offerTools, toTools } from "./toTools.js"

export interface LiveOptions {
  readonly executor: Pick<ScriptExecutor, "forget" | "runFunctionFile">
  readonly config: Json.Json
  readonly linkRoots: ReadonlyArray<string>
  readonly interval: Duration.DurationInput
}

export interface Live {
  readonly toolset: Toolset.DynamicToolset
  readonly current: SubscriptionRef.SubscriptionRef<FunctionFolder>
  readonly reload: Effect.Effect<void>
}

interface State {
  readonly files: ReadonlyMap<string, Kept>
  readonly walks: ReadonlyMap<string, Walk>
}

const nowhere: Walk = { stamps: new Map(), folders: [] }

export const live = (
  folders: ReadonlyArray<string>,
  { config, executor, interval, linkRoots }: LiveOptions
): Effect.Effect<Live, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    // Without tools there is nothing that could be wrong.
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    const current = yield* SubscriptionRef.make<FunctionFolder>({ folders, files: [], problems: [] })
    const how = { read: yield* reader, running: { config, executor }, linkRoots }
    let state: State = { files: new Map(), walks: new Map() }

    /** What was found when the folder was last read, without what calls have told since. */
    let found: FunctionFolder = yield* SubscriptionRef.get(current)
    const publishing = yield* Effect.makeSemaphore(1)
    const publish = publishing.withPermits(1)(
      Effect.gen(function* () {
        const known = new Set((yield* SubscriptionRef.get(current)).problems.map(textOf))
        const next = { ...found, problems: [...found.problems, ...loading.problems(found.files)] }
        yield* logProblems(next.problems.filter((problem) => !known.has(textOf(problem))))
        yield* SubscriptionRef.set(current, next)
      })
    )
    const show = (next: FunctionFolder) =>
      Effect.suspend(() => {
        found = next
        return publish
      })
    const loading = makeLoading(Effect.suspend(() => publish))
    const telling: Pick<ScriptExecutor, "runFunctionFile"> = {
      runFunctionFile: (file, name, parameters, config) =>
        loading.told(file, executor.runFunctionFile(file, name, parameters, config))
    }

    const lookAt = Effect.gen(function* () {
      // Before the files are read: what changes meanwhile is noticed afterwards.
      const walks = new Map(
        yield* Effect.forEach(folders, (folder) => Effect.map(walk(folder, linkRoots), (now) => [folder, now] as const))
      )
      const changes = folders.flatMap((folder) =>
        changed(state.walks.get(folder) ?? nowhere, walks.get(folder) ?? nowhere)
      )
      yield* Effect.forEach(outdated(state.files, changes), executor.forget, { discard: true })
      const known = new Map(
        [...state.files.values()].filter(({ now }) => isStill(now.found, changes)).map(({ now }) => [now.file, now])
      )
      const read = (yield* readFolders(folders, how, known)).map((folder) => ({
        ...folder,
        kept: folder.readings.map((reading) => keep(reading, state.files.get(reading.file)))
      }))
      state = { files: new Map(read.flatMap(({ kept }) => kept.map((each) => [each.now.file, each] as const))), walks }
      const next = assemble(read.map((folder) => ({ ...folder, readings: folder.kept.map(({ used }) => used) })))
      const invalid = yield* offerTools(toolset, next, toTools(next.files, telling, config))
      yield* show({ ...next, problems: [...next.problems, ...invalid] })
    })

    const oneAtATime = yield* Effect.makeSemaphore(1)
    /** Folders that are all gone for the moment keep their tools. */
    const look = oneAtATime.withPermits(1)(
      Effect.catchAll(orUnreadable(folders.join(", "), lookAt), (error) =>
        Effect.suspend(() => {
          const others = found.problems.filter(({ rule }) => rule !== "unreadable-folder")
          const missing = fileError(error.file, "unreadable-folder", `${error.message}; its tools stay as they were`)
          return show({ ...found, problems: [...others, missing] })
        })
      )
    )
    yield* oneAtATime.withPermits(1)(lookAt)
    yield* Effect.forEach(
      folders,
      (folder) => {
        // What changes while it is read is noticed afterwards.
        const again = Effect.flatMap(walk(folder, linkRoots), (now) => Effect.as(look, now))
        return Effect.forkScoped(follow(folder, state.walks.get(folder) ?? nowhere, again, interval, linkRoots))
      },
      { discard: true }
    )
    // What could not be loaded is loaded anew by the next call: what it imports may be there now.
    const reload = Effect.flatMap(loading.failed, (failed) =>
      Effect.forEach(failed, executor.forget, { discard: true })
    ).pipe(Effect.zipRight(Effect.provide(look, services)))
    return { toolset, current, reload }
  })

/** Whose interpreters have loaded what is no longer so: a file itself, or what it may import. */
const outdated = (files: State["files"], changes: ReadonlyArray<string>): ReadonlyArray<string> => {
  const tools = changes.filter((file) => files.has(file))
  const isAnyLibrary = changes.some((file) => !files.has(file) && mayBeImported(file))
  return [...files.values()].flatMap(({ now: { file, text } }) =>
    isAnyLibrary || tools.includes(file) || tools.some((other) => text?.includes(stemOf(other)) === true) ? [file] : []
  )
}

/** What a file says when it is run may be other than before when what it imports has changed. */
const isStill = (found: { readonly isRun: boolean } | undefined, changes: ReadonlyArray<string>): boolean =>
  changes.length === 0 || found?.isRun === false

const mayBeImported = (file: string): boolean => languageOf(file) === "python" || file.endsWith(".env")

const textOf = ({ file, message, place, subject }: Problem): string => JSON.stringify([file, place, subject, message])
