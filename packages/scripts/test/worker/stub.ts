import * as Either from "effect/Either"
import { fileURLToPath } from "node:url"
import type { Mode, Program } from "../../src/worker/Program.js"

const encode = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)

/** The program of `stub.mjs`. */
export const stubProgram = (mode: Mode, behaviour: "serve" | "crash" | "hang" = "serve"): Program => ({
  command: process.execPath,
  arguments: [fileURLToPath(new URL("stub.mjs", import.meta.url)), behaviour],
  mode,
  load: encode({ mode }),
  encodeCall: (call) =>
    call.arguments["isUnspeakable"] === true ? Either.left("it cannot be said") : Either.right(encode(call))
})
