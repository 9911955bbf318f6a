/** Examples as processes of their own, and a model for them. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect } from "effect"
import { bundleOf } from "../programs.js"

/** A server on loopback that speaks OpenAI's language, one of these deltas a request. */
export const serve = (deltas: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const bodies: Array<unknown> = []
    const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
    yield* server.serve(
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const delta = deltas[bodies.length]
        bodies.push(yield* request.json)
        const chunk = { choices: [{ index: 0, delta, finish_reason: null }] }
        const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
        const text = [JSON.stringify(chunk), JSON.stringify(end), "[DONE]"].map((data) => `data: ${data}\n\n`).join("")
        return HttpServerResponse.text(text, { contentType: "text/event-stream" })
      })
    )
    return { bodies, url: HttpServer.formatAddress(server.address) }
  })

/** A folder for the files of an example, gone after the test. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-example-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const root = fileURLToPath(new URL("../..", import.meta.url))

/** An example as a process of its own, with the server for its model and these lines piped into it. */
export const talk = (example: string, url: string, options: ReadonlyArray<string>, lines: ReadonlyArray<string>) =>
  Effect.flatMap(bundleOf(join(root, example)), (bundle) =>
    Effect.async<{ readonly output: string; readonly code: number | null }>((resume) => {
      const child = spawn(process.execPath, [bundle, ...options], {
        cwd: root,
        env: {
          PATH: process.env["PATH"],
          OPENAI_BASE_URL: `${url}/v1`,
          OPENAI_API_KEY: "sk-test",
          OTEL_EXPORTER_OTLP_ENDPOINT: url
        },
        stdio: "pipe"
      })
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
      child.on("close", (code) => resume(Effect.succeed({ output, code })))
      child.stdin.end(lines.map((line) => `${line}\n`).join(""))
      return Effect.sync(() => child.kill("SIGKILL"))
    })
  )
