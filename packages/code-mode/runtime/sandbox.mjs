/**
 * A thread that runs programs, one after the other, each in a QuickJS of its own. It speaks JSON text with the program
 * and messages with the host, which ends the thread where the engine does not stop by itself.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { performance } from "node:perf_hooks"
import { parentPort, receiveMessageOnPort, workerData as sent } from "node:worker_threads"
import { Intrinsics, QuickJS } from "quickjs-wasi"

const wasm = await WebAssembly.compile(
  readFileSync(createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm"))
)

/** What a garbage collector decides is not the same at each replay. The host's clock is none of the program's. */
const intrinsics = Intrinsics.ALL & ~Intrinsics.WEAK_REF & ~Intrinsics.PERFORMANCE

/**
 * Runs in the program's own world, before it. It keeps its own copies of what it uses: the program may replace any of
 * the built-ins. A call is numbered when it is made, in the program's one order.
 */
const prelude = `(call, end, limits, hasThen) => {
  "use strict"
  const { parse, stringify } = JSON
  const { defineProperty, freeze, create } = Object
  const P = Promise, E = Error, S = String, X = Proxy, A = AggregateError
  const open = create(null)
  let made = 0
  class ToolError extends E {}
  defineProperty(ToolError.prototype, "name", { value: "ToolError" })
  const offer = (name, value) => defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true })
  offer("ToolError", ToolError)
  // As JSON a map and a set would be empty objects, and what they hold would be lost.
  const refuse = (type, instead) => defineProperty(type.prototype, "toJSON", { __proto__: null, configurable: true, writable: true, value() {
    throw new TypeError("A " + type.name + " is not JSON: give " + instead)
  } })
  refuse(Map, "Object.fromEntries(map)")
  refuse(Set, "[...set]")
  refuse(BigInt, "Number(value) or String(value)")
  const failure = ({ message, outcome, tool, data }) => {
    const error = new ToolError(message)
    const own = (key, value) => defineProperty(error, key, { __proto__: null, value, enumerable: true })
    own("outcome", outcome)
    own("tool", tool)
    own("data", data)
    return error
  }
  const callable = (tool) => (args) => new P((resolve, reject) => {
    const json = args === undefined ? "{}" : stringify(args)
    if (json === undefined) return reject(failure({ message: "The arguments of " + tool + " are not JSON", outcome: "InvalidArguments", tool, data: null }))
    const tooLarge = () => reject(failure({ message: "The arguments of " + tool + " are larger than the limit argumentBytes: " + limits.argumentBytes, outcome: "TooLarge", tool, data: null }))
    // It has as many bytes at least. The name is the program's, too.
    if (tool.length + json.length > limits.argumentBytes) return tooLarge()
    if (made >= limits.calls) return call(-1, "", "")
    if (!call(made, tool, json)) return tooLarge()
    open[made++] = { resolve, reject }
  })
  const tools = new X(freeze(create(null)), {
    get: (_, name) => (typeof name !== "string" || (name === "then" && !hasThen) ? undefined : callable(name))
  })
  offer("tools", tools)
  const say = (error) => {
    let message, name, stack, outcome
    try {
      if (typeof error === "object" && error !== null) {
        message = typeof error.message === "string" ? error.message : undefined
        if (message === "" && error instanceof A) message = error.errors.map((one) => S(one && one.message)).join("; ")
        name = typeof error.name === "string" ? error.name : undefined
        stack = typeof error.stack === "string" ? error.stack : undefined
        outcome = error instanceof ToolError && typeof error.outcome === "string" ? error.outcome : undefined
      }
      if (message === undefined) message = "The program threw " + (stringify(error) ?? S(error))
    } catch { message = "The program threw what has no text" }
    return stringify({ message, name, stack, outcome })
  }
  return {
    run: async (main) => {
      try {
        const value = await main()
        const json = stringify(value)
        if (json === undefined && value !== undefined) throw new TypeError("What the program returned is not JSON: a " + typeof value)
        end("{\\"value\\":" + (json === undefined ? "null" : json) + "}")
      } catch (error) {
        let said = "{\\"message\\":\\"The program has broken what it runs on\\"}"
        try {
          said = say(error)
        } catch {}
        end("{\\"error\\":" + said + "}")
      }
    },
    settle: (number, isOk, json) => {
      const { resolve, reject } = open[number]
      delete open[number]
      const value = parse(json)
      if (isOk) resolve(value)
      else reject(failure(value))
    }
  }
}`

class Program {
  constructor(start) {
    this.limits = start.limits
    this.left = start.limits.time
    this.calls = []
    /** The calls without an outcome, with the bytes of each. */
    this.open = new Map()
    this.openBytes = 0
    this.isOver = false
    this.broken = undefined
    this.json = undefined
    // Nanoseconds; while the machine is made, what its random numbers begin with.
    this.clock = BigInt(start.seed)
  }

  async begin({ hasThen, script, started }) {
    this.vm = await QuickJS.create({
      wasm,
      intrinsics,
      memoryLimit: this.limits.memory,
      maxStackSize: this.limits.stack,
      timezoneOffset: 0,
      interruptHandler: () => (performance.now() > this.deadline ? (this.isOver = true) : false),
      wasi: (memory) => ({
        clock_time_get: (_clock, _precision, place) => {
          new DataView(memory.buffer).setBigUint64(place, this.clock, true)
          return 0
        }
      })
    })
    const { vm } = this
    // The first number is drawn while the clock says the seed.
    vm.evalCode("Math.random()").dispose()
    this.tick(started)
    this.burn(() => {
      const call = vm.newFunction("call", (number, tool, json) => {
        return this.call(number.toNumber(), tool.toString(), json.toString()) ? vm.true : vm.false
      })
      const end = vm.newFunction("end", (json) => {
        this.json = json.toString()
        return vm.undefined
      })
      const limits = vm.hostToHandle({ argumentBytes: this.limits.argumentBytes, calls: this.limits.calls })
      const bridge = vm.callFunction(
        vm.evalCode(prelude, "host"),
        vm.undefined,
        call,
        end,
        limits,
        hasThen ? vm.true : vm.false
      )
      this.settle = bridge.getProp("settle")
      const main = vm.evalCode(script, "program")
      vm.callFunction(bridge.getProp("run"), vm.undefined, main).dispose()
      vm.executePendingJobs()
    })
  }

  tick(milliseconds) {
    this.clock = BigInt(milliseconds) * 1_000_000n
  }

  /** Whether the call is made; its arguments may be too large. */
  call(number, tool, json) {
    if (number < 0) return this.stop("calls")
    const bytes = Buffer.byteLength(tool) + Buffer.byteLength(json)
    if (bytes > this.limits.argumentBytes) return false
    // They are held outside of the engine until they have an outcome.
    this.openBytes += bytes
    if (this.openBytes > this.limits.memory) return this.stop("memory")
    this.calls.push([number, tool, json])
    this.open.set(number, bytes)
    return true
  }

  stop(limit) {
    this.broken ??= { limit }
    // The engine stops at its next look at the time.
    this.deadline = -1
    return false
  }

  /** Does a part of the program's work, and counts its time. */
  burn(work) {
    if (this.broken !== undefined) return
    const begun = performance.now()
    this.deadline = begun + this.left
    try {
      work()
    } catch (error) {
      this.broken ??= this.isOver ? { limit: "time" } : breakOf(error)
    } finally {
      this.left -= performance.now() - begun
      if (this.isOver) this.broken ??= { limit: "time" }
    }
  }

  deliver({ at, number, isOk, json }) {
    this.openBytes -= this.open.get(number) ?? 0
    if (!this.open.delete(number)) {
      this.broken ??= { diverged: `the call ${number} is in its record, and the program has not made it` }
      return
    }
    this.tick(at)
    const { vm } = this
    this.burn(() => {
      const [n, text] = [vm.newNumber(number), vm.newString(json)]
      try {
        vm.callFunction(this.settle, vm.undefined, n, isOk ? vm.true : vm.false, text).dispose()
      } finally {
        n.dispose()
        text.dispose()
      }
      vm.executePendingJobs()
    })
  }

  report() {
    const calls = this.calls
    this.calls = []
    return { calls, end: this.end(), left: this.left }
  }

  end() {
    if (this.broken !== undefined) return this.broken
    if (this.json === undefined) return undefined
    const bytes = Buffer.byteLength(this.json) - '{"value":}'.length
    return bytes > this.limits.outputBytes ? { limit: "outputBytes", bytes } : { json: this.json }
  }

  dispose() {
    try {
      this.vm?.dispose()
    } catch {
      // What a trap left behind goes with its memory.
    }
  }
}

const breakOf = (error) => {
  const message = String(error?.message ?? error)
  if (/out of memory/i.test(message)) return { limit: "memory" }
  if (/call stack|stack overflow/i.test(message)) return { limit: "stack" }
  // A trap of WebAssembly: no program can cause it but by the stack or the memory.
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return { limit: "stack", isTrap: true }
  return { json: JSON.stringify({ error: { message, name: error?.name, stack: error?.stack } }) }
}

/** Waits for what is sent next. The event loop would take several times as long to wake. */
const next = () => {
  for (;;) {
    const seen = Atomics.load(sent, 0)
    const received = receiveMessageOnPort(parentPort)
    if (received !== undefined) return received.message
    Atomics.wait(sent, 0, seen)
  }
}

parentPort.postMessage("ready")

parentPort.on("message", async ({ deliveries, leave, start }) => {
  // It has left before it began.
  if (leave) return
  const program = new Program(start)
  try {
    await program.begin(start)
  } catch (error) {
    program.broken ??= breakOf(error)
  }
  for (let given = deliveries; given !== undefined; given = next().deliveries) {
    for (const delivery of given) {
      if (program.broken !== undefined || program.json !== undefined) break
      program.deliver(delivery)
    }
    parentPort.postMessage(program.report())
  }
  // Its memory is given back, and the thread rests in its event loop.
  program.dispose()
})
