/** A program beside which no tokenizer and no database is installed still runs, and says what to install. */
import { execFileSync } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { expect, inject, it } from "vitest"

/** What a program prints as JSON, where the optional peers cannot be found. */
const run = async (program: string): Promise<unknown> => {
  const outfile = join(await mkdtemp(join(inject("temporary"), "peers-")), "start.mjs")
  await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)), sourcefile: "start.js" },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["gpt-tokenizer", "libsql"],
    outfile,
    logLevel: "silent"
  })
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8" }))
}

it("for a model an estimate counts, which the log says once, and a tokenizer that is asked for by its name says what to install", async () => {
  const said = await run(`
import { Tokens } from "@wield/agent"
import { Cause, Effect, Exit, Logger } from "effect"

const said = []
const logger = Logger.make(({ message }) => void said.push(String(message)))
const counter = Tokens.forModel("openai-chat", "gpt-5-mini")
const text = "Where is my parcel?"
const count = Effect.map(counter.counts, (counts) => counts.text(text))
const estimated = Effect.runSync(Tokens.estimate().counts).text(text)
const asked = counter.name
const counted = await Effect.runPromise(
  Effect.all([count, count]).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
)
const exact = await Effect.runPromiseExit(Tokens.openAi("cl100k_base").counts)
console.log(JSON.stringify({
  isEstimated: counted.every((tokens) => tokens === estimated),
  names: [asked, counter.name],
  said,
  exact: Exit.isFailure(exact) ? Cause.squash(exact.cause).message : "counted"
}))
`)
  const install = expect.stringMatching(/cannot be loaded.*npm install gpt-tokenizer@4/s)
  expect(said).toEqual({ isEstimated: true, names: ["o200k_base", "estimate"], said: [install], exact: install })
})

it("a store in a file fails to open, and says what to install", async () => {
  const said = await run(`
import * as FileStore from "@wield/agent/FileStore"
import { Effect, Layer } from "effect"

const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(FileStore.layer({ path: "never.db" })))))
console.log(JSON.stringify([error._tag, error.operation, error.message]))
`)
  const install = expect.stringMatching(/libsql cannot be loaded \(Cannot find.*npm install libsql@0\.4\.7/s)
  expect(said).toEqual(["StoreError", "open", install])
})
