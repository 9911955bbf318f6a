/**
 * A toolset that follows folders of files, whatever their format: it reads what
 * has changed, keeps the last good version of a broken file, and ends
 * interpreters that have loaded what is outdated.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Toolset from "@wield/core/Toolset"
import { ToolNameCollision } from "@wield/core/ToolsetError"
import { isError, type Problem } from "@wield/core/Problem"
import type { Duration, Scope } from "effect"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Subscribable from "effect/Subscribable"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { UnreadableScript } from "../ScriptError.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import * as Files from "./files.js"
import type { FolderReading, Format, Held, Reading, Source } from "./files.js"
import { failOnDefect, follow } from "./follow.js"
import { languageOf, nameOf, stemOf } from "./languages.js"
import { fileError, fileWarning, logProblems } from "./problem.js"
import { changesBetween, languagesOf, type Walk, walk } from "./walk.js"
import type { ExecutionError } from "../ExecutionError.js"

/** Files of some folders as one collection. */
export interface Collection {
  readonly problems: ReadonlyArray<Problem>
}

/** Tools, and what keeps others from being some. */
export interface Made {
  readonly tools: ReadonlyArray<Toolset.DynamicTool>
  readonly problems: ReadonlyArray<Problem>
}

/** How the files of some folders become tools. */
export interface Kind<Found extends Held, All extends Collection> {
  readonly format: Format<Found>
  readonly toolsOf: (found: Found) => ReadonlyArray<{ readonly name: string }>
  /** Whether a file was run to know its tools: what it imports may change them. */
  readonly isRun: (found: Found) => boolean
  readonly assemble: (folders: ReadonlyArray<FolderReading<Found>>) => All
  readonly filesOf: (all: All) => ReadonlyArray<Found>
}

export interface LiveOptions<All> {
  readonly folders: ReadonlyArray<string>
  readonly executor: Pick<ScriptExecutor, "forget">
  readonly interval: Duration.DurationInput | undefined
  /** The calls of the tools are watched to know which files could be loaded. */
  readonly toTools: (all: All, watch: ReturnType<typeof makeLoading>["watch"]) => Effect.Effect<Made>
}

export interface Live<All> extends Toolset.DynamicToolset {
  readonly folder: Subscribable.Subscribable<All>
  readonly problems: Subscribable.Subscribable<ReadonlyArray<Problem>>
  readonly reload: Effect.Effect<void>
}

/** The version of a file that was read, and the one that is used. */
interface Kept<Found> {
  readonly now: Reading<Found>
  readonly used: Reading<Found>
}

interface State<Found> {
  readonly files: ReadonlyMap<string, Kept<Found>>
  readonly walks: ReadonlyMap<string, Walk>
}

const nowhere: Walk = { stamps: new Map(), folders: [] }

export const live = <Found extends Held, All extends Collection>(
  kind: Kind<Found, All>,
  { executor, folders, interval = "2 seconds", toTools }: LiveOptions<All>
): Effect.Effect<Live<All>, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const path = yield* Path.Path
    const { format } = kind
    const roots = folders.map((folder) => path.resolve(folder))
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    let state: State<Found> = { files: new Map(), walks: new Map() }
    /** What was found when the folders were last read, without what calls have shown since. */
    let found = kind.assemble([])
    const current = yield* SubscriptionRef.make(found)
    const publishing = yield* Effect.makeSemaphore(1)
    const publish = publishing.withPermits(1)(
      Effect.gen(function* () {
        const known = new Set((yield* SubscriptionRef.get(current)).problems.map(textOf))
        const next = withProblems(found, [...found.problems, ...loading.problems(kind.filesOf(found))])
        yield* logProblems(next.problems.filter((problem) => !known.has(textOf(problem))))
        yield* SubscriptionRef.set(current, next)
      })
    )
    const show = (next: All) =>
      Effect.suspend(() => {
        found = next
        return publish
      })
    const loading = makeLoading(Effect.suspend(() => publish))

    const read = Effect.gen(function* () {
      // Before the files are read: what changes meanwhile is noticed afterwards.
      const walks = new Map(
        yield* Effect.forEach(folders, (folder) =>
          Effect.map(walk(folder, format.linkRoots), (now) => [folder, now] as const)
        )
      )
      const before = state
      state = { ...before, walks }
      const changes = folders.flatMap((folder) =>
        changesBetween(before.walks.get(folder) ?? nowhere, walks.get(folder) ?? nowhere)
      )
      const isTool = (file: string) =>
        before.files.has(file) || (roots.includes(path.dirname(file)) && Files.isListed(nameOf(file), format))
      // Before the files are read: some of them are run for it.
      yield* Effect.forEach(outdatedFiles(before.files, changes, isTool), executor.forget, { discard: true })
      const known = new Map(
        [...before.files.values()].flatMap(({ now }) =>
          changes.length === 0 || (now.found !== undefined && !kind.isRun(now.found)) ? [[now.file, now] as const] : []
        )
      )
      const kept = (yield* Files.readFolders(folders, format, known)).map((folder) => ({
        ...folder,
        kept: folder.readings.map((reading) => keep(reading, before.files.get(reading.file), kind.toolsOf))
      }))
      state = { files: new Map(kept.flatMap((each) => each.kept.map((one) => [one.now.file, one] as const))), walks }
      const next = kind.assemble(kept.map((each) => ({ ...each, readings: each.kept.map(({ used }) => used) })))
      const problems = yield* offerTools(kind, toolset, next, yield* toTools(next, loading.watch), folders)
      yield* show(withProblems(next, [...next.problems, ...problems]))
    })

    const oneAtATime = yield* Effect.makeSemaphore(1)
    /** Folders that are all gone for the moment keep their tools. */
    const look = oneAtATime.withPermits(1)(
      Effect.catchAll(failOnDefect(folders.join(", "), read), (error) =>
        Effect.suspend(() => {
          const others = found.problems.filter(({ rule }) => rule !== "unreadable-folder")
          const missing = fileError(error.file, "unreadable-folder", `${error.message}; its tools stay as they were`)
          return show(withProblems(found, [...others, missing]))
        })
      )
    )
    yield* oneAtATime.withPermits(1)(read)
    yield* Effect.forEach(
      folders,
      (folder) => {
        const walkOf = () => state.walks.get(folder) ?? nowhere
        const again = Effect.map(look, walkOf)
        return Effect.forkScoped(follow(folder, walkOf(), again, interval, format.linkRoots))
      },
      { discard: true }
    )
    const problems = Subscribable.make({
      get: Effect.map(SubscriptionRef.get(current), (all) => all.problems),
      // Folders change that have the same problems, or none, as before.
      changes: Stream.changesWith(
        Stream.map(current.changes, (all) => all.problems),
        (left, right) => left.map(textOf).join() === right.map(textOf).join()
      )
    })
    // What could not be loaded is loaded again by the next call: what it imports may be there now.
    const reload = Effect.flatMap(loading.failed, (failed) =>
      Effect.forEach(failed, executor.forget, { discard: true })
    ).pipe(Effect.zipRight(Effect.provide(look, services)))
    return Object.assign(toolset, { folder: current, problems, reload })
  })

const withProblems = <All extends Collection>(all: All, problems: ReadonlyArray<Problem>): All =>
  // Nothing but the problems is other.
  ({ ...all, problems }) as All

/** The files whose interpreters are outdated: the changed file, and files that may import it. */
const outdatedFiles = <Found extends Held>(
  files: State<Found>["files"],
  changes: ReadonlyArray<string>,
  isTool: (file: string) => boolean
): ReadonlyArray<string> => {
  const tools = changes.filter(isTool)
  const languages = new Set(changes.filter((file) => !isTool(file)).flatMap(languagesOf))
  return [...files.values()].flatMap(({ now: { file, text }, used }) => {
    const language = languageOf(file)
    if (language === undefined) return []
    const loaded = used.found?.text ?? text
    return tools.includes(file) ||
      languages.has(language) ||
      tools.some((other) => languagesOf(other).includes(language) && loaded?.includes(stemOf(other)) === true)
      ? [file]
      : []
  })
}

/** The version that was read, or the last good one where an error costs a tool that this one had. */
const keep = <Found extends Held>(
  now: Reading<Found>,
  before: Kept<Found> | undefined,
  toolsOf: Kind<Found, never>["toolsOf"]
): Kept<Found> => {
  const good = before?.used.found
  const names = new Set(now.found && toolsOf(now.found).map(({ name }) => name))
  if (good === undefined || !now.problems.some(isError) || toolsOf(good).every(({ name }) => names.has(name))) {
    return { now, used: now }
  }
  const kept = fileWarning(now.file, "kept-version", "The last version that could be read stays in use")
  return { now, used: { ...now, found: good, problems: [...now.problems, kept] } }
}

/** A toolset of a collection as it is. All that is wrong is logged, and is the toolset's `problems`. */
export const toToolset = <Found extends Held, All extends Collection>(
  kind: Pick<Kind<Found, All>, "filesOf" | "toolsOf">,
  all: All,
  made: Made,
  folders: ReadonlyArray<string>
): Effect.Effect<Toolset.DynamicToolset & Collection> =>
  Effect.gen(function* () {
    // Without tools there is nothing that could be wrong.
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    const problems = [...all.problems, ...(yield* offerTools(kind, toolset, all, made, folders))]
    yield* logProblems(problems)
    return Object.assign(toolset, { problems })
  })

/** Gives a toolset its tools. One whose schema no validator can take is a problem, and the others stay. */
const offerTools = <Found extends Held, All extends Collection>(
  kind: Pick<Kind<Found, All>, "filesOf" | "toolsOf">,
  toolset: Toolset.DynamicToolset,
  all: All,
  { problems, tools }: Made,
  folders: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Problem>> =>
  Effect.as(toolset.replace(tools), problems).pipe(
    Effect.catchAll((error) => {
      // The names of a collection's tools are distinct.
      if (error instanceof ToolNameCollision) return Effect.die(error)
      const others = tools.filter(({ name }) => name !== error.tool)
      const found = kind.filesOf(all).find((file) => kind.toolsOf(file).some(({ name }) => name === error.tool))
      const invalid = fileError(found?.file ?? folders[0] ?? "", "invalid-schema", error.message)
      return offerTools(kind, toolset, all, { tools: others, problems: [...problems, invalid] }, folders)
    })
  )

const textOf = ({ file, message, place, subject }: Problem): string => JSON.stringify([file, place, subject, message])

/**
 * Texts that were read well and could not be loaded by an interpreter, as failed calls have shown. `changed` is run when
 * there is another problem, or one less.
 */
const makeLoading = (changed: Effect.Effect<void>) => {
  const failures = new Map<string, { readonly text: string; readonly detail: string }>()

  /** Without `detail`, the text could be loaded. */
  const record = ({ file, text }: Source, detail?: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = failures.get(file)
      if ((before?.text === text ? before.detail : undefined) === detail) return Effect.void
      if (detail === undefined) failures.delete(file)
      else failures.set(file, { text, detail })
      return changed
    })

  const recordError = (source: Source, error: ExecutionError): Effect.Effect<void> => {
    if (error._tag === "ScriptRaised" || error._tag === "FunctionFailed") return record(source)
    const isImport = error._tag === "ScriptNotStarted" && error.reason === "import-failed"
    return isImport ? record(source, error.detail) : Effect.void
  }

  return {
    /** Runs a call of a file, and learns by it whether its text can be loaded. */
    watch: <A>(source: Source, call: Effect.Effect<A, ExecutionError>): Effect.Effect<A, ExecutionError> =>
      Effect.tapBoth(call, { onSuccess: () => record(source), onFailure: (error) => recordError(source, error) }),
    /** Of the texts that are in use; those of others are forgotten. */
    problems: (used: ReadonlyArray<Source>): ReadonlyArray<Problem> => {
      const texts = new Map(used.map(({ file, text }) => [file, text]))
      for (const [file, { text }] of failures) if (texts.get(file) !== text) failures.delete(file)
      return [...failures].map(([file, { detail }]) => {
        const message = `The file could not be loaded, and calls of its tools fail: ${detail}; mend it or what it imports. No earlier version is run in its place`
        return fileError(file, "import-failed", message)
      })
    },
    /** The files whose text could not be loaded. */
    failed: Effect.sync(() => [...failures.keys()])
  }
}
