/**
 * A toolset that follows its folder.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { Toolset } from "@wield/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Subscribable from "effect/Subscribable"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Introspection from "../Introspection.js"
import type { Problem } from "@wield/core/Problem"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import type { UnreadableScript } from "../ScriptError.js"
import { assemble } from "./assemble.js"
import type { FactsOption } from "./facts.js"
import { follow, orUnreadable } from "./follow.js"
import { forgetChanged } from "./forget.js"
import { keep, type Kept } from "./keep.js"
import { list } from "./list.js"
import { makeLoading } from "./loading.js"
import { logProblems } from "./logProblems.js"
import { offerTools } from "./offerTools.js"
import { fileError } from "./problem.js"
import { readFile } from "./readFile.js"
import type { LoadOptions, ScriptFolder } from "./ScriptFolder.js"
import { type MadeTools, toTools } from "./toTools.js"
import { changed, walk, type Walk } from "./walk.js"
import { withoutGone } from "./withoutGone.js"

export interface LiveToolset extends Toolset.Toolset<Toolset.DynamicTools> {
  readonly folder: Subscribable.Subscribable<ScriptFolder>
  readonly problems: Subscribable.Subscribable<ReadonlyArray<Problem>>
  readonly reload: Effect.Effect<void>
}

export interface LiveOptions extends LoadOptions {
  readonly facts?: FactsOption | undefined
  readonly interval?: Duration.DurationInput | undefined
}

interface State {
  readonly files: ReadonlyMap<string, Kept>
  readonly walk: Walk
}

export const live = (
  folder: string,
  executor: ScriptExecutor,
  options: LiveOptions
): Effect.Effect<LiveToolset, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    const current = yield* SubscriptionRef.make<ScriptFolder>({ folder, scripts: [], problems: [] })
    const reading = {
      introspector: options.introspector ?? (yield* Introspection.make),
      kind: options.kind,
      roots: [folder, ...(options.linkRoots ?? [])]
    }
    const made: MadeTools = new WeakMap()
    let state: State = { files: new Map(), walk: { stamps: new Map(), folders: [] } }

    /** What was found when the folder was last read, without what calls have told since. */
    let found: ScriptFolder = yield* SubscriptionRef.get(current)
    const publishing = yield* Effect.makeSemaphore(1)
    const publish = publishing.withPermits(1)(
      Effect.gen(function* () {
        const known = new Set((yield* SubscriptionRef.get(current)).problems.map(textOf))
        const next = { ...found, problems: [...found.problems, ...loading.problems(found.scripts)] }
        yield* logProblems(next.problems.filter((problem) => !known.has(textOf(problem))))
        yield* SubscriptionRef.set(current, next)
      })
    )
    const show = (next: ScriptFolder) =>
      Effect.suspend(() => {
        found = next
        return publish
      })
    const loading = makeLoading(Effect.suspend(() => publish))
    const telling: ScriptExecutor = {
      ...executor,
      run: (script, scriptFunction, parameters) =>
        loading.told(script, executor.run(script, scriptFunction, parameters))
    }

    const readAfter = (now: Walk) =>
      Effect.gen(function* () {
        const listing = yield* list(folder, options.selection?.visibleTools)
        const readings = yield* Effect.forEach(
          listing.files,
          (file) => readFile(file, reading, state.files.get(file)?.now),
          { concurrency: 8 }
        )
        const kept = (yield* withoutGone(folder, readings)).map((next) => keep(next, state.files.get(next.file)))
        const before = state
        state = { files: new Map(kept.map((each) => [each.now.file, each])), walk: now }
        const next = assemble(
          folder,
          kept.map(({ used }) => used),
          options.selection,
          listing
        )
        const { problems, tools } = yield* toTools(next, telling, options.facts, made)
        const invalid = yield* offerTools(toolset, next, tools)
        yield* forgetChanged(executor, before.files, state.files, changed(before.walk, now))
        yield* show({ ...next, problems: [...next.problems, ...problems, ...invalid] })
        return now
      })

    // Before the files are read: what changes meanwhile, also in a folder that
    // is gone by then, is noticed afterwards.
    const walked = walk(folder, options.linkRoots)
    const oneAtATime = yield* Effect.makeSemaphore(1)
    /** A folder that is gone for the moment keeps its tools. */
    const look = oneAtATime.withPermits(1)(
      Effect.flatMap(walked, (now) =>
        Effect.catchAll(orUnreadable(folder, readAfter(now)), (error) =>
          Effect.gen(function* () {
            const others = found.problems.filter(({ rule }) => rule !== "unreadable-folder")
            const missing = fileError(folder, "unreadable-folder", `${error.message}; its tools stay as they were`)
            state = { ...state, walk: now }
            yield* show({ ...found, problems: [...others, missing] })
            return now
          })
        )
      )
    )
    const first = yield* oneAtATime.withPermits(1)(Effect.flatMap(walked, readAfter))
    yield* Effect.forkScoped(follow(folder, first, look, options.interval ?? "2 seconds", options.linkRoots ?? []))
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const folders: Subscribable.Subscribable<ScriptFolder> = current
    return Object.assign(toolset, {
      folder: folders,
      problems: Subscribable.make({
        get: Effect.map(folders.get, ({ problems }) => problems),
        // Folders change that have the same problems, or none, as before.
        changes: Stream.changesWith(
          Stream.map(folders.changes, ({ problems }) => problems),
          areSame
        )
      }),
      // What could not be loaded is loaded anew by the next call: what it imports may be there now.
      reload: Effect.flatMap(loading.failed, (failed) =>
        Effect.forEach(failed, executor.forget, { discard: true })
      ).pipe(Effect.zipRight(Effect.provide(look, services)), Effect.asVoid)
    })
  })

const areSame = (left: ReadonlyArray<Problem>, right: ReadonlyArray<Problem>): boolean =>
  left.map(textOf).join() === right.map(textOf).join()

const textOf = ({ file, message, place, subject }: Problem): string => JSON.stringify([file, place, subject, message])
