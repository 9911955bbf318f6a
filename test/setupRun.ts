/** What all tests of a run share, made once and gone after the run. */
import { rmSync } from "node:fs"
import { createServer } from "node:http"
import { mkdtemp } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { text } from "node:stream/consumers"
import type { BrowserServer } from "playwright-core"
import type { TestProject } from "vitest/node"
import { bundlePrograms } from "../scripts/bundle-programs.js"
import { makeTemporaryFolder } from "../scripts/make-temporary-folder.js"
import { close, listen, startPostgres } from "./postgres/server.js"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * A server. `/database` answers with the URL of a new database in Postgres, which it starts when it is first asked;
     * `/bundle` with the path of a program's bundle; `/browser` with the address of a browser, which it starts likewise.
     */
    readonly shared: string
    /** The folder for what tests write for a while. It goes with the run. */
    readonly temporary: string
  }
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Those of `pnpm test`. They are bundled together when the first is asked for: most of what they import is the same. */
const usual = [
  "examples/assistant/main.ts",
  "examples/chat.ts",
  "examples/quick-start/main.ts",
  "packages/agent/test/store/process.ts",
  "packages/assistant/src/ReaderProcess.ts",
  "packages/assistant/test/documents/killedChild.ts",
  "packages/cli/bin/wield.js",
  "packages/cluster/test/kill/runner.ts",
  "packages/code-mode/test/kill/child.ts",
  "packages/scripts/test/folder/loadedCompiler.ts",
  "packages/toolset-manager/test/saver.ts",
  "test/corpus/main.ts",
  "test/kill/child.ts",
  "test/mcp/child.ts"
]

/** Finds the bundle of a program, by its path from the root. */
const makeBundles = (folder: string): ((program: string) => Promise<string>) => {
  const bundles = new Map<string, Promise<string>>()
  const bundle = (programs: ReadonlyArray<string>): void => {
    const entries = new Map(programs.map((program) => [program, join(root, program)]))
    const made = mkdtemp(join(folder, "bundle-")).then((into) => bundlePrograms(entries, { folder: into }))
    for (const program of programs) {
      bundles.set(
        program,
        made.then((paths) => paths.get(program)!)
      )
    }
  }
  return (program) => {
    if (!bundles.has(program)) bundle(usual.includes(program) ? usual : [program])
    return bundles.get(program)!
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const folder = makeTemporaryFolder("wield-tests-")
  provide("temporary", folder)
  // A run that is stopped does not come to its end.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  let postgres: ReturnType<typeof startPostgres> | undefined
  let browser: Promise<BrowserServer> | undefined
  const bundleOf = makeBundles(folder)
  const server = createServer((request, response) => {
    // A connection that is kept may end at the moment in which a busy test asks through it again.
    response.shouldKeepAlive = false
    const answer = async (): Promise<string> => {
      if (request.url === "/bundle") return bundleOf(await text(request))
      if (request.url === "/browser") {
        browser ??= import("./browser/chromium.js").then(({ startChromium }) => startChromium())
        return (await browser).wsEndpoint()
      }
      postgres ??= startPostgres(folder)
      return (await postgres).createDatabase()
    }
    answer().then(
      (result) => response.end(result),
      (cause: unknown) => response.writeHead(500).end(String(cause))
    )
  })
  const port = await listen(server)
  provide("shared", `http://127.0.0.1:${port}`)
  return async () => {
    await close(server)
    await (await browser)?.close()
    await (await postgres)?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
