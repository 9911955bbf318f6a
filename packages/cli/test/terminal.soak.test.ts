/** The command on a terminal: what it asks there, and what Ctrl-C and Ctrl-D do. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type IPty, spawn } from "@lydell/node-pty"
import { Effect } from "effect"
import { bundleOf } from "../../../test/programs.js"
import { codes } from "../src/ExitCode.js"
import { answerAsModel, greeter, listen, project, waitingConfig, wieldProcess } from "./wield.js"

const program = new URL("../bin/wield.js", import.meta.url)
const here = fileURLToPath(new URL("..", import.meta.url))

interface Session {
  /** Waits until the terminal shows the text, after what was waited for before. */
  readonly until: (text: string) => Effect.Effect<void>
  readonly type: (keys: string) => Effect.Effect<void>
  /** The exit code and all that was shown. */
  readonly ended: Effect.Effect<readonly [code: number, shown: string]>
}

const session = (
  given: ReadonlyArray<string>,
  { environment, folder }: { readonly environment: { readonly [name: string]: string }; readonly folder: string }
) =>
  Effect.gen(function* () {
    const bundle = yield* bundleOf(program)
    let shown = ""
    let seen = 0
    let code: number | undefined
    const waiting = new Set<() => void>()
    const changed = () => waiting.forEach((look) => look())
    const terminal = yield* Effect.acquireRelease(
      Effect.sync((): IPty => {
        const { CI: _, NO_COLOR: __, ...inherited } = process.env
        const env = { ...inherited, TERM: "xterm-256color", ...environment }
        const started = spawn(process.execPath, [bundle, ...given], { cwd: folder, cols: 200, rows: 50, env })
        started.onData((text) => {
          shown += text
          changed()
        })
        started.onExit(({ exitCode }) => {
          code = exitCode
          changed()
        })
        return started
      }),
      (started) => Effect.sync(() => code === undefined && started.kill("SIGKILL"))
    )
    const when = <A>(look: () => A | undefined) =>
      Effect.async<A>((resume) => {
        const check = () => {
          const found = look()
          if (found === undefined) return
          waiting.delete(check)
          resume(Effect.succeed(found))
        }
        waiting.add(check)
        check()
      })
    const ended = when(() => (code === undefined ? undefined : ([code, shown] as const)))
    return {
      until: (text) =>
        Effect.flatMap(
          when(() => (shown.indexOf(text, seen) >= 0 || code !== undefined ? shown.indexOf(text, seen) : undefined)),
          (at) => {
            if (at < 0) return Effect.dieMessage(`It ended with ${code} and without ${text}: ${shown}`)
            seen = at + text.length
            return Effect.void
          }
        ),
      type: (keys) => Effect.sync(() => terminal.write(keys)),
      ended
    } satisfies Session
  })

const enter = "\r"
const ctrlC = "\x03"
const ctrlD = "\x04"

describe("wield call on a terminal", () => {
  it.scopedLive("asks before a call, and runs it, or says why not", () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project(greeter("http://127.0.0.1:1", "ask"))
      yield* wield(["trust"])
      for (const [reply, code, text] of [
        ["y", codes.done, "Hello, Ada"],
        ["not today", codes.denied, "not today"]
      ] as const) {
        const { ended, type, until } = yield* session(["call", "greet", "name=Ada"], { environment, folder })
        yield* until("Run it?")
        yield* type(`${reply}${enter}`)
        yield* until(text)
        assert.strictEqual((yield* ended)[0], code)
      }
    })
  )

  it.scopedLive("interrupts the handler with Ctrl-C, also while it asks", () =>
    Effect.gen(function* () {
      const { environment, folder } = yield* project({ "wield.config.ts": waitingConfig }, here)
      const running = yield* session(["call", "wait", "--trust"], { environment, folder })
      yield* running.until("waiting")
      yield* running.type(ctrlC)
      assert.strictEqual((yield* running.ended)[0], 130)
      assert.isTrue(existsSync(`${folder}/released.txt`))
      const asking = yield* session(["call", "wait"], { environment, folder })
      yield* asking.until("[y/N]")
      yield* asking.type(ctrlC)
      assert.strictEqual((yield* asking.ended)[0], 130)
    })
  )
})

it.scopedLive("What was typed before a question is no answer to it", () =>
  Effect.gen(function* () {
    const { environment, folder } = yield* project({ "wield.config.mjs": "export default { tools: [] }" }, here)
    const { ended, type, until } = yield* session(["list"], { environment, folder })
    yield* type(`y${enter}y`)
    yield* until("[y/N] ")
    yield* type(enter)
    assert.strictEqual((yield* ended)[0], codes.unusable)
    const answered = yield* session(["list"], { environment, folder })
    yield* answered.until("[y/N] ")
    yield* answered.type(`y${enter}`)
    assert.strictEqual((yield* answered.ended)[0], codes.done)
  })
)

describe("wield chat", () => {
  it.scopedLive("takes the lines of a paste one by one", () =>
    Effect.gen(function* () {
      const { url } = yield* listen(answerAsModel)
      const { environment, folder, wield } = yield* project(greeter(url, "allow"))
      yield* wield(["trust"])
      const { ended, type, until } = yield* session(["chat"], { environment, folder })
      yield* until("> ")
      yield* type(`Greet Ada${enter}Greet her again${enter}`)
      yield* until("It said Hello, Ada")
      yield* until("> Greet her again")
      yield* until("It said Hello, Ada")
      yield* until("> ")
      yield* type(ctrlD)
      assert.strictEqual((yield* ended)[0], 0)
    })
  )

  it.scopedLive("takes lines, asks before a call, goes on, and ends with Ctrl-D", () =>
    Effect.gen(function* () {
      const { url } = yield* listen(answerAsModel)
      const { environment, folder, wield } = yield* project(greeter(url, "ask"))
      yield* wield(["trust"])
      const { ended, type, until } = yield* session(["chat"], { environment, folder })
      yield* until("> ")
      yield* type(`Greet Ada${enter}`)
      yield* until("Run it?")
      yield* type(`y${enter}`)
      yield* until("It said Hello, Ada")
      yield* until("> ")
      yield* type(`Greet her again${enter}`)
      yield* until("Run it?")
      yield* type(`{"name":"Bob"}${enter}`)
      yield* until("It said Hello, Bob")
      yield* until("> ")
      yield* type(ctrlD)
      assert.strictEqual((yield* ended)[0], 0)
    })
  )
})

it.scopedLive("Colours are for terminals, and not where NO_COLOR is set or the output is piped", () =>
  Effect.gen(function* () {
    const { environment, folder } = yield* project({})
    const colour = "\u001B["
    const onTerminal = yield* session(["--help"], { environment, folder })
    assert.include((yield* onTerminal.ended)[1], colour)
    const plain = yield* session(["--help"], { folder, environment: { ...environment, NO_COLOR: "1" } })
    assert.notInclude((yield* plain.ended)[1], colour)
    assert.notInclude((yield* wieldProcess(["--help"], { folder, environment })).output, colour)
  })
)
