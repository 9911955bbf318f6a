/** Takes calls one at a time and answers each. */
import { fstatSync } from "node:fs"
import { writeAll } from "./channel.mjs"
import { loadCompiled } from "./compiled.mjs"
import { loadNative } from "./native.mjs"
import { raised, unreadableOr } from "./result.mjs"
import { State } from "./state.mjs"

/** Taken before a script can replace them. */
const { kill, pid, stderr, stdout } = process
const { setImmediate } = globalThis
const { stringify } = JSON
const writes = new Map([
  [stdout, stdout.write],
  [stderr, stderr.write]
])

// Otherwise a loop that prints without end fills the memory: nothing is written while it runs.
for (const stream of [stdout, stderr]) stream._handle?.setBlocking?.(true)

const flush = (stream) =>
  stream.writableLength === 0 || stream.destroyed
    ? undefined
    : new Promise((resolve) => writes.get(stream).call(stream, "", () => resolve()))

/** Wield empties pipes itself when it is told an answer. */
const arePipes = [1, 2].every((descriptor) => {
  try {
    return fstatSync(descriptor).isFIFO()
  } catch {
    return false
  }
})

export class Calls {
  #channel
  #mode
  #files
  #state
  #current

  constructor(channel) {
    this.#channel = channel
  }

  receive(message) {
    if (this.#mode === undefined) this.#load(message)
    // Where a script has taken from the language what this needs, no answer would come, and an end with code 0 would pass for one.
    else this.#call(message).catch(() => kill(pid, "SIGKILL"))
  }

  async #load(message) {
    this.#mode = message.mode
    process.on("uncaughtException", (error) => this.#uncaught(error))
    this.#hear("beforeExit", () => this.#unsettled())
    this.#files = message.isNative === true ? await loadNative(message.files) : await loadCompiled(message)
    for (const [file, { failure }] of this.#files) {
      if (failure !== undefined) this.#channel.write(stringify({ type: "failed", file, ...failure }))
    }
    if (this.#mode === "reset") {
      this.#channel.isAwaited = false
      this.#state = new State()
    }
    this.#ready()
  }

  /** Also where a script removes all listeners: Node tells of what happens by `process.emit`. */
  #hear(name, told) {
    const { emit } = process
    process.emit = function (event, ...values) {
      const isHeard = Reflect.apply(emit, this, [event, ...values])
      if (event === name) told()
      return isHeard
    }
  }

  #ready() {
    this.#channel.isAwaited = true
    this.#channel.write(`{"type":"ready","pid":${pid}}`)
  }

  async #call(request) {
    const current = { file: request.file, interrupt: undefined, answer: undefined }
    const interrupted = new Promise((resolve) => (current.interrupt = resolve))
    this.#current = current
    Object.assign(process.env, request.environment)
    // So that Node notices when nothing is left that could settle the call.
    this.#channel.isAwaited = false
    const outcome = await Promise.race([this.#invoke(request), interrupted])
    // Rejections that nobody handles are told when all that is ready has run.
    await new Promise((resolve) => setImmediate(resolve))
    const answer = current.answer ?? outcome
    await Promise.all([flush(stdout), flush(stderr)])
    await this.#state?.settle()
    const isFailed = answer.type === "failed"
    const lost = this.#channel.lost()
    const isLost = lost === undefined ? undefined : `descriptor ${lost} was closed or replaced`
    const retire = answer.retire ?? isLost ?? this.#state?.left()
    const json = answer.json ?? stringify({ ...answer, retire: undefined })
    if (isFailed) {
      this.#channel.write(json)
    } else {
      if (!arePipes) for (const descriptor of [1, 2]) mark(descriptor, Buffer.from(`\n${request.marker}\n`))
      const end = retire === undefined ? "" : `,"retire":${stringify(retire)}`
      this.#channel.write(`${json.slice(0, -1)},"isMarked":${!arePipes}${end}}`)
    }
    this.#current = undefined
    if (this.#mode === "once") return kill(pid, "SIGKILL")
    if (retire !== undefined) return isFailed ? kill(pid, "SIGKILL") : undefined
    // After the answer, for it takes longer than a call.
    if (this.#state?.restore() === false) return kill(pid, "SIGKILL")
    this.#ready()
  }

  async #invoke(request) {
    const file = this.#files.get(request.file)
    if (file === undefined) return failed(request.file, "InternalError", "the script was not loaded")
    if (file.failure !== undefined) return { type: "failed", file: request.file, ...file.failure }
    let exported
    try {
      exported = await file.evaluate(this.#mode === "keep")
    } catch (error) {
      return { type: "failed", file: request.file, ...file.explain(error) }
    }
    const called = exported[request.entry] ?? exportedByDefault(exported.default, request.entry)
    if (typeof called !== "function") {
      return failed(request.file, "MissingFunction", `${request.entry} is not an exported function`)
    }
    try {
      const value = await called(...argumentsOf(file.functions[request.entry], request.arguments))
      // Node ends with this code when it has nothing left to do.
      if (Number(process.exitCode ?? 0) !== 0) return { type: "exited", code: Number(process.exitCode), signal: null }
      return unreadableOr(value)
    } catch (error) {
      return raised(error, file.folder)
    }
  }

  #uncaught(error) {
    // The script has a listener of its own, which takes care of it.
    if (process.listenerCount("uncaughtException") > 1) return
    const folder = this.#files?.get(this.#current?.file)?.folder
    const answer = { ...raised(error, folder), retire: "something failed that its call did not wait for" }
    if (this.#current === undefined) process.exit(1)
    this.#current.answer = answer
    this.#current.interrupt(answer)
  }

  #unsettled() {
    this.#current?.interrupt({
      type: "raised",
      error: "UnsettledPromise",
      detail: "the function waits for something that nothing is left to bring about",
      retire: "a call has not ended"
    })
  }
}

const failed = (file, error, detail) => ({ type: "failed", file, error, detail })

/** What CommonJS exports as a whole is the default, too. */
const exportedByDefault = (value, name) =>
  value?.[name] ?? (typeof value === "function" && value.name === name ? value : undefined)

const argumentsOf = (called, sent) => {
  if (called === undefined || called.passing === "object") return [sent]
  const given = called.parameters.map(({ absent, name }) => (Object.hasOwn(sent, name) ? sent[name] : absent))
  // A default applies to undefined, and a function may look how many arguments it was given.
  while (given.length > 0 && given.at(-1) === undefined) given.pop()
  return given
}

/** A script may have closed the stream. */
const mark = (descriptor, marker) => {
  try {
    writeAll(descriptor, marker)
  } catch {
    return
  }
}
