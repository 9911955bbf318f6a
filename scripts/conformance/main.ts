/**
 * `pnpm conformance server` and `pnpm conformance client` run the protocol's conformance suite against
 * a server or a client of `@wield/mcp`, for each revision that has requirements;
 * `pnpm conformance client auth/dpop` runs these scenarios only. The last line is
 * `N passed, M failed`, in scenarios. A scenario that is expected to fail and
 * passes is a failure, too: take it off the list.
 */
import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { bundlePrograms } from "../bundle-programs.js"
import { mapConcurrently } from "../map-concurrently.js"
import { lastLines, runCommand } from "../run-command.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const revisions = ["2025-11-25", "2026-07-28"]

interface Verdict {
  readonly scenario: string
  readonly isPassed: boolean
  /** Counts of checks, and for a failure what was wrong. */
  readonly detail: string
}

interface Trial {
  readonly folder: string
  /** The scenarios to try, where it is not all. */
  readonly only: ReadonlyArray<string>
  readonly runSuite: (args: ReadonlyArray<string>) => ReturnType<typeof runCommand>
  readonly report: (revision: string, verdict: Verdict) => void
}

const suite = realpathSync(join(root, "packages/mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js"))

/**
 * The suite as one file, for it is started for each scenario of a client. It is written for Node 22: it imports
 * `globSync`, which Node 20 lacks, and needs it for no server.
 */
const bundleSuite = async (folder: string): Promise<string> => {
  const build = await rolldown({
    input: suite,
    platform: "node",
    tsconfig: false,
    plugins: [
      {
        name: "suite-for-node-20",
        resolveId: (specifier, importer) => (specifier === "fs" && importer === suite ? "\0fs" : null),
        load: (id) => (id === "\0fs" ? 'export * from "node:fs"; export const globSync = () => []' : null),
        // The requirements lie beside it.
        transform: (code, id) =>
          id === suite ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(suite).href)) : null
      }
    ]
  })
  const file = join(folder, "suite.mjs")
  await build.write({ file, format: "esm", codeSplitting: false })
  await build.close()
  return file
}

const bundle = async (source: string, folder: string): Promise<string> =>
  (await bundlePrograms(new Map([["program", join(root, source)]]), { folder })).get("program")!

/** The server runs while the suite goes through all scenarios of a revision. */
const startServer = async (folder: string): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const child = spawn(process.execPath, [await bundle("packages/mcp/test/fixtures/everything.ts", folder)], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const line = text.split("\n").find((one) => one.startsWith("http"))
      if (line !== undefined) resolve(line)
    })
    child.on("error", reject)
    child.on("close", () => reject(new Error("The server has ended")))
  })
  return { url, stop: () => child.kill("SIGKILL") }
}

const tryServer = async ({ folder, only, report, runSuite }: Trial): Promise<void> => {
  const { stop, url } = await startServer(folder)
  try {
    for (const revision of revisions) {
      const { output } = await runSuite(["server", "--url", url, "--requirements", revision, "-o", folder])
      const summary = output.slice(output.indexOf("=== SUMMARY ==="))
      for (const [, mark, scenario = "", detail = ""] of summary.matchAll(/^([✓✗]) (\S+): (.*)$/gmu)) {
        if (only.length === 0 || only.includes(scenario)) report(revision, { scenario, isPassed: mark === "✓", detail })
      }
    }
  } finally {
    stop()
  }
}

/** The suite would start the clients of all scenarios at once. */
const clientsAtOnce = 2

const tryClient = async ({ folder, only, report, runSuite }: Trial): Promise<void> => {
  const client = await bundle("packages/mcp/test/conformance/client.ts", folder)
  for (const revision of revisions) {
    const list = await runSuite(["list", "--client", "--requirements", revision])
    const required = list.output.slice(list.output.indexOf("\nClient scenarios")).split("\n\n")[0] ?? ""
    const scenarios = [
      ...[...required.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name),
      ...[...list.output.matchAll(/^ {4}- (\S+) \[client\]$/gm)].map(([, name = ""]) => name)
    ]
    await mapConcurrently(
      scenarios.filter((scenario) => only.length === 0 || only.includes(scenario)),
      clientsAtOnce,
      async (scenario) => {
        const { output, succeeded } = await runSuite([
          "client",
          "--force",
          `--command=${process.execPath} ${client}`,
          `--scenario=${scenario}`,
          `--spec-version=${revision}`,
          "--timeout=300000"
        ])
        const counts = /^Passed: .*$/m.exec(output)?.[0] ?? "no result"
        report(revision, {
          scenario,
          isPassed: succeeded,
          detail: succeeded ? counts : `${counts}\n${lastLines(output)}`
        })
      }
    )
  }
}

const readExpectedFailures = async (role: string): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(join(root, "packages/mcp/test/conformance/expected-failures.yml"), "utf8")
  const section = new RegExp(`^${role}:\\n((?: .*\\n)*)`, "m").exec(text)?.[1] ?? ""
  return new Map(
    [...section.matchAll(/^ +- (\S+) # (.*)$/gm)].map(([, scenario = "", reason = ""]) => [scenario, reason])
  )
}

const roles = { server: tryServer, client: tryClient }

const [role, ...only] = process.argv.slice(2)
if (role !== "server" && role !== "client") throw new Error("Name a role: server or client")
const expectedFailures = await readExpectedFailures(role)
let passed = 0
let failed = 0
const folder = await mkdtemp(join(tmpdir(), "wield-conformance-"))
try {
  const suiteFile = await bundleSuite(folder)
  await roles[role]({
    folder,
    only,
    runSuite: (args) => runCommand(process.execPath, [suiteFile, ...args], { cwd: root }),
    report: (revision, { detail, isPassed, scenario }) => {
      const reason = expectedFailures.get(scenario)
      if (isPassed && reason === undefined) passed++
      else if (isPassed || reason === undefined) failed++
      const remark = reason === undefined ? "" : isPassed ? ", expected to fail" : `, expected: ${reason}`
      const shown = reason === undefined ? detail : detail.split("\n", 1)[0]
      process.stdout.write(`${isPassed ? "✓" : "✗"} ${revision} ${scenario}: ${shown}${remark}\n`)
    }
  })
} finally {
  await rm(folder, { recursive: true, force: true })
}
// A suite that has tried nothing has shown nothing.
if (passed === 0 && failed === 0) failed = 1
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
