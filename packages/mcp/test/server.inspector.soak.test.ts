/** The inspector's command, which needs a newer Node than this repository, asks a server over both transports. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { beforeAll, afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundleOf } from "../../../test/programs.js"

const packages = ["node@22.23.1", "@modelcontextprotocol/inspector@2.12.0"]
const root = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), "mcp-inspector-"))
beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), '{ "name": "inspected", "private": true }')
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], {
    cwd: folder
  })
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const server = async (transport: string) => {
  const lab = await Effect.runPromise(bundleOf(new URL("fixtures/lab.ts", import.meta.url)))
  return [process.execPath, lab, transport, join(folder, "trace")]
}

const inspect = async (target: ReadonlyArray<string>, ...asked: ReadonlyArray<string>) => {
  const inspector = join(folder, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
  const node = join(folder, "node_modules/node/bin/node")
  const { stdout } = await run(node, [inspector, "--cli", ...target, "--method", ...asked], { cwd: root })
  return JSON.parse(stdout)
}

const targets: { readonly [transport: string]: () => Promise<[ReadonlyArray<string>, () => void]> } = {
  stdio: async () => [await server("stdio"), () => undefined],
  HTTP: async () => {
    const [program = "", ...given] = await server("http")
    const child = spawn(program, given, { stdio: ["ignore", "pipe", "inherit"], cwd: root })
    const [line] = await once(child.stdout, "data")
    return [[String(line).trim(), "--transport", "http"], () => child.kill("SIGKILL")]
  }
}

describe.each(Object.entries(targets))("The inspector over %s", (_, open) => {
  it("lists and calls tools, reads resources and gets prompts", async () => {
    const [target, close] = await open()
    try {
      const { tools } = await inspect(target, "tools/list")
      expect(tools.map(({ name }: { readonly name: string }) => name)).toContain("steps")
      const called = await inspect(target, "tools/call", "--tool-name", "steps")
      expect(called.content).toEqual([{ type: "text", text: "done" }])
      const { contents } = await inspect(target, "resources/read", "--uri", "lab://state")
      expect(contents).toEqual([{ uri: "lab://state", text: "idle" }])
      const { messages } = await inspect(target, "prompts/get", "--prompt-name", "greet", "--prompt-args", "who=Ada")
      expect(messages[0].content.text).toBe("Greet Ada")
    } finally {
      close()
    }
  })
})
