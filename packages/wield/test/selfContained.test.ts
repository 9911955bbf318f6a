/** `wield` as it is published has its own Effect. What it takes and gives meets the application's own all the same. */
import { execFileSync } from "node:child_process"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { bundle } from "../../../scripts/build/bundle.js"

let published: string

beforeAll(async () => {
  published = await mkdtemp(join(inject("temporary"), "wield-"))
  await writeFile(join(published, "package.json"), JSON.stringify({ type: "module" }))
  await bundle(fileURLToPath(new URL("..", import.meta.url)), published)
})

/** What an application prints as JSON: `wield` is the published one, everything else its own, also what `wield` imports. */
const run = async (program: string): Promise<unknown> => {
  const outfile = join(await mkdtemp(join(inject("temporary"), "application-")), "start.mjs")
  await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)), sourcefile: "start.js" },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["libsql"],
    mainFields: ["module", "main"],
    // Packages of CommonJS ask for modules of Node.
    banner: {
      js: `import * as nodeModules from "node:module"\nconst require = nodeModules.createRequire(import.meta.url)`
    },
    nodePaths: [fileURLToPath(new URL("../node_modules", import.meta.url))],
    plugins: [
      {
        name: "published",
        setup: (build) => {
          build.onResolve({ filter: /^wield(\/|$)/ }, ({ path }) => ({
            path: join(published, `${path.slice("wield/".length) || "index"}.js`),
            // What imports packages of the application is found from there.
            external: !program.includes("wield/manifest")
          }))
        }
      }
    ],
    outfile,
    logLevel: "silent"
  })
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8" }).trim().split("\n").at(-1) ?? "")
}

const head = `
import { CallLost, Content, Journal, JournalError, NeedsInput, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { ConversationStore } from "@wield/agent"
import * as AiSdk from "@wield/interop/ai-sdk"
import { content, failure, image, needsInput, tool, wield } from "wield"
import { Effect, Layer } from "effect"
import { z } from "zod"

const callOf = (name, args = {}, id = "call_1") => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })
const responseOf = (...calls) => ({ choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] })
const tagOf = async (shop, name, args) => (await shop.run().answer("openai-chat", responseOf(callOf(name, args)))).outcomes[0]
`

describe("wield as it is published", () => {
  it("imports nothing but what Node has and an optional peer, and carries the licences of what it has", async () => {
    const { metafile } = await build({
      entryPoints: [join(published, "*.js")],
      bundle: true,
      packages: "external",
      format: "esm",
      write: false,
      outdir: published,
      metafile: true
    })
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.flatMap(({ external, path }) => (external === true && !path.startsWith("node:") ? [path] : []))
    )
    const packages = imported.map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    expect(new Set(packages)).toEqual(
      new Set([
        "libsql",
        "@effect/platform-node",
        ...["assistant", "code-mode", "manifest", "mcp", "scripts"].map((name) => `@wield/${name}`)
      ])
    )
    const licences = await readFile(join(published, "THIRD-PARTY-LICENSES"), "utf8")
    for (const name of ["effect", "ajv", "@effect/ai", "@hyperjump/json-schema", "fast-uri"]) {
      expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"))
    }
  })

  it("takes toolsets, content, questions, failures and lost calls of the application's own @wield/core", async () => {
    const said = await run(`${head}
const tools = await Effect.runPromise(Toolset.dynamic([
  { name: "add", inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] }, execute: ({ a }) => Effect.succeed(a + 1) },
  { name: "fail", execute: () => Effect.fail("not today") },
  { name: "chart", execute: () => Effect.succeed(new Content.Answer({ parts: [Content.text("see"), Content.image("image/png", "iVBORw0KGgo=")] })) },
  { name: "ask", execute: () => Effect.fail(new NeedsInput({ asks: "Seat?", accepts: {} })) },
  { name: "lose", execute: () => Effect.fail(new CallLost({ reason: "gone" })) }
]))
const theirs = AiSdk.toToolset({ greet: { description: "Greets", inputSchema: z.object({}), execute: () => "hello" } })
const shop = await wield({ tools: [], toolsets: [tools, theirs] })
const added = await tagOf(shop, "add", { a: 1 })
const wrong = await tagOf(shop, "add", { a: "1" })
const failed = await tagOf(shop, "fail")
const chart = await tagOf(shop, "chart")
const asked = await tagOf(shop, "ask")
const lost = await tagOf(shop, "lose")
const greeted = await tagOf(shop, "greet")
console.log(JSON.stringify({
  tags: [added, wrong, failed, chart, asked, lost].map(({ _tag }) => _tag),
  are: [added, wrong, asked].map(Outcome.isOutcome),
  texts: [added, failed, greeted].map(Outcome.text),
  parts: chart.content.map(({ _tag }) => _tag),
  asks: asked.input.asks
}))
await shop.close()
`)
    expect(said).toEqual({
      tags: ["Success", "InvalidArguments", "Failure", "Success", "Deferred", "Uncertain"],
      are: [true, true, true],
      texts: ["2", "not today", "hello"],
      parts: ["Text", "Image"],
      asks: "Seat?"
    })
  })

  it("gives its toolset, its run and its runtime to the application's own @wield/core and effect", async () => {
    const said = await run(`${head}
const shop = await wield({
  tools: [
    tool("refund", { execute: () => "refunded" }),
    tool("chart", { execute: () => content("see", image("image/png", "iVBORw0KGgo=")) }),
    tool("refuse", { execute: () => failure("not today") }),
    tool("ask", { execute: () => needsInput({ asks: "Seat?", accepts: {} }) })
  ],
  approval: { refund: () => "ask" }
})
const runner = await Effect.runPromise(ToolRunner.make(shop.toolset, shop.policy))
const outcomes = await Effect.runPromise(runner.forRun({ id: "r" }).settle(["refund", "chart", "refuse", "ask"].map((name) => ToolCall.make(name, name, {}))))
const { tools } = await shop.run({ id: "s" }).to(AiSdk.fromRun)
const stored = await shop.runtime.runPromise(Effect.flatMap(ConversationStore.ConversationStore, (store) => store.list()))
const [waiting] = outcomes
const again = await Effect.runPromise(runner.forRun({ id: "r" }).resume(waiting, Response.approve))
console.log(JSON.stringify({
  tags: outcomes.map(({ _tag }) => _tag),
  parts: outcomes[1].content.map(({ _tag }) => _tag),
  again: Outcome.text(again),
  exported: await tools.chart.execute({}, { toolCallId: "c", messages: [] }).then((value) => typeof value),
  names: Object.keys(tools),
  stored: stored.conversations.length
}))
await shop.close()
`)
    expect(said).toEqual({
      tags: ["Deferred", "Success", "Failure", "Deferred"],
      parts: ["Text", "Image"],
      again: "refunded",
      exported: expect.stringMatching(/string|object/),
      names: ["refund", "chart", "refuse", "ask"],
      stored: 0
    })
  })

  it("keeps calls and conversations in a store of the application's own @wield/agent, whose conflicts and failures it knows", async () => {
    const said = await run(`${head}
let paid = 0
const pay = tool("pay", { execute: () => "payment " + ++paid })
const store = Layer.merge(ConversationStore.layerMemory, Journal.layerMemory)
const shop = await wield({ tools: [pay], store })
const response = responseOf(callOf("pay"))
await shop.run({ id: "one" }).answer("openai-chat", response)
const { outcomes } = await shop.run({ id: "one" }).answer("openai-chat", response)
const broken = new Proxy({}, { get: () => () => Effect.fail(new JournalError({ operation: "begin", cause: "down" })) })
const bad = await wield({ tools: [pay], store: Layer.merge(ConversationStore.layerMemory, Layer.succeed(Journal.Journal, broken)) })
const refused = await bad.run({ id: "two" }).answer("openai-chat", response)
console.log(JSON.stringify({ paid, text: Outcome.text(outcomes[0]), refused: refused.outcomes[0]._tag, said: JSON.stringify(refused.messages[1]) }))
await shop.close()
await bad.close()
`)
    expect(said).toEqual({ paid: 1, text: "payment 1", refused: "Defect", said: expect.stringContaining("not run") })
  })

  it("has tools of the application's own @wield/manifest, which obey the policy", async () => {
    const said = await run(`${head}
import { manifest } from "wield/manifest"
const text = "- { type: local, function: { name: greet } }\\n- { type: local, function: { name: erase } }"
const handlers = { greet: async () => "hello", erase: () => failure("not today") }
const rules = (erase) => ({ toolsets: [manifest({ text, handlers })], approval: { "*": erase } })
const shop = await wield(rules({ greet: () => "allow" }))
const denying = await wield(rules({ greet: () => "deny" }))
const misspelt = await wield(rules({ gret: () => "deny" })).catch((error) => error._tag)
const outcomes = [await tagOf(shop, "greet"), await tagOf(shop, "erase"), await tagOf(denying, "greet")]
console.log(JSON.stringify([...outcomes.map(({ _tag }) => _tag), outcomes[0].encoded, misspelt]))
await Promise.all([shop.close(), denying.close()])
`)
    expect(said).toEqual(["Success", "Failure", "Denied", "hello", "InvalidPolicy"])
  })

  it("knows failures of another copy of itself", async () => {
    const said = await run(`${head}
import { failure as ours } from ${JSON.stringify(fileURLToPath(new URL("../src/index.ts", import.meta.url)))}
const shop = await wield({ tools: [tool("a", { execute: () => ours("returned") }), tool("b", { execute: () => { throw ours("thrown") } })] })
console.log(JSON.stringify([Outcome.text(await tagOf(shop, "a")), Outcome.text(await tagOf(shop, "b"))]))
await shop.close()
`)
    expect(said).toEqual(["returned", "thrown"])
  })
})
