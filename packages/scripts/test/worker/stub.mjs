/** A program that speaks the protocol, in which each entry is a behaviour that a test needs. */
import { spawn } from "node:child_process"
import { createReadStream, writeFileSync, writeSync } from "node:fs"
import { createInterface } from "node:readline"

const say = (reply) => writeSync(4, `${JSON.stringify(reply)}\n`)
const lines = createInterface({ input: createReadStream("", { fd: 3 }) })
let isLoaded = false

const entries = {
  echo: (call) => ({ type: "value", value: call.arguments }),
  text: (call) => ({ type: "text", text: call.arguments.text }),
  file: (call) => {
    writeFileSync(call.environment.LLM_OUTPUT, Buffer.from(call.arguments.bytes))
    return { type: "none" }
  },
  none: () => ({ type: "none" }),
  print: (call) => {
    writeSync(1, Buffer.from(call.arguments.output ?? []))
    writeSync(2, Buffer.from(call.arguments.error ?? []))
    return { type: "none" }
  },
  environment: () => ({ type: "value", value: process.env }),
  exit: (call) => process.exit(call.arguments.code),
  die: () => process.kill(process.pid, "SIGSEGV"),
  loop: () => {
    for (;;);
  },
  flood: () => {
    for (;;) writeSync(1, Buffer.alloc(65536, 97))
  },
  endless: () => {
    for (;;) writeSync(4, Buffer.alloc(65536, 97))
  },
  garbage: () => {
    writeSync(4, "this is no reply\n")
  },
  wrong: () => ({ type: "value" }),
  child: (call) => {
    spawn("sleep", ["60"], { stdio: "ignore", detached: call.arguments.isDetached }).unref()
    return { type: "none" }
  },
  retire: () => ({ type: "value", value: process.pid, retire: "asked to" }),
  late: () => ({ type: "none" }),
  pid: () => ({ type: "value", value: process.pid }),
  raise: () => ({ type: "raised", error: "ValueError", detail: "no such city" }),
  unreadable: () => ({ type: "unreadable", detail: "NaN is no JSON" }),
  failed: (call) => ({ type: "failed", file: call.file, error: "SyntaxError", detail: "line 1" })
}

lines.on("line", (line) => {
  const call = JSON.parse(line)
  if (!isLoaded) {
    isLoaded = true
    if (process.argv[2] === "crash") process.exit(3)
    if (process.argv[2] === "hang") return
    return say({ type: "ready", pid: process.pid })
  }
  const answer = entries[call.entry](call)
  if (answer === undefined) return
  const isMarked = call.arguments.isUnmarked !== true
  const isLate = call.arguments.isMarkedLate === true
  const mark = () => {
    for (const descriptor of [1, 2]) writeSync(descriptor, `\n${call.marker}\n`)
  }
  if (isMarked && !isLate) mark()
  say(answer.type === "failed" ? answer : { ...answer, isMarked })
  if (answer.retire !== undefined) return
  // `late`: as programs that have to restore something before they are ready.
  if (call.entry === "late") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  say({ type: "ready", pid: process.pid })
  if (isLate) mark()
})
lines.on("close", () => process.exit(0))
