/** What a program loads before it is asked anything: parts that it does not use stay out. */
import { join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { describe, expect, inject, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The sources that a program's first file has, with what it imports at once, by their paths in the repository. */
const startOf = async (program: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)), sourcefile: "start.js" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["libsql", "@libsql/*"],
    outdir: join(inject("temporary"), "first-load"),
    write: false,
    metafile: true,
    logLevel: "silent"
  })
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith("start.js"))?.[0]
  const reached = new Set([entry ?? ""])
  for (const path of reached) {
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? []) {
      if (kind === "import-statement") reached.add(next)
    }
  }
  const inputs = [...reached].flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}))
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => relative(root, resolve(path)))
}

const formats =
  /^packages\/providers\/src\/(anthropic|bedrock-converse|cohere-v2|gemini|mistral|ollama|openai-chat|openai-responses)\//

const namesOf = (paths: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  [...new Set(paths.flatMap((path) => pattern.exec(path)?.[1] ?? []))].toSorted()

describe("the first load", () => {
  it("of tools with promises has no format, no agent, no database and no tokenizer", async () => {
    const paths = await startOf(`import { tool, wield } from "wield"
import { fileStore } from "wield/file"
globalThis.used = [tool, wield]`)
    expect(namesOf(paths, formats)).toEqual([])
    expect(
      paths.filter((path) => /agent\/src\/(loop|model|window)\/|node_modules\/(libsql|gpt-tokenizer)\//.test(path))
    ).toEqual([])
    expect(paths.filter((path) => /\/@effect\/platform\/|\/ajv\//.test(path))).toEqual([])
  })

  it("of an agent with one format has no other", async () => {
    const paths = await startOf(`import { Agent, Model } from "@wield/agent"
import * as OpenAiChat from "@wield/providers/OpenAiChat"
globalThis.used = [Agent.make, Model.fromWire, OpenAiChat.format]`)
    expect(namesOf(paths, formats)).toEqual(["openai-chat"])
  })
})
