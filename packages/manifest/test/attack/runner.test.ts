/** Answers of a hostile API, all the way to the outcome that a model is told. */
import { assert, describe, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { HttpGuard } from "@wield/http"
import * as Manifest from "@wield/manifest/Manifest"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import { Effect } from "effect"
import { api } from "../rest/api.js"

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

const answers: Readonly<Record<string, string | Buffer>> = {
  "100,000 levels": deep(100_000),
  "3,000 levels": deep(3_000),
  "levels around items": `{"items":${deep(50_000)},"next":${deep(20_000)}}`,
  "invalid UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  "half of it": '{"a": [1, 2',
  "names that every object has": '{"__proto__":{"a":1},"constructor":{"prototype":1},"toString":"x"}',
  "a number without end": `{"a":1${"0".repeat(100_000)}}`,
  "lone surrogates": '{"\\ud800":"\\udfff"}',
  "an array of a million": `[${"0,".repeat(999_999)}0]`
}

describe("an answer", () => {
  for (const [what, sent] of Object.entries(answers)) {
    for (const pagination of [undefined, { parameter: "page", from: "/next", items: "/items" }]) {
      it.scopedLive(`of ${what} ends in an outcome${pagination === undefined ? "" : " of pages"}`, () =>
        Effect.gen(function* () {
          const server = yield* api((_, response) =>
            response.writeHead(200, { "content-type": "application/json" }).end(sent)
          )
          const manifest = yield* Manifest.parse(
            JSON.stringify({
              apis: { type: "rest", url: server.url, auth: { type: "bearer", token: "t0ken-of-the-api" } },
              tools: [
                {
                  type: "api",
                  function: { name: "get", description: "Gets", parameters: { type: "object", properties: {} } },
                  api: { path: "/", method: "GET", ...(pagination === undefined ? {} : { pagination }) }
                }
              ]
            })
          )
          const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
          const runner = (yield* ToolRunner.make(toolset)).forRun({ context: {} })
          const outcome = yield* runner.run(ToolCall.make("call_1", "get", "{}"))
          assert.include(["Success", "Failure", "InvalidResult"], outcome._tag)
        }).pipe(Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })))
      )
    }
  }
})
