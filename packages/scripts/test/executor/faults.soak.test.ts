import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, TestClock } from "effect"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually, makeExecutor } from "./scripts.js"

const sleeping = ({ command }: { readonly command: string }) => command.startsWith("sleep")

const descriptors = () => readdirSync("/proc/self/fd").length

/** Each writes the file first, then goes round. */
const loops = {
  python: "def run(begun):\n  open(begun, 'w').close()\n  while True: pass\n",
  javascript:
    "import { writeFileSync } from 'node:fs'\nexport function run(begun) { writeFileSync(begun, ''); for (;;); }\n",
  bash: 'main() { : > "$argc_begun"; while :; do :; done; }\n'
} as const

const greets = {
  python: "def run():\n  return 'hello'\n",
  javascript: "export function run() { return 'hello' }\n",
  bash: "main() { echo hello; }\n"
} as const

const languages = ["python", "javascript", "bash"] as const

describe.skipIf(process.platform !== "linux")(
  "what goes wrong in scripts (processes are counted in /proc: Linux)",
  () => {
    for (const language of languages) {
      it.scoped(`an infinite loop of ${language} is killed when its time is over, and other scripts go on`, () =>
        Effect.gen(function* () {
          const { processes, run, tools } = yield* makeExecutor({ limits: { time: "200 millis" } })
          const begun = join(tools, "begun")
          const loop = yield* Effect.fork(Effect.flip(run(language, loops[language], { begun }, { name: "loop" })))
          yield* eventually(() => existsSync(begun))
          yield* TestClock.adjust("200 millis")
          const error = yield* Fiber.join(loop)
          expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "time", allowed: 200, tool: "loop" })
          expect(yield* run(language, greets[language], {}, { name: "greet" })).toBe("hello")
          expect(processes().length).toBeGreaterThan(0)
        })
      )

      it.scopedLive(
        `interrupting a call of ${language} kills what it has started before the interruption is over`,
        () =>
          Effect.gen(function* () {
            const { processes, run } = yield* makeExecutor()
            const text = {
              python: "import subprocess\ndef run():\n  subprocess.run(['sleep', '60'])\n",
              javascript:
                "import { spawnSync } from 'node:child_process'\nexport function run() { spawnSync('sleep', ['60']) }\n",
              bash: "main() { sleep 60; }\n"
            }[language]
            const fiber = yield* Effect.fork(run(language, text))
            yield* eventually(() => processes().some(sleeping))
            const exit = yield* Fiber.interrupt(fiber)
            expect(Exit.isInterrupted(exit)).toBe(true)
            expect(processes().filter(sleeping)).toEqual([])
            expect(yield* run(language, greets[language], {}, { name: "greet" })).toBe("hello")
          })
      )
    }

    it.scoped("a worker whose call was stopped serves the next for as long as that takes", () =>
      Effect.gen(function* () {
        const { run, tools } = yield* makeExecutor({ limits: { time: "10 seconds" }, workers: { size: 1 } })
        const text =
          "import os, time\ndef run(begun, until):\n  open(begun, 'w').close()\n  while not os.path.exists(until): time.sleep(0.01)\n  return os.getppid()\n"
        const file = (name: string) => join(tools, name)
        const begin = (name: string) =>
          Effect.zipLeft(
            Effect.fork(run("python", text, { begun: file(`${name} begun`), until: file(`${name} ends`) })),
            eventually(() => existsSync(file(`${name} begun`)))
          )
        writeFileSync(file("first ends"), "")
        const worker = yield* Effect.flatMap(begin("first"), Fiber.join)
        const stopped = yield* begin("stopped")
        yield* TestClock.adjust("8 seconds")
        yield* Fiber.interrupt(stopped)
        const next = yield* begin("next")
        yield* TestClock.adjust("8 seconds")
        writeFileSync(file("next ends"), "")
        expect(yield* Fiber.join(next)).toBe(worker)
      })
    )

    it.scoped("the time of a call is that of Effect's clock", () =>
      Effect.gen(function* () {
        const { processes, run } = yield* makeExecutor()
        const fiber = yield* Effect.fork(Effect.flip(run("bash", "main() { sleep 60; }\n")))
        yield* eventually(() => processes().some(sleeping))
        yield* TestClock.adjust("119 seconds")
        expect(fiber.unsafePoll()).toBeNull()
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "LimitExceeded", limit: "time", allowed: 120_000 })
        expect(processes().filter(sleeping)).toEqual([])
      })
    )

    it.scopedLive("a fork bomb is killed when it has more processes than a call may have", () =>
      Effect.gen(function* () {
        const { processes, run } = yield* makeExecutor({ limits: { processes: 20 } })
        // It ends by itself at 512 processes, after three seconds.
        const bomb = "import os, time\ndef run():\n  for _ in range(9): os.fork()\n  time.sleep(3)\n"
        const error = yield* Effect.flip(run("python", bomb))
        expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "processes", allowed: 20 })
        yield* eventually(() => processes().length <= 3)
      })
    )

    it.scopedLive("a fork bomb whose processes leave the session is killed as well", () =>
      Effect.gen(function* () {
        const { processes, run } = yield* makeExecutor({ limits: { processes: 20 } })
        const bomb =
          "main() { for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5; do setsid sleep 3 & done; done; sleep 3; }\n"
        const error = yield* Effect.flip(run("bash", bomb))
        expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "processes" })
        expect(processes().filter(sleeping)).toEqual([])
      })
    )

    it.scopedLive("a fork bomb of orphans, which the program is given, is killed as well", () =>
      Effect.gen(function* () {
        const { processes, run } = yield* makeExecutor({ limits: { processes: 20 } })
        const bomb =
          "import subprocess, time\ndef run():\n  for _ in range(40): subprocess.run(['setsid', '-f', 'sleep', '3'])\n  time.sleep(3)\n"
        const error = yield* Effect.flip(run("python", bomb))
        expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "processes" })
        yield* eventually(() => !processes().some(sleeping))
      })
    )

    it.scopedLive("what takes more memory than a call may have is killed", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor({ limits: { memory: 100 * 1024 * 1024 } })
        const hungry = "import time\ndef run():\n  held = bytearray(b'x') * (200 * 1024 * 1024)\n  time.sleep(5)\n"
        const error = yield* Effect.flip(run("python", hungry))
        expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "memory", allowed: 100 * 1024 * 1024 })
      })
    )

    for (const [language, written, text] of [
      ["bash", "standardOutput", "main() { head -c 1073741824 /dev/zero; }\n"],
      ["python", "standardError", "import os\ndef run():\n  for _ in range(16384): os.write(2, b'x' * 65536)\n"]
    ] as const) {
      it.scopedLive(`a gigabyte of output of ${language} is cut off at the limit and does not fill memory`, () =>
        Effect.gen(function* () {
          const { run } = yield* makeExecutor({ limits: { output: 4 * 1024 * 1024 } })
          const before = process.memoryUsage().rss
          const error = yield* Effect.flip(run(language, text))
          expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "output", written, allowed: 4 * 1024 * 1024 })
          const stream = written === "standardOutput" ? "standard output" : "standard error"
          expect(error.message).toContain(` wrote more than 4 MiB to ${stream} and was stopped; `)
          expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024)
        })
      )
    }

    it.scopedLive("an answer over the limit is cut off before it is in memory", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor({ limits: { output: 1024 * 1024 } })
        const error = yield* Effect.flip(run("python", "def run():\n  return 'x' * (8 * 1024 * 1024)\n"))
        expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "output", written: "result" })
        expect(error.message).toContain(" gave a result of more than 1 MiB and was stopped; ")
      })
    )

    it.scopedLive("a worker killed from outside fails the call that it runs, and no other", () =>
      Effect.gen(function* () {
        const { processes, run, tools } = yield* makeExecutor()
        const other = run("javascript", greets.javascript, {}, { name: "greet" })
        expect(yield* other).toBe("hello")
        const [served] = processes()
        const waits =
          "import { writeFileSync } from 'node:fs'\nexport async function run(begun) { writeFileSync(begun, ''); await new Promise((done) => setTimeout(done, 60000)) }\n"
        const begun = join(tools, "begun")
        const fiber = yield* Effect.fork(Effect.flip(run("javascript", waits, { begun }, { name: "waits" })))
        yield* eventually(() => existsSync(begun))
        const victim = processes().find(({ pid }) => pid !== served?.pid)
        process.kill(victim?.pid ?? 0, "SIGKILL")
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "ScriptExited", signal: "SIGKILL" })
        expect(yield* other).toBe("hello")
      })
    )

    it.scopedLive("a worker that was killed while it waited is replaced", () =>
      Effect.gen(function* () {
        const { processes, run } = yield* makeExecutor()
        for (const language of languages) {
          const greet = run(language, greets[language], {}, { name: "greet" })
          expect(yield* greet).toBe("hello")
          for (const { pid } of processes()) {
            // Killing a parent may have ended it.
            if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGKILL")
          }
          yield* eventually(() => processes().length === 0)
          expect(yield* greet).toBe("hello")
        }
      })
    )

    for (const isDetached of [false, true]) {
      it.scopedLive(
        `a child left behind${isDetached ? " in a session of its own" : ""} is killed when the call is over`,
        () =>
          Effect.gen(function* () {
            const { processes, run } = yield* makeExecutor()
            const text = `import subprocess\ndef run():\n  return subprocess.Popen(['sleep', '60'], start_new_session=${isDetached ? "True" : "False"}).pid\n`
            const pid = yield* run("python", text)
            expect(pid).toBeTypeOf("number")
            yield* eventually(() => !processes().some(sleeping))
            expect(processes().length).toBeGreaterThan(0)
          })
      )
    }

    it.live("nothing is left when an executor is closed in the middle of calls", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { processes, run } = yield* makeExecutor().pipe(Scope.extend(scope))
        const text = "main() { setsid sleep 60 & sleep 60 & disown; sleep 60; }\n"
        const fibers = yield* Effect.forEach(["one", "two", "three"], (name) =>
          Effect.fork(run("bash", text, {}, { name }))
        )
        yield* eventually(() => processes().filter(sleeping).length === 9)
        yield* Scope.close(scope, Exit.void)
        expect(processes()).toEqual([])
        const exits = yield* Effect.forEach(fibers, Fiber.await)
        expect(exits.every(Exit.isFailure)).toBe(true)
      })
    )

    it.live("200 calls leave no descriptor, no process and no temporary file", () =>
      Effect.gen(function* () {
        const before = descriptors()
        const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("wield-scripts-")).length
        const scope = yield* Scope.make()
        const { processes, run } = yield* makeExecutor().pipe(Scope.extend(scope))
        const text = "import os\ndef run():\n  print('x')\n  open(os.environ['LLM_OUTPUT'], 'w').write('written')\n"
        const call = run("python", text)
        for (let index = 0; index < 5; index++) yield* call
        const warm = descriptors()
        for (let index = 0; index < 200; index++) expect(yield* call).toBe("written")
        expect(descriptors()).toBeLessThanOrEqual(warm + 16)
        expect(folders()).toBeGreaterThan(0)
        yield* Scope.close(scope, Exit.void)
        expect(processes()).toEqual([])
        expect(descriptors()).toBeLessThanOrEqual(before)
      })
    )

    it.scopedLive("bytes that are no UTF-8 are no result, and are replaced in what a failure tells", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor()
        expect(yield* Effect.flip(run("bash", "main() { printf 'a\\xffb'; }\n"))).toMatchObject({
          _tag: "UnreadableOutput"
        })
        expect(yield* Effect.flip(run("bash", "main() { printf 'a\\xffb' >&2; exit 3; }\n"))).toMatchObject({
          _tag: "ScriptExited",
          exitCode: 3,
          standardError: "a\ufffdb"
        })
      })
    )

    it.scopedLive("a missing interpreter is named, with what to do", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor({ interpreters: { python: "python-that-is-not-there" } })
        const error = yield* Effect.flip(run("python", greets.python))
        expect(error).toMatchObject({ _tag: "ScriptNotStarted", reason: "interpreter-missing" })
        expect(error.message).toContain("python-that-is-not-there")
        expect(error.message).toContain("install Python 3")
      })
    )

    it.scopedLive("temporary files are removed when the executor is closed", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { run } = yield* makeExecutor().pipe(Scope.extend(scope))
        const path = yield* run("bash", 'main() { echo kept > "$LLM_OUTPUT.other"; echo "$LLM_OUTPUT"; }\n')
        expect(existsSync(`${String(path)}.other`)).toBe(true)
        yield* Scope.close(scope, Exit.void)
        expect(existsSync(join(String(path), ".."))).toBe(false)
      })
    )
  }
)
