/** What a call leaves behind, and what the next one finds. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { shareInFile } from "../shareInFile.js"
import { repliesOf, serve, value } from "./driver.js"

/** The port of a server that says hello, and keeps connections. */
const loopback = Effect.map(
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((_, response) => response.end("hello"))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  ),
  // A server that listens on a port has an address.
  (server) => (server.address() as AddressInfo).port
)

const fresh: ReadonlyArray<readonly [what: string, text: string, result: Parameters<typeof value>[0]]> = [
  ["variables of the module", `let count = 0; export const run = () => ++count`, 1],
  ["properties of the global object", `export const run = () => (globalThis.x = (globalThis.x ?? 0) + 1)`, 1],
  [
    "globals that were replaced or deleted",
    `export const run = () => {
      const before = [typeof fetch, typeof setTimeout, globalThis.structuredClone === undefined]
      globalThis.fetch = 1; globalThis.setTimeout = 2; delete globalThis.structuredClone
      return before
    }`,
    ["function", "function", false]
  ],
  [
    "the environment",
    `export const run = () => {
      const before = [process.env.ADDED ?? "none", process.env.BASE ?? "none"]
      process.env.ADDED = "added"; delete process.env.BASE
      return before
    }`,
    ["none", "base"]
  ],
  [
    "the working directory and the file mask",
    `const start = process.env.PWD
    export const run = () => {
      const before = [process.cwd() === import.meta.dirname, process.umask() === 0o77]
      process.chdir("/"); process.umask(0o77)
      return before
    }`,
    [true, false]
  ],
  [
    "listeners of the process",
    `export const run = () => {
      const before = ["SIGTERM", "exit", "unhandledRejection", "own"].map((name) => process.listenerCount(name))
      for (const name of ["SIGTERM", "exit", "unhandledRejection", "own"]) process.on(name, () => {})
      process.removeAllListeners("uncaughtException")
      return before
    }`,
    [0, 0, 0, 0]
  ],
  [
    "what listens to the process already",
    `export const run = () => {
      const names = ["newListener", "removeListener", "warning", "uncaughtException"]
      const before = names.map((name) => process.listenerCount(name))
      process.removeAllListeners()
      return before.filter((count) => count > 0).length
    }`,
    4
  ],
  [
    "arguments of the process",
    `export const run = () => { process.argv.push("more"); process.title = "x"; return process.argv.length }`,
    3
  ],
  [
    "the console and the standard streams",
    `export const run = () => {
      const before = [console.log.name, Object.hasOwn(process.stdout, "write"), console.extra === undefined]
      console.log = () => {}; process.stdout.write = () => true; console.extra = 1
      return before
    }`,
    ["log", false, true]
  ],
  [
    "what is added to the objects of the language",
    `export const run = () => {
      const before = [typeof [].last, typeof Object.prototype.own, Error.stackTraceLimit]
      Array.prototype.last = function () { return this.at(-1) }
      Object.prototype.own = true
      Error.stackTraceLimit = 1
      Error.prepareStackTrace = () => "none"
      return before
    }`,
    ["undefined", "undefined", 10]
  ]
]

describe("calls after one another", () => {
  const files = Object.fromEntries(fresh.map(([, text], index) => [`${index}.ts`, text]))
  const served = shareInFile(serve({ files, scripts: Object.keys(files) }))
  for (const [index, [what, , result]] of fresh.entries()) {
    it.effect(`find ${what} as if they were the first`, () =>
      Effect.gen(function* () {
        const { call } = yield* served
        const replies = [yield* call({ file: `${index}.ts` }), yield* call({ file: `${index}.ts` })]
        expect(replies.map(({ reply }) => reply)).toEqual([value(result), value(result)])
      })
    )
  }

  it.scoped("have new instances of what the script imports by relative path", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `import { next } from "./counter.js"; export const run = async () => [next(), (await import("./counter.js")).next()]`,
          "counter.ts": `let count = 0; export const next = () => ++count`
        }
      })
      const first = yield* served.call()
      const second = yield* served.call()
      expect([first.reply, second.reply]).toEqual([value([1, 2]), value([1, 2])])
    })
  )

  it.scoped("have the environment of their own call, at the top level of the script, too", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `const atTop = process.env.LLM_OUTPUT
            export const run = () => [atTop, process.env.LLM_OUTPUT, process.env.ONLY_FIRST ?? "none"]`
        }
      })
      const first = yield* served.call({ environment: { LLM_OUTPUT: "/a", ONLY_FIRST: "1" } })
      const second = yield* served.call({ environment: { LLM_OUTPUT: "/b" } })
      expect([first.reply, second.reply]).toEqual([value(["/a", "/a", "1"]), value(["/b", "/b", "none"])])
    })
  )

  it.scoped("have what they print told apart", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `
            import { writeSync } from "node:fs"
            import { execSync } from "node:child_process"
            export const run = (text: string) => {
              console.log("log " + text); console.error("error " + text)
              writeSync(1, "written\\n"); execSync("echo child", { stdio: "inherit" })
            }`
        },
        functions: [{ parameters: ["text"] }]
      })
      for (const text of ["one", "two"]) {
        expect(yield* served.call({ arguments: { text } })).toEqual({
          reply: { type: "none", isMarked: true },
          standardOutput: `log ${text}\nwritten\nchild\n`,
          standardError: `error ${text}\n`
        })
      }
    })
  )

  it.scoped("have all of much that they print", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `export const run = () => { process.stdout.write("x".repeat(3_000_000)); console.log("end") }`
        }
      })
      const { standardOutput } = yield* served.call()
      expect(standardOutput.length).toBe(3_000_004)
    })
  )

  it.scoped("serve on where a server was opened and closed, and where a connection is kept for later", () =>
    Effect.gen(function* () {
      const port = yield* loopback
      const replies = yield* repliesOf(
        `import { createServer } from "node:http"
        export const run = async () => {
          const server = createServer()
          await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
          await new Promise((resolve) => server.close(resolve))
          return [await (await fetch("http://127.0.0.1:${port}")).text()]
        }`,
        3
      )
      expect(replies).toEqual([value(["hello"]), value(["hello"]), value(["hello"])])
    })
  )
})

describe("a process that cannot be as it was", () => {
  const retiring: ReadonlyArray<readonly [what: string, body: string, why: RegExp]> = [
    [
      "a child process is left",
      `(await import("node:child_process")).spawn("sleep", ["60"]); return 1`,
      /child process/
    ],
    [
      "a child process is left that Node does not wait for",
      `(await import("node:child_process")).spawn("sleep", ["60"], { stdio: "ignore" }).unref(); return 1`,
      /child process/
    ],
    [
      "a file is still being written",
      `(await import("node:fs/promises")).writeFile("left.txt", "x".repeat(1e7)); return 1`,
      /FS/
    ]
  ]
  for (const [what, body, why] of retiring) {
    it.scoped(`answers, and is not used again where ${what}`, () =>
      Effect.gen(function* () {
        const [reply] = yield* repliesOf(`export const run = async () => { ${body} }`)
        expect(reply).toEqual({ ...value(1), retire: expect.stringMatching(why) })
      })
    )
  }

  const ending: ReadonlyArray<readonly [what: string, body: string]> = [
    ["a method of the language is replaced", `Array.prototype.map = () => []`],
    ["a getter of the language is replaced", `Object.defineProperty(Map.prototype, "size", { get: () => 0 })`],
    ["something is added to the global object for good", `Object.defineProperty(globalThis, "forever", { value: 1 })`]
  ]
  for (const [what, body] of ending) {
    it.scoped(`answers, and ends where ${what}`, () =>
      Effect.gen(function* () {
        const served = yield* serve({ files: { "tool.ts": `export const run = () => { ${body}; return 1 }` } })
        const { reply } = yield* served.call()
        yield* served.ended
        expect(reply).toEqual(value(1))
      })
    )
  }

  it.scoped("serves on where a child process has ended", () =>
    Effect.gen(function* () {
      const replies = yield* repliesOf(
        `import { execFile } from "node:child_process"
        import { promisify } from "node:util"
        export const run = async () => (await promisify(execFile)("printf", ["[1]"])).stdout`,
        2
      )
      expect(replies).toEqual(Array.from({ length: 2 }, () => ({ type: "text", text: "[1]", isMarked: true })))
    })
  )
})

describe("a process that keeps its state", () => {
  it.scoped("has one instance of the script for all calls", () =>
    Effect.gen(function* () {
      const replies = yield* repliesOf(
        `let count = 0; setInterval(() => {}, 1000); export const run = () => ++count`,
        3,
        {
          mode: "keep"
        }
      )
      expect(replies).toEqual([value(1), value(2), value(3)])
    })
  )
})

describe("a process for one call", () => {
  it.scoped("ends when it has answered, whatever is left", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: { "tool.ts": `export const run = () => { setInterval(() => {}, 1000); return 1 }` },
        mode: "once"
      })
      const { reply } = yield* served.call()
      yield* served.ended
      expect(reply).toEqual(value(1))
    })
  )
})

describe("the end of descriptor 3", () => {
  for (const [what, text] of [
    ["that waits for a call", `export const run = () => 1`],
    ["in the middle of one", `export const run = () => new Promise((resolve) => setTimeout(resolve, 60_000))`]
  ] as const) {
    it.scoped(`ends a process ${what}`, () =>
      Effect.gen(function* () {
        const served = yield* serve({ files: { "tool.ts": text } })
        if (text.includes("Promise")) yield* Effect.fork(served.call())
        yield* Effect.yieldNow()
        served.close()
        expect((yield* served.ended).signal).toBe("SIGKILL")
      })
    )
  }
})
