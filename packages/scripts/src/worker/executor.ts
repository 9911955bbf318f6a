/** Serves calls of scripts by workers, and makes a result of how each call ended. */
import type { Json } from "@wield/core"
import * as Guardian from "@wield/process/Guardian"
import * as Pipes from "@wield/process/Pipes"
import * as ProcessGuard from "@wield/process/ProcessGuard"
import * as ProcessTable from "@wield/process/ProcessTable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Clock, Scope } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { LimitExceeded, ScriptNotStarted, type ExecutionError } from "../ExecutionError.js"
import type { ExecutionOptions } from "../ExecutionOptions.js"
import { fileError } from "../folder/problem.js"
import { isExportable } from "../process/environment.js"
import { kindOf, makeInterpreters, type Kind } from "../process/interpreter.js"
import { temporaryFolder } from "../process/temporaryFolder.js"
import type { Script } from "../Script.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import {
  makeGroup,
  variablesOf,
  type Group,
  type GroupOptions,
  type Host,
  type Member,
  type Unavailable
} from "./group.js"
import { makeOutputPath, removeOutputFile } from "./outputFile.js"
import { findMissing } from "./requirements.js"
import { toResult } from "./result.js"
import { makeSettings, modeOf, type Settings } from "./settings.js"
import type { Worker } from "./Worker.js"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"

/** The workers of one script, or of all scripts of one language in one folder. */
interface Entry {
  readonly group: Group
  readonly options: GroupOptions
}

/** One call, whatever kind of file it is for. */
interface Called {
  readonly tool: string
  readonly file: string
  readonly entry: string
  readonly parameters: Json.JsonObject
}

const notStarted = (tool: string, settings: Settings, { detail, reason, standardError }: Unavailable): ExecutionError =>
  reason === "loading"
    ? new LimitExceeded({ tool, limit: "time", allowed: Duration.toMillis(settings.loading), standardError })
    : new ScriptNotStarted({ tool, reason, detail, standardError })

/** A name that may come from a stranger, as the name of a folder: another one for each, so that no tool finds what another has kept. */
const folderName = (tool: string): string => {
  const name = tool.replace(/[^\w.-]|^\./gu, (character) =>
    Buffer.from(character).toString("hex").replace(/../g, "%$&")
  )
  return name.length <= longestName ? name : createHash("sha256").update(tool).digest("hex")
}

/** A file system takes 255 bytes. */
const longestName = 200

/** Folders of agents lie in `agents` of the root, as that of the tools lies in the root. */
const rootAbove = (scripts: string): string => {
  const above = dirname(scripts)
  return basename(above) === "agents" ? dirname(above) : above
}

/** In Bash, what is too long to be exported is a variable of the script alone; other languages have their arguments. */
const rawArguments = (kind: Kind, parameters: Json.JsonObject): { readonly [name: string]: string } => {
  const text = Either.try(() => JSON.stringify(parameters))
  // What nests too deeply to be written is refused where the call is encoded.
  if (Either.isLeft(text)) return {}
  return kind === "bash" || isExportable("LLM_TOOL_RAW_JSON", text.right) ? { LLM_TOOL_RAW_JSON: text.right } : {}
}

export const makeExecutor = (options: ExecutionOptions): Effect.Effect<ScriptExecutor, never, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = makeSettings(options)
    const folder = yield* temporaryFolder
    const guardian = yield* Guardian.make(folder)
    const guard = yield* ProcessGuard.make(settings)
    const limitTime = yield* makeDeadlines(settings.time)
    const leftBehind = yield* makeLeftovers
    const host: Host = {
      settings,
      runtime: yield* Effect.runtime(),
      clock: yield* Effect.clock,
      pipes: Pipes.make(folder),
      guarded: guardian.variables,
      watch: (call) => {
        const unguard = guard(call)
        const unlimit = limitTime(() => call.exceed("time"))
        return () => {
          unguard()
          unlimit()
        }
      },
      findInterpreter: makeInterpreters(settings.interpreters, settings.workingDirectory),
      rootOf: (scripts) => resolve(settings.root ?? rootAbove(scripts))
    }
    const entries = new Map<string, Entry>()
    /** Those too that have no more calls but that which runs. */
    const groups = new Set<Group>()
    /** What has all that it requires. */
    const verified = new WeakSet<Member>()

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => Effect.forEach([...groups], ({ close }) => close, { concurrency: "unbounded" }))
    )

    const retire = (key: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const group = entries.get(key)?.group
        entries.delete(key)
        if (group === undefined) return Effect.void
        const drained = Effect.zipRight(
          group.retire,
          Effect.sync(() => groups.delete(group))
        )
        return Effect.asVoid(Effect.forkDaemon(drained))
      })

    const open = (key: string, groupOptions: GroupOptions): Effect.Effect<Entry> =>
      Effect.map(retire(key), () => {
        const entry = { group: makeGroup(host, groupOptions), options: groupOptions }
        groups.add(entry.group)
        entries.set(key, entry)
        return entry
      })

    const cacheOf = (tool: string, file: string): Either.Either<string, string> => {
      const path = join(resolve(settings.cache ?? join(host.rootOf(dirname(file)), "cache")), folderName(tool))
      return Either.try({
        try: () => {
          // Looked at each time: a tool may clear its cache by removing the folder.
          if (!existsSync(path)) mkdirSync(path, { recursive: true })
          return path
        },
        catch: () => "the folder of its cache cannot be made; name one that can be written to in `cache`"
      })
    }

    const serve = (entry: Entry, called: Called): Effect.Effect<Json.Json, ExecutionError> =>
      Effect.suspend(() => {
        const { entry: name, file, parameters, tool } = called
        const { kind, programKind } = entry.options
        const cache = cacheOf(tool, file)
        if (Either.isLeft(cache)) {
          return new ScriptNotStarted({ tool, reason: "internal", detail: cache.left, standardError: "" })
        }
        // Before there is the folder that the guardian removes.
        guardian.variables()
        const outputFile = makeOutputPath(folder)
        const call = {
          file,
          entry: name,
          arguments: parameters,
          environment: {
            LLM_OUTPUT: outputFile,
            LLM_TOOL_NAME: tool,
            LLM_TOOL_CACHE_DIR: cache.right,
            ...rawArguments(kind, parameters)
          }
        }
        const allowed = {
          time: Duration.toMillis(settings.time),
          output: settings.output,
          processes: settings.processes,
          memory: settings.memory ?? Infinity
        }
        const isPrinted = kind === "bash"
        const tell = entry.group.use((worker) =>
          Effect.map(worker.call({ call, output: settings.output, isOutputKept: isPrinted }), (answered) => {
            leftBehind(worker)
            return { answered, redaction: worker.redaction }
          })
        )
        /** A worker may have been ended by others while it waited: what it never read can go to another. */
        const attempt = (left: number): Effect.Effect<Json.Json, ExecutionError | Unavailable> =>
          Effect.flatMap(tell, ({ answered, redaction }) => {
            if (Either.isLeft(answered)) {
              return new ScriptNotStarted({ tool, reason: "argument", detail: answered.left, standardError: "" })
            }
            const { cause } = answered.right
            if (cause.type === "ended" && cause.isUntold && left > 0) return attempt(left - 1)
            return toResult(answered.right, { tool, kind: programKind, isPrinted, outputFile, allowed, redaction })
          })
        return attempt(settings.workers).pipe(
          Effect.mapError((error) => (error._tag === "Unavailable" ? notStarted(tool, settings, error) : error)),
          Effect.onInterrupt(() => Effect.sync(() => removeOutputFile(outputFile)))
        )
      })

    const memberOf = (script: Script): Member => ({ ...script, file: resolve(script.file) })

    const keyOf = (script: Member, language: Script["language"]): string =>
      settings.workersPer === "script"
        ? `script\0${script.file}`
        : ["language", kindOf(language), dirname(script.file), ...(script.shebang ?? [])].join("\0")

    /** The group whose workers have loaded this very text. */
    const entryOf = (script: Script): Effect.Effect<Entry> => {
      const member = memberOf(script)
      const key = keyOf(member, script.language)
      const entry = entries.get(key)
      const loaded = entry?.options.scripts.find(({ file }) => file === member.file)
      if (entry !== undefined && loaded?.text === member.text) return Effect.succeed(entry)
      const others = entry?.options.scripts.filter(({ file }) => file !== member.file) ?? []
      const kind = kindOf(script.language)
      return open(key, {
        kind,
        mode: modeOf(settings.isolation, kind),
        programKind: "script",
        scripts: [member, ...others],
        config: null
      })
    }

    /** Whether a script has what it requires; found out until it has. */
    const verify = (tool: string, { options: { scripts } }: Entry, file: string): ScriptNotStarted | undefined => {
      const member = scripts.find((script) => script.file === file)
      if (member === undefined || verified.has(member)) return undefined
      const [missing] = findMissing(member, variablesOf(host, [member]), settings.workingDirectory)
      if (missing === undefined) {
        verified.add(member)
        return undefined
      }
      return new ScriptNotStarted({ tool, reason: missing.reason, detail: missing.detail, standardError: "" })
    }

    return {
      run: (script, { entry: name, name: tool }, parameters) =>
        Effect.suspend(() => {
          const file = resolve(script.file)
          return Effect.flatMap(
            entryOf(script),
            (entry) => verify(tool, entry, file) ?? serve(entry, { tool, file, entry: name, parameters })
          )
        }),

      runFunctionFile: ({ file, text }, name, parameters, config) =>
        Effect.suspend(() => {
          const path = resolve(file)
          const key = `function-file\0${path}`
          const entry = entries.get(key)
          const isLoaded =
            entry?.options.scripts[0].text === text &&
            (entry.options.config === config || JSON.stringify(entry.options.config) === JSON.stringify(config))
          const member: Member = {
            file: path,
            text,
            functions: [],
            shebang: undefined,
            requiredTools: [],
            environment: []
          }
          const found =
            entry !== undefined && isLoaded
              ? Effect.succeed(entry)
              : open(key, { kind: "python", mode: "keep", programKind: "function-file", scripts: [member], config })
          return Effect.flatMap(found, (opened) => serve(opened, { tool: name, file: path, entry: name, parameters }))
        }),

      check: (script) =>
        Effect.gen(function* () {
          const member = memberOf(script)
          const kind = kindOf(script.language)
          const variables = variablesOf(host, [member])
          const interpreter = yield* Effect.either(
            host.findInterpreter({ kind, file: member.file, shebang: script.shebang, variables })
          )
          const firstLine = script.shebang === undefined ? {} : { place: { line: 1, column: 1 } }
          const missing = findMissing(script, variables, settings.workingDirectory)
          return [
            ...(Either.isLeft(interpreter)
              ? [fileError(script.file, "interpreter-missing", interpreter.left.detail, firstLine)]
              : []),
            ...missing.map(({ detail, reason, ...at }) => fileError(script.file, reason, detail, at))
          ]
        }),

      forget: (file) =>
        Effect.suspend(() => {
          const path = resolve(file)
          const isOf = ({ options }: Entry) => options.scripts.some((script) => script.file === path)
          const keys = [...entries].flatMap(([key, entry]) => (isOf(entry) ? [key] : []))
          return Effect.forEach(keys, retire, { discard: true })
        })
    } satisfies ScriptExecutor
  })

const interval = 1000

/** Returns what to call after a worker's call. */
const makeLeftovers: Effect.Effect<(worker: Worker) => void, never, Scope.Scope> = Effect.gen(function* () {
  const called = new Map<string, Worker>()
  let timer: NodeJS.Timeout | undefined

  const look = () => {
    timer = undefined
    const idle = new Map([...called].filter(([, worker]) => worker.needed() !== undefined))
    // One that is busy is looked at when its call is over.
    ProcessTable.killMarked((mark) => idle.get(mark)?.needed())
    for (const mark of idle.keys()) called.delete(mark)
    plan()
  }
  const plan = () => {
    if (timer === undefined && called.size > 0) timer = setTimeout(look, interval).unref()
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      called.clear()
      clearTimeout(timer)
    })
  )
  return (worker) => {
    if (worker.mode !== "fork" && worker.mode !== "reset") return
    called.set(worker.mark, worker)
    plan()
  }
})

/** Returns what to call when a call begins, with what to do when its time is over; that returns what ends the wait. */
const makeDeadlines = (
  time: Duration.Duration
): Effect.Effect<(exceeded: () => void) => () => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const clock: Clock.Clock = yield* Effect.clock
    // Of a clock that is never set.
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000
    const allowed = Duration.toMillis(time)
    /** When each call is due, the first first. */
    const due = new Map<object, { readonly at: number; readonly exceeded: () => void }>()
    let waiter: Fiber.RuntimeFiber<void> | undefined
    let isWaiting = false

    const wait: Effect.Effect<void> = Effect.suspend(() => {
      const at = now()
      for (const [key, call] of due) {
        if (call.at > at) return Effect.zipRight(Effect.sleep(call.at - at), wait)
        due.delete(key)
        call.exceeded()
      }
      isWaiting = false
      return Effect.void
    })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        due.clear()
        return waiter === undefined ? Effect.void : Fiber.interrupt(waiter)
      })
    )
    return (exceeded) => {
      const key = {}
      due.set(key, { at: now() + allowed, exceeded })
      if (Number.isFinite(allowed) && !isWaiting) {
        // The fiber may have begun, and even ended, when it is given.
        isWaiting = true
        waiter = Runtime.runFork(runtime, wait)
      }
      return () => void due.delete(key)
    }
  })
