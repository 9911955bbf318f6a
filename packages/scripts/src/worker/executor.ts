/** Serves calls of scripts by workers, and makes a result of how each call ended. */
import type { Json } from "@wield/core"
import { toText } from "@wield/core/Options"
import * as Guardian from "@wield/process/Guardian"
import * as Pipes from "@wield/process/Pipes"
import * as ProcessGuard from "@wield/process/ProcessGuard"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Scope } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { LimitExceeded, ScriptNotStarted, type ExecutionError } from "../ExecutionError.js"
import type { ExecutionOptions } from "../ExecutionOptions.js"
import { fileError } from "../folder/problem.js"
import { isExportable } from "../process/environment.js"
import { kindOf, makeInterpreters, type Kind } from "../process/interpreter.js"
import { temporaryFolder } from "../process/temporaryFolder.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import { makeDeadlines, makeLeftovers } from "./afterCalls.js"
import { type Host, type Member, type Unavailable, variablesOf } from "./group.js"
import { type Entry, Groups } from "./Groups.js"
import { makeOutputPath, removeOutputFile } from "./outputFile.js"
import { findMissing } from "./requirements.js"
import { toResult } from "./result.js"
import { checkOptions, makeSettings, type Settings } from "./settings.js"

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
    const problem = checkOptions(options)
    if (problem !== undefined) return yield* Effect.die(new TypeError(`How scripts are run: ${toText(problem)}`))
    const settings = makeSettings(options)
    const folder = yield* temporaryFolder
    const guardian = yield* Guardian.make(folder)
    const guard = yield* ProcessGuard.make({
      processes: settings.processes,
      memory: settings.memory,
      output: settings.output
    })
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
    const groups = yield* Groups.make(host)
    /** What has all that it requires. */
    const verified = new WeakSet<Member>()

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
      run: (script, called, parameters) =>
        Effect.suspend(() => {
          const { entry: name, name: tool } = called
          const file = resolve(script.file)
          return Effect.flatMap(
            groups.ofScript(script, called),
            (entry) => verify(tool, entry, file) ?? serve(entry, { tool, file, entry: name, parameters })
          )
        }),

      runFunctionFile: ({ file, text }, name, parameters, config) =>
        Effect.suspend(() => {
          const path = resolve(file)
          return Effect.flatMap(groups.ofFunctionFile(path, text, config), (entry) =>
            serve(entry, { tool: name, file: path, entry: name, parameters })
          )
        }),

      check: (script) =>
        Effect.gen(function* () {
          const member: Member = { ...script, file: resolve(script.file) }
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

      forget: (file) => groups.forget(file)
    } satisfies ScriptExecutor
  })
