/** What a call may change of the process, as it was before. */
import { subscribe } from "node:diagnostics_channel"
import { getHeapStatistics } from "node:v8"
import { Intrinsics } from "./intrinsics.mjs"
import { Properties } from "./properties.mjs"

/** The part of the heap that may be in use after a call. */
const fullHeap = 0.7

const turns = 10

const { setImmediate } = globalThis

export class State {
  #environment = { ...process.env }
  #directory = process.cwd()
  #mask = process.umask()
  #argv = [...process.argv]
  #listeners = new Map()
  #resources = countsOf(process.getActiveResourcesInfo())
  #started = new Set()
  #intrinsics = new Intrinsics()
  #objects = [
    new Properties(globalThis),
    // What begins so is changed by Node itself.
    new Properties(process, (key) => typeof key === "string" && key.startsWith("_")),
    new Properties(console),
    ...[process.stdout, process.stderr].map(
      (stream) => new Properties(stream, (key) => key !== "write" && key !== "end")
    )
  ]

  constructor() {
    for (const name of process.eventNames()) this.#listeners.set(name, new Set(process.rawListeners(name)))
    // A child or thread that does not keep this process alive is no active resource.
    subscribe("child_process", ({ process: child }) => this.#watch(child, "exit"))
    subscribe("worker_threads", ({ worker }) => this.#watch(worker, "exit"))
  }

  /** Waits for what is about to end: a server that was closed is gone some turns of the event loop later. */
  async settle() {
    for (let turn = 0; turn < turns && this.left() !== undefined; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Restores what was changed; whether all of it is as it was. */
  restore() {
    try {
      return this.#intrinsics.areWhole() && this.#restoreProcess() && this.#intrinsics.restore()
    } catch {
      return false
    }
  }

  /** What goes on after a call, for which this process must not be used again. */
  left() {
    if (this.#started.size > 0) return "a child process or thread is still running"
    const counts = countsOf(process.getActiveResourcesInfo())
    for (const [name, count] of counts) {
      if (count > (this.#resources.get(name) ?? 0)) return `something is still running: ${name}`
    }
    const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
    return used > limit * fullHeap ? "its memory is nearly full" : undefined
  }

  #restoreProcess() {
    restoreRecord(process.env, this.#environment)
    if (process.cwd() !== this.#directory) process.chdir(this.#directory)
    process.umask(this.#mask)
    if (this.#argv.length !== process.argv.length || this.#argv.some((text, index) => process.argv[index] !== text)) {
      process.argv.splice(0, process.argv.length, ...this.#argv)
    }
    process.exitCode = undefined
    for (const name of process.eventNames()) {
      const kept = this.#listeners.get(name)
      for (const listener of process.rawListeners(name)) {
        if (kept?.has(listener) !== true) process.removeListener(name, listener)
      }
    }
    for (const [name, kept] of this.#listeners) {
      const listeners = process.rawListeners(name)
      // Those of this program, or of Node.
      for (const listener of kept) if (!listeners.includes(listener)) process.on(name, listener)
    }
    return this.#objects.every((object) => object.restore())
  }

  #watch(started, ending) {
    this.#started.add(started)
    started.once(ending, () => this.#started.delete(started))
    // A child that could not be started has no end.
    started.once("error", () => this.#started.delete(started))
  }
}

const countsOf = (names) => {
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const restoreRecord = (record, before) => {
  for (const key of Object.keys(record)) if (!Object.hasOwn(before, key)) delete record[key]
  for (const key of Object.keys(before)) if (record[key] !== before[key]) record[key] = before[key]
}
