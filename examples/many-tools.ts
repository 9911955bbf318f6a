/**
 * An agent over an API of a thousand operations, whose model is shown six tools: four that are pinned, one that finds
 * the others and one that calls them; then one whose model writes a program over them. The specification is generated here, the model is scripted; it needs no key.
 */
import * as assert from "node:assert/strict"
import { createServer } from "node:http"
import { Agent, Tokens } from "@wield/agent"
import { CodeMode } from "@wield/code-mode"
import { Outcome, Toolset } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { Manifest, RestExecutor } from "@wield/manifest"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"

const things = "account address alert asset badge batch bill board branch budget camera card cart case claim".split(" ")
const others = "client coupon course crew dealer deposit depot device door driver event fee field file fine".split(" ")
const more = "fleet form goal grant group guest hotel house invoice item job key label lane lease loan meter".split(" ")
const last = "note order parcel".split(" ")
const actions = "archive approve assign cancel close copy count create delete export find hold lock merge move".split(
  " "
)
const rest = "open pause rank release rename".split(" ")

const operations = [...things, ...others, ...more, ...last].flatMap((thing) =>
  [...actions, ...rest].map((action) => ({ thing, action }))
)

const specification = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Office", version: "1" },
  servers: [{ url: "/v1" }],
  paths: Object.fromEntries(
    operations.map(({ action, thing }) => [
      `/${thing}/{id}/${action}`,
      {
        post: {
          operationId: `${action}_${thing}`,
          summary: `To ${action} the ${thing} of this number`,
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
          responses: { 200: { description: "Done", content: { "application/json": { schema: { type: "object" } } } } }
        }
      }
    ])
  )
})

const office = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ did: request.url }))
    )
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const program = Effect.gen(function* () {
  const { url } = yield* office
  const manifest = yield* Manifest.fromOpenApi(specification, { name: "office", documentUrl: `${url}/openapi.json` })
  const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })

  const pinned = ["find_order", "find_parcel", "find_client", "find_invoice"]
  const model = yield* ScriptedModel.make([
    ScriptedModel.call("search_tools", { query: "lock a camera" }),
    ScriptedModel.call("call_tool", { name: "lock_camera", arguments: { id: 7 } }),
    ScriptedModel.text("Camera 7 is locked.")
  ])
  const agent = yield* Agent.make({
    model,
    toolset,
    search: {
      pinned,
      // In the words of users, where they differ from those of the specification.
      requests: { hold_deposit: ["Keep my money until the job is done"] }
    }
  })
  const run: Array<string> = []
  const { text } = yield* Agent.run(agent, "No one may use camera 7", {
    onEvent: (event) => void (event._tag === "CallFinished" && run.push(event.call.name))
  })
  console.log(text)
  assert.deepEqual(run, ["search_tools", "lock_camera"])

  const [first] = yield* model.requests
  assert.equal(first?.definitions.length, 6)
  console.log("Shown:", first.definitions.map(({ name }) => name).join(", "))

  const all = [...(yield* toolset.offer).entries.values()].map(({ definition }) => definition)
  assert.equal(all.length, 1_000)
  const counts = yield* Tokens.estimate().counts
  const tokens = (definitions: typeof all) => definitions.reduce((sum, one) => sum + counts.definition(one), 0)
  console.log(`About ${tokens([...first.definitions])} tokens of definitions in place of ${tokens(all)}`)

  // One program in place of ten calls, of which the model would read each result.
  const code = `const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const locked = await Promise.all(ids.map((id) => tools.lock_camera({ id })))
return locked.length`
  const programs = yield* CodeMode.make(toolset, { shown: "search" })
  const writer = yield* ScriptedModel.make([
    ScriptedModel.call("find_tools", { query: "lock a camera" }),
    ScriptedModel.call("run_program", { code }),
    ScriptedModel.text("All ten cameras are locked.")
  ])
  const shown = Toolset.combine(programs, toolset.pipe(Toolset.select(...pinned)))
  const results: Array<string | undefined> = []
  const ended = yield* Agent.run(yield* Agent.make({ model: writer, toolset: shown }), "No one may use a camera", {
    onEvent: (event) => void (event._tag === "CallFinished" && results.push(Outcome.text(event.outcome)))
  })
  console.log(ended.text)
  const [request] = yield* writer.requests
  assert.equal(request?.definitions.length, 6)
  assert.match(results[0] ?? "", /lock_camera\(args: \{/)
  assert.equal(results[1], "10")
}).pipe(Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })))

await Effect.runPromise(Effect.scoped(program))
