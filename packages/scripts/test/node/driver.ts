/** Starts the program that serves TypeScript and JavaScript, and tells it calls as the pool does. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { nodeProgram } from "../../src/javascript/program.js"
import type { Mode, ProgramOptions } from "../../src/worker/Program.js"
import type { Answer, Reply } from "../../src/worker/Reply.js"
import type { Parameter, ScriptFunction } from "../../src/Script.js"
import { Lines } from "@wield/process"

/** A folder with these files, removed with its scope. */
export const folderOf = (files: { readonly [name: string]: string }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "wield-node-")))
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

export interface ToolFunction {
  readonly entry?: string
  readonly parameters?: ReadonlyArray<string | Parameter>
  readonly passing?: ScriptFunction["passing"]
}

export const toolFunction = ({ entry = "run", parameters = [], passing = "named" }: ToolFunction): ScriptFunction => ({
  name: entry,
  entry,
  description: "A tool.",
  parameters: parameters.map((parameter) =>
    typeof parameter === "string" ? { name: parameter, schema: {}, isRequired: true } : parameter
  ),
  inputSchema: {},
  passing,
  place: { line: 1, column: 1 }
})

export interface ToolCall {
  readonly file?: string
  readonly entry?: string
  readonly arguments?: Json.JsonObject
  readonly environment?: { readonly [name: string]: string }
}

export interface Heard {
  readonly reply: Reply
  readonly standardOutput: string
  readonly standardError: string
}

export interface Served {
  readonly folder: string
  readonly pid: number
  /** What the first `ready` named; 0 where there was none. */
  readonly readyPid: number
  /** What was said before the first `ready`. */
  readonly loading: ReadonlyArray<Reply>
  readonly call: (call?: ToolCall) => Effect.Effect<Heard>
  /** How the program ended. */
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }>
  readonly send: (bytes: Uint8Array) => void
  /** Closes descriptor 3. */
  readonly close: () => void
}

export interface ServeOptions {
  readonly files: { readonly [name: string]: string }
  /** What the scripts say, where their files say something else. */
  readonly texts?: { readonly [name: string]: string }
  /** The scripts among the files, unless it is `tool.ts` alone. */
  readonly scripts?: ReadonlyArray<string>
  readonly functions?: ReadonlyArray<ToolFunction>
  readonly mode?: Mode
  readonly command?: string
  readonly flags?: ReadonlyArray<string>
}

export const serve = (options: ServeOptions) =>
  Effect.gen(function* () {
    const {
      command = process.execPath,
      files,
      flags = [],
      functions = [{}],
      mode = "reset",
      scripts = ["tool.ts"]
    } = options
    const folder = yield* folderOf(files)
    const made: ProgramOptions = {
      command,
      arguments: flags,
      mode,
      kind: "script",
      config: null,
      scripts: scripts.map((name) => ({
        file: join(folder, name),
        text: options.texts?.[name] ?? files[name] ?? "",
        functions: functions.map(toolFunction)
      }))
    }
    const program = yield* nodeProgram(made)
    const replies: Array<Reply> = []
    const printed = { standardOutput: "", standardError: "" }
    let wake = () => {}
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(program.command, program.arguments, {
          cwd: folder,
          env: { PATH: process.env["PATH"] ?? "", BASE: "base" },
          stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
          detached: true
        })
      ),
      (started) => Effect.sync(() => started.pid !== undefined && killGroup(started.pid))
    )
    const ended = new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) =>
      child.once("exit", (code, signal) => resolve({ code, signal }))
    )
    let isEnded = false
    // After its exit a process may still have something to say in its pipes.
    child.once("close", () => {
      isEnded = true
      wake()
    })
    // With `pipe` for all of them, each is a stream.
    const [, output, error, told, said] = child.stdio as unknown as [null, Readable, Readable, Writable, Readable]
    told.on("error", () => undefined)
    const lines = Lines.make((line) => {
      replies.push(JSON.parse(line) as Reply)
      wake()
    })
    said.on("data", (chunk: Buffer) => lines.push(chunk))
    output.setEncoding("utf8").on("data", (text: string) => {
      printed.standardOutput += text
      wake()
    })
    error.setEncoding("utf8").on("data", (text: string) => {
      printed.standardError += text
      wake()
    })
    const until = (isSo: () => boolean) =>
      Effect.promise(async () => {
        while (!isSo()) await new Promise<void>((resolve) => (wake = resolve))
      })
    const isReady = () => replies.some(({ type }) => type === "ready")
    told.write(program.load)
    yield* until(() => isReady() || isEnded)
    const readyPid = replies.find((reply) => reply.type === "ready")?.pid ?? 0
    const loading = replies.splice(0).filter(({ type }) => type !== "ready")
    let count = 0
    const call = (request: ToolCall = {}) =>
      Effect.gen(function* () {
        const marker = `marker-${count++}`
        const line = program.encodeCall({
          file: join(folder, request.file ?? scripts[0] ?? ""),
          entry: request.entry ?? functions[0]?.entry ?? "run",
          arguments: request.arguments ?? {},
          environment: request.environment ?? {},
          marker
        })
        told.write(Either.getOrThrow(line))
        yield* until(() => replies.length > 0 || isEnded)
        const reply = replies.shift() ?? { type: "exited", code: null, signal: null, isMarked: false }
        const isMarked = reply.type !== "ready" && reply.type !== "failed" && reply.isMarked
        const end = `\n${marker}\n`
        if (isMarked) {
          yield* until(() => printed.standardOutput.includes(end) && printed.standardError.includes(end))
        }
        const take = (name: keyof typeof printed) => {
          const [text = "", rest = ""] = printed[name].split(end)
          printed[name] = rest
          return text
        }
        const heard: Heard = { reply, standardOutput: take("standardOutput"), standardError: take("standardError") }
        const isLast = mode === "once" || ("retire" in reply && reply.retire !== undefined) || isEnded
        if (!isLast) {
          yield* until(() => isReady() || isEnded)
          replies.splice(0)
        }
        return heard
      })
    return {
      folder,
      pid: child.pid ?? 0,
      readyPid,
      loading,
      call,
      ended: Effect.promise(() => ended),
      send: (bytes) => void told.write(bytes),
      close: () => void told.end()
    } satisfies Served
  })

/** Serves one text as `tool.ts`, calls it as often as stated, and gives the replies. */
export const repliesOf = (text: string, calls = 1, options: Omit<ServeOptions, "files"> = {}) =>
  Effect.gen(function* () {
    const served = yield* serve({ ...options, files: { [options.scripts?.[0] ?? "tool.ts"]: text } })
    const replies: Array<Reply> = []
    for (let index = 0; index < calls; index++) replies.push((yield* served.call()).reply)
    return replies
  })

export const value = (given: Json.Json): Answer => ({ type: "value", value: given, isMarked: true })

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended, and all it had started with it.
  }
}
