/** Lines of JSON on two descriptors. */
import * as fs from "node:fs"
import * as net from "node:net"

const newline = 10

/** Taken before a script can replace them. */
const { fstatSync } = fs
const { kill, pid } = process

/** What a descriptor is of; a script may close it, and open something else in its place. */
const identityOf = (descriptor) => {
  try {
    const { dev, ino } = fstatSync(descriptor)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** Writes all of it, also to a pipe that is not blocking and full. */
export const writeAll = (descriptor, bytes) => {
  let offset = 0
  let wait = 0
  while (offset < bytes.length) {
    try {
      offset += fs.writeSync(descriptor, bytes, offset)
      wait = 0
    } catch (error) {
      if (error.code !== "EAGAIN") throw error
      wait = Math.min(wait + 1, 5)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait)
    }
  }
}

/** The `deno` of npm, installed without its install script, is a program that starts Deno, and keeps the descriptors to itself. */
const pathOf = (descriptor) => {
  const own = `/dev/fd/${descriptor}`
  const found = fs.statSync(own, { throwIfNoEntry: false })
  return found?.isFIFO() === true || found?.isSocket() === true ? own : `/proc/${process.ppid}/fd/${descriptor}`
}

export class Channel {
  #input
  #output
  #stream
  #parts = []
  #identities

  constructor(input, output) {
    // Deno knows no descriptors of its starter, only its own: those of their paths. Where Deno itself has started it, they
    // are sockets, which have no path, and are known.
    if (process.versions.deno !== undefined) {
      try {
        const opened = fs.openSync(pathOf(input), "r")
        output = fs.openSync(pathOf(output), "a")
        input = opened
      } catch {
        // The descriptors stay as they came.
      }
    }
    this.#input = input
    this.#output = output
    this.#identities = [0, 1, 2, input, output].map((descriptor) => [descriptor, identityOf(descriptor)])
  }

  /** The first descriptor that is not any more what this process was started with. */
  lost() {
    return this.#identities.find(([descriptor, before]) => identityOf(descriptor) !== before)?.[0]
  }

  /** Hands on each message; the end of the descriptor ends this process. */
  read(receive) {
    this.#stream = this.#open((bytes) => this.#take(bytes, receive))
    this.#stream.on("end", () => process.kill(process.pid, "SIGKILL"))
    this.#stream.on("error", () => process.kill(process.pid, "SIGKILL"))
  }

  /** Whether waiting for messages keeps this process alive. */
  set isAwaited(isAwaited) {
    if (isAwaited) this.#stream.ref?.()
    else this.#stream.unref?.()
  }

  /** `json` is written as it is: one line. Where it cannot be, this process ends, for nothing it says would be heard. */
  write(json) {
    const output = this.#identities.find(([descriptor]) => descriptor === this.#output)
    try {
      if (identityOf(this.#output) !== output[1]) throw new Error("closed by a script")
      writeAll(this.#output, Buffer.from(`${json}\n`, "utf8"))
    } catch {
      kill(pid, "SIGKILL")
    }
  }

  #open(take) {
    // Bun and Deno cannot be relied on to have sockets of descriptors.
    if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
      return fs.createReadStream("", { fd: this.#input }).on("data", take)
    }
    const stream = new net.Socket({
      fd: this.#input,
      readable: true,
      writable: false,
      // One buffer for all that is read spares an allocation of 64 KiB a call.
      onread: {
        buffer: Buffer.allocUnsafe(65_536),
        callback: (length, buffer) => {
          take(buffer.subarray(0, length))
          return true
        }
      }
    })
    stream.resume()
    return stream
  }

  #take(bytes, receive) {
    let start = 0
    let end = bytes.indexOf(newline)
    while (end !== -1) {
      const last = bytes.subarray(start, end)
      const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last])
      this.#parts = []
      receive(JSON.parse(line.toString("utf8")))
      start = end + 1
      end = bytes.indexOf(newline, start)
    }
    if (start < bytes.length) this.#parts.push(Buffer.from(bytes.subarray(start)))
  }
}
