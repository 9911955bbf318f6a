import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { shareInFile } from "../shareInFile.js"
import { temporaryFolder } from "../worker/temporaryFolder.js"
import { pythonProgram } from "../../src/python/program.js"
import type { Mode, ProgramCall } from "../../src/worker/Program.js"
import { python, said, startPython, text, value } from "./python.js"

const script = `
import json, os, signal, subprocess, sys, threading, time

count = 0

def state():
    return [count, os.environ.get("CHANGED"), os.getcwd(), json.dumps([1]), sys.path[0], os.environ.get("LLM_TOOL_NAME")]

def change():
    global count
    count += 1
    os.environ["CHANGED"] = "yes"
    os.chdir("/")
    os.umask(0)
    json.dumps = json.dump = json.JSONEncoder.encode = lambda *a, **k: "broken"
    json.JSONEncoder.iterencode = json.decoder.scanstring = None
    sys.path.insert(0, "/elsewhere")
    os.write = os.read = None
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return {"changed": True}

def leave(code=None):
    print("before")
    sys.exit(code)

def leave_at_once():
    print("printed", flush=True)
    os._exit(3)

def crash():
    import ctypes
    ctypes.string_at(0)

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def abort():
    os.abort()

def wait_for(begun, end):
    with open(begun, "w") as file:
        file.write("begun")
    while not os.path.exists(end):
        time.sleep(0.01)
    return "waited"

def fork():
    pid = os.fork()
    if pid == 0:
        print("the other one")
        return "from the other one"
    os.waitpid(pid, 0)
    return "from the one that was called"

def fork_and_exit():
    if os.fork() == 0:
        sys.exit(5)
    os.wait()
    return "stayed"

def threads():
    written = []
    thread = threading.Thread(target=lambda: (time.sleep(0.05), print("from the thread")))
    thread.start()
    return "answered"

def at_end():
    import atexit
    atexit.register(lambda: print("at the end"))
    return "answered"

def daemon():
    def run():
        while True:
            time.sleep(0.01)
    threading.Thread(target=run, daemon=True).start()
    return "answered"

def background():
    process = subprocess.Popen(["sleep", "60"])
    return process.pid

def detached():
    process = subprocess.Popen(["sh", "-c", "while :; do echo left behind; done"], start_new_session=True)
    time.sleep(0.02)
    return process.pid

def orphan():
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            time.sleep(60)
        os._exit(0)
    return int(os.read(read, 20))

def close():
    os.close(1)
    os.close(2)
    sys.stdout = None
    return "closed"

def take_streams():
    import io
    sys.stdout = io.StringIO()
    print("kept")
    return "taken"

def speak(a):
    print(a)
    print("error " + a, file=sys.stderr)

def print_in_c(a):
    import ctypes
    ctypes.CDLL(None).printf(b"%s", a.encode())

def endless(pid_file):
    with open(pid_file, "w") as file:
        file.write(str(os.getpid()))
    subprocess.Popen(["sleep", "60"])
    while True:
        pass

def chance():
    import random
    return random.random()

def names():
    import tempfile, uuid
    return [next(tempfile._get_candidate_names()), str(uuid.uuid4()), os.getpid()]
`

/** Programs of tests that only call them. */
const programs = {
  fork: shareInFile(startPython("fork", script)),
  keep: shareInFile(startPython("keep", script))
}

/** Whether a process is there and not only waits to be reaped. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** Numbers of the processes that carry a mark. */
const marked = (mark: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`WIELD_PROCESS=${mark}`)
      } catch {
        return false
      }
    })

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.zipRight(Effect.sleep("5 millis"), until(isSo))))

const exited = (code: number | null, signal: string | null = null) => ({ type: "exited", code, signal })

describe.skipIf(python === undefined || process.platform !== "linux")("python3 is on the path, of a Linux", () => {
  it.scopedLive("what a call changes is gone with it", () =>
    Effect.gen(function* () {
      const { call } = yield* programs.fork
      const environment = { LLM_TOOL_NAME: "one" }
      const before = said(yield* call({}, { entry: "state", environment }))
      expect(before).toEqual(value([0, null, process.cwd(), "[1]", "/nowhere", "one"]))
      for (let round = 0; round < 3; round++) {
        expect(said(yield* call({}, { entry: "change" }))).toEqual(value({ changed: true }))
        expect(said(yield* call({}, { entry: "state", environment }))).toEqual(before)
      }
      expect(said(yield* call({}, { entry: "state" }))).toMatchObject({
        value: [0, null, process.cwd(), "[1]", "/nowhere", null]
      })
    })
  )

  it.scopedLive("a call that ends its process fails alone", () =>
    Effect.gen(function* () {
      const { call, worker } = yield* programs.fork
      const ends: ReadonlyArray<readonly [string, { readonly code?: string | number }, unknown]> = [
        ["leave", {}, exited(0)],
        ["leave", { code: 7 }, exited(7)],
        ["leave", { code: "why" }, exited(1)],
        ["leave", { code: -1 }, exited(255)],
        ["leave_at_once", {}, exited(3)],
        ["crash", {}, exited(null, "SIGSEGV")],
        ["kill", {}, exited(null, "SIGKILL")],
        ["abort", {}, exited(null, "SIGABRT")]
      ]
      for (const [entry, parameters, answer] of ends) {
        const answered = yield* call(parameters, { entry })
        expect([entry, said(answered)]).toEqual([entry, answer])
        if (entry.startsWith("leave")) expect(answered.output).toBe(entry === "leave" ? "before\n" : "printed\n")
        if (parameters.code === "why") expect(answered.error).toBe("why")
        expect((yield* call({ a: "next" }, { entry: "speak" })).output).toBe("next\n")
      }
      expect(isAlive(worker.pid)).toBe(true)
    })
  )

  it.scopedLive("of a script that forks, one process answers", () =>
    Effect.gen(function* () {
      for (const mode of ["fork", "keep"] as const) {
        const { call } = yield* programs[mode]
        const answered = yield* call({}, { entry: "fork" })
        expect(said(answered)).toEqual(text("from the one that was called"))
        expect(answered.output).toBe("the other one\n")
        expect(said(yield* call({}, { entry: "fork_and_exit" }))).toEqual(text("stayed"))
        expect((yield* call({ a: "next" }, { entry: "speak" })).output).toBe("next\n")
      }
    })
  )

  it.scopedLive("threads and what was registered for the end run before the answer, as when Python ends", () =>
    Effect.gen(function* () {
      const { call } = yield* programs.fork
      expect(yield* call({}, { entry: "threads" })).toMatchObject({ output: "from the thread\n" })
      expect(yield* call({}, { entry: "at_end" })).toMatchObject({ output: "at the end\n" })
      expect(said(yield* call({}, { entry: "daemon" }))).toEqual(text("answered"))
    })
  )

  it.scopedLive("processes that a call has left behind are ended before the next, wherever they went", () =>
    Effect.gen(function* () {
      const { call, mark, worker } = yield* startPython("fork", script)
      for (const entry of ["background", "detached", "orphan"]) {
        const answered = said(yield* call({}, { entry })) as { readonly value: number }
        expect([entry, answered]).toEqual([entry, value(expect.any(Number))])
        const next = yield* call({ a: "next" }, { entry: "speak" })
        expect(next.output).toBe("next\n")
        expect(isAlive(answered.value)).toBe(false)
      }
      yield* call({}, { entry: "state" })
      worker.close()
      yield* worker.end
      // What has been killed takes a moment to be gone.
      yield* until(() => marked(mark).length === 0)
    })
  )

  it.scopedLive("a call that takes too long is ended, and the next one is served by the same program", () =>
    Effect.gen(function* () {
      const { call, worker } = yield* programs.fork
      const { answer } = yield* call({ pid_file: "/dev/null" }, { entry: "endless", milliseconds: 100 })
      expect(answer).toEqual({ type: "exceeded", limit: "time" })
      expect(said(yield* call({}, { entry: "state" }))).toMatchObject({ type: "value" })
      expect(isAlive(worker.pid)).toBe(true)
    })
  )

  it.scopedLive("a script that closes or replaces its streams is answered", () =>
    Effect.gen(function* () {
      const { call } = yield* programs.fork
      expect(said(yield* call({}, { entry: "close" }))).toEqual(text("closed"))
      expect(yield* call({}, { entry: "take_streams" })).toMatchObject({ output: "" })
      expect(yield* call({ a: "ä" }, { entry: "speak" })).toMatchObject({ output: "ä\n", error: "error ä" })
    })
  )

  it.scopedLive("what a library in C prints belongs to the call", () =>
    Effect.gen(function* () {
      for (const mode of ["fork", "keep"] as const) {
        const { call } = yield* programs[mode]
        expect(yield* call({ a: "one" }, { entry: "print_in_c" })).toMatchObject({ output: "one" })
        expect(yield* call({ a: "two" }, { entry: "print_in_c" })).toMatchObject({ output: "two" })
      }
    })
  )

  /** Starts the program by hand, and calls it when it is ready. */
  const serveByHand = (mode: Mode, name: string, call: Pick<ProgramCall, "entry" | "arguments">) => {
    const file = "/nowhere/tool.py"
    const scripts = [{ file, text: script, functions: [] }]
    const program = pythonProgram({ command: "", arguments: [], mode, kind: "script", scripts, config: null })
    const child = spawn(python ?? "", program.arguments, {
      detached: true,
      env: { ...process.env, WIELD_PROCESS: name },
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]
    })
    const [, , , calls, replies] = child.stdio
    if (!(calls instanceof Socket) || !(replies instanceof Socket)) throw new Error("descriptors 3 and 4 are not there")
    const encoded = Either.getOrThrow(program.encodeCall({ file, environment: {}, marker: "m", ...call }))
    calls.write(program.load)
    replies.once("data", () => calls.write(encoded))
    return { child, calls, replies, encoded }
  }

  const hasText = (file: string) => existsSync(file) && readFileSync(file, "utf8") !== ""

  it.scopedLive("a running call ends with all it has started when Wield is gone", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      for (const mode of ["fork", "keep", "once"] as const) {
        const pidFile = join(folder, mode)
        const call = { entry: "endless", arguments: { pid_file: pidFile } }
        const { calls, replies } = serveByHand(mode, `alone-${mode}`, call)
        yield* until(() => hasText(pidFile) && marked(`alone-${mode}`).length > 1)
        expect(isAlive(Number(readFileSync(pidFile, "utf8")))).toBe(true)
        calls.destroy()
        replies.destroy()
        yield* until(() => marked(`alone-${mode}`).length === 0)
      }
    })
  )

  // The system may send the signal for a call's own bytes when the call was read already and runs.
  it.scopedLive("a signal for what arrives on descriptor 3 does not end the call that runs", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      for (const mode of ["fork", "keep"] as const) {
        const [begun, end] = [join(folder, `${mode}-begun`), join(folder, `${mode}-end`)]
        const call = { entry: "wait_for", arguments: { begun, end } }
        const { calls, child, encoded, replies } = serveByHand(mode, `late-${mode}`, call)
        let answers = ""
        replies.on("data", (chunk: Buffer) => (answers += chunk.toString()))
        yield* until(() => hasText(begun))
        calls.write(encoded)
        // The bytes are in the descriptor when a second call of the system has returned.
        yield* Effect.promise(() => new Promise((resolve) => calls.write(encoded, resolve)))
        writeFileSync(end, "")
        yield* until(() => child.exitCode !== null || child.signalCode !== null || answers.includes("isMarked"))
        expect(answers).toContain('"text":"waited"')
        calls.destroy()
        replies.destroy()
        yield* until(() => marked(`late-${mode}`).length === 0)
      }
    })
  )

  it.scopedLive("each child has random numbers of its own, but a script that seeds has its sequence", () =>
    Effect.gen(function* () {
      const draw = (text: string) =>
        Effect.gen(function* () {
          const { call } = yield* startPython("fork", text)
          const drawn: Array<unknown> = []
          for (let round = 0; round < 3; round++) drawn.push(said(yield* call({}, { entry: "chance" })))
          return new Set(drawn.map((one) => JSON.stringify(one))).size
        })
      expect(yield* draw(`import random\n${script}`)).toBe(3)
      expect(yield* draw(`import random\nrandom.seed(4)\n${script}`)).toBe(1)
      const { call } = yield* startPython("fork", `import tempfile\n${script}`)
      const first = said(yield* call({}, { entry: "names" })) as { readonly value: ReadonlyArray<unknown> }
      const second = said(yield* call({}, { entry: "names" })) as { readonly value: ReadonlyArray<unknown> }
      for (const [index, name] of first.value.entries()) expect(second.value[index]).not.toEqual(name)
    })
  )

  it.scopedLive("in a program that keeps its state, globals stay and the variables of a call do not", () =>
    Effect.gen(function* () {
      const { call } = yield* startPython("keep", script)
      const environment = { LLM_TOOL_NAME: "one", CHANGED: "for this call" }
      expect(said(yield* call({}, { entry: "state", environment }))).toMatchObject({
        value: [0, "for this call", process.cwd(), "[1]", "/nowhere", "one"]
      })
      expect(said(yield* call({}, { entry: "change" }))).toEqual(value({ changed: true }))
      expect(said(yield* call({}, { entry: "state" }))).toMatchObject({
        value: [1, "yes", "/", "broken", "/elsewhere", null]
      })
      expect(said(yield* call({ code: 2 }, { entry: "leave" }))).toEqual(exited(2))
      expect(said(yield* call({}, { entry: "nothing" }))).toMatchObject({ type: "failed", error: "AttributeError" })
      expect(said(yield* call({}, { entry: "speak" }))).toMatchObject({ type: "raised", error: "TypeError" })
      expect(said(yield* call({}, { entry: "state" }))).toMatchObject({
        value: [1, "yes", "/", "broken", "/elsewhere", null]
      })
    })
  )

  it.scopedLive("coroutines of a program that keeps its state share an event loop", () =>
    Effect.gen(function* () {
      const { call } = yield* startPython(
        "keep",
        `
import asyncio
queue = None

async def put(a):
    global queue
    queue = queue or asyncio.Queue()
    await queue.put(a)
    return queue.qsize()

async def take():
    return await asyncio.wait_for(queue.get(), 1)
`
      )
      expect(said(yield* call({ a: "a" }, { entry: "put" }))).toEqual(value(1))
      expect(said(yield* call({ a: "b" }, { entry: "put" }))).toEqual(value(2))
      expect(said(yield* call({}, { entry: "take" }))).toEqual(text("a"))
    })
  )
})

/** What a script opens or starts while it is imported, and what it then answers. */
const bound: ReadonlyArray<readonly [what: string, text: string]> = [
  [
    "a thread",
    `
import threading, time, os
lock = threading.Lock()
ticks = []
def tick():
    while True:
        with lock:
            ticks.append(1)
            time.sleep(0.001)
threading.Thread(target=tick, daemon=True).start()
def run():
    time.sleep(0.02)
    with lock:
        return len(ticks) > 1 and os.getpid()
`
  ],
  [
    "a process",
    `
import subprocess, os
process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def run():
    process.stdin.write(b"a\\n")
    process.stdin.flush()
    return process.stdout.readline() == b"a\\n" and os.getpid()
`
  ],
  [
    "a file that is read from a position",
    `
import os
lines = open("/proc/self/maps")
def run():
    return lines.tell() == 0 and lines.readline() != "" and os.getpid()
`
  ],
  [
    "an event loop",
    "import asyncio, os\nloop = asyncio.new_event_loop()\ndef run():\n    return loop.run_until_complete(asyncio.sleep(0, os.getpid()))\n"
  ]
]

describe.skipIf(python === undefined || process.platform !== "linux")("what must not be shared by fork", () => {
  it.scopedLive.each(bound)("%s that importing starts is each call's own", ([, source]) =>
    Effect.gen(function* () {
      const { call, mark, worker } = yield* startPython("fork", `print("loaded")\n${source}`)
      const pids = new Set<unknown>()
      for (let round = 0; round < 4; round++) {
        const answered = yield* call()
        expect(answered).toMatchObject({ output: "", answer: { answer: { type: "value", value: expect.any(Number) } } })
        pids.add(JSON.stringify(said(answered)))
      }
      expect(pids.size).toBe(4)
      worker.close()
      yield* worker.end
      // What has been killed takes a moment to be gone.
      yield* until(() => marked(mark).length === 0)
    })
  )

  it.scopedLive("a log that is appended to is shared, and needs no loading for each call", () =>
    Effect.gen(function* () {
      const { call } = yield* startPython(
        "fork",
        `
import os, tempfile
loader = os.getpid()
descriptor, path = tempfile.mkstemp()
log = open(path, "a")
os.close(descriptor)
os.unlink(path)
def run():
    return os.getppid() == loader
`
      )
      expect(said(yield* call())).toEqual(value(true))
    })
  )
})
