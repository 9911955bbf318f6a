/** Starts the program that serves Bash, and tells it calls as the pool does. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Readable, Writable } from "node:stream"
import { introspectBash } from "../../src/bash/introspect.js"
import { bashProgram } from "../../src/bash/program.js"
import type { Mode, ProgramScript } from "../../src/worker/Program.js"
import type { Reply } from "../../src/worker/Reply.js"
import type { Source } from "../../src/syntax/Source.js"

export const bash = "/usr/bin/bash"

export const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/bash/${name}`, import.meta.url), "utf8")

/** With the grammar loaded once. */
const introspection = Effect.runSync(Effect.cached(introspectBash))

export const read = (text: string, kind: Source["kind"] = "tool", file = "tools/get-weather.sh") =>
  Effect.flatMap(introspection, (introspect) => introspect({ file, text, kind }))

export interface ServeOptions {
  /** The scripts, by the name of their file. */
  readonly scripts: { readonly [name: string]: string }
  readonly kind?: Source["kind"]
  readonly mode?: Mode
  readonly flags?: ReadonlyArray<string>
  readonly environment?: { readonly [name: string]: string }
}

export interface ToolCall {
  readonly script?: string
  readonly entry?: string
  readonly environment?: { readonly [name: string]: string }
}

export interface Heard {
  readonly reply: Reply
  readonly standardOutput: string
  readonly standardError: string
  /** The process group that `ready` had named. */
  readonly group: number
}

export interface Served {
  readonly folder: string
  readonly pid: number
  /** The group of the call that is, or will be, served. */
  readonly group: () => Effect.Effect<number>
  readonly call: (parameters?: Json.JsonObject, call?: ToolCall) => Effect.Effect<Heard, string>
  readonly reply: Effect.Effect<Reply>
  readonly close: Effect.Effect<void>
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }>
}

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "wield-bash-")))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const serve = (options: ServeOptions) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const scripts = yield* Effect.forEach(Object.entries(options.scripts), ([name, text]) =>
      Effect.map(read(text, options.kind, join(folder, name)), ({ functions }): ProgramScript => {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
        return { file: join(folder, name), text, functions }
      })
    )
    const program = bashProgram({
      command: bash,
      arguments: options.flags ?? [],
      mode: options.mode ?? "fork",
      kind: "script",
      scripts,
      config: null
    })
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(program.command, program.arguments, {
          cwd: folder,
          detached: true,
          env: { PATH: process.env["PATH"], ...options.environment },
          stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"]
        })
      ),
      // The process that it has started ahead for the next call ends with descriptor 3.
      (process) =>
        Effect.sync(() => {
          process.kill("SIGKILL")
          for (const stream of process.stdio) stream?.destroy()
        })
    )
    const [, output, error, to, from] = child.stdio
    if (!(to instanceof Writable) || !(from instanceof Readable) || output === null || error === null) {
      return yield* Effect.dieMessage("no descriptors")
    }
    to.on("error", () => undefined)
    to.write(program.load)
    const outputs = readerOf(output)
    const errors = readerOf(error)
    const replies = readerOf(from)
    const ended = new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) =>
      child.on("exit", (code, signal) => resolve({ code, signal }))
    )
    const reply = Effect.map(replies.until("\n"), (line): Reply => JSON.parse(line))
    let ready = 0
    let count = 0
    const group = (): Effect.Effect<number> =>
      ready !== 0
        ? Effect.succeed(ready)
        : Effect.flatMap(reply, (said) => {
            if (said.type !== "ready") return Effect.dieMessage(`expected ready, heard ${JSON.stringify(said)}`)
            ready = said.pid
            return Effect.succeed(ready)
          })
    const served: Served = {
      folder,
      pid: child.pid ?? 0,
      group,
      reply,
      close: Effect.sync(() => to.end()),
      ended: Effect.promise(() => ended),
      call: (parameters = {}, { entry = "main", environment = {}, script } = {}) =>
        Effect.gen(function* () {
          const leader = yield* group()
          const marker = `marker-${++count}`
          const encoded = program.encodeCall({
            file: script === undefined ? (scripts[0]?.file ?? "") : join(folder, script),
            entry,
            arguments: parameters,
            environment,
            marker
          })
          if (Either.isLeft(encoded)) return yield* Effect.fail(encoded.left)
          ready = 0
          to.write(encoded.right)
          const said = yield* reply
          const mark = `\n${marker}\n`
          return {
            reply: said,
            standardOutput: yield* outputs.until(mark),
            standardError: yield* errors.until(mark),
            group: leader
          }
        })
    }
    return served
  })

const readerOf = (stream: Readable) => {
  let bytes = Buffer.alloc(0)
  const chunks: Array<Buffer> = []
  let wake = (): void => undefined
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    wake()
  })
  const until = (end: string): Effect.Effect<string> =>
    Effect.async<void>((resume) => {
      wake = () => resume(Effect.void)
      if (chunks.length > 0) wake()
    }).pipe(
      Effect.when(() => bytes.indexOf(end) < 0),
      Effect.tap(() => {
        bytes = Buffer.concat([bytes, ...chunks.splice(0)])
      }),
      Effect.repeat({ until: () => bytes.indexOf(end) >= 0 }),
      Effect.map(() => {
        const at = bytes.indexOf(end)
        const text = bytes.subarray(0, at).toString()
        bytes = bytes.subarray(at + Buffer.byteLength(end))
        return text
      })
    )
  return { until }
}
