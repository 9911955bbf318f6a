/**
 * `pnpm conformance server` runs the protocol's conformance suite against a
 * server of `@wield/mcp`, for each revision that has requirements. The last line
 * is `N passed, M failed`, in scenarios. A scenario that is expected to fail and
 * passes is a failure, too: take it off the list.
 */
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const revisions = ["2025-11-25", "2026-07-28"]

/** Why a scenario fails that no revision requires. */
const expectedFailures: { readonly [scenario: string]: string } = Object.fromEntries(
  [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition"
  ].map((scenario) => [scenario, "the server does not offer the tasks extension"])
)

/** The program's output while it runs: its exit code, or the line that `until` takes. */
const run = (
  args: ReadonlyArray<string>,
  until?: (line: string) => boolean
): { readonly output: Promise<string>; readonly stop: () => void } => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
  const output = new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const line = until === undefined ? undefined : text.split("\n").find(until)
      if (line !== undefined) resolve(line)
    })
    child.on("error", reject)
    child.on("close", () => (until === undefined ? resolve(text) : reject(new Error("The server has ended"))))
  })
  return { output, stop: () => child.kill("SIGKILL") }
}

const suite = join(root, "packages/mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js")
const hook = fileURLToPath(new URL("hook.mjs", import.meta.url))

const conformanceOf = async (role: string): Promise<{ readonly passed: number; readonly failed: number }> => {
  if (role !== "server") throw new Error(`Unknown role ${role}; there is: server`)
  const server = run(["--import", "tsx", "packages/mcp/test/fixtures/everything.ts"], (line) => line.startsWith("http"))
  const results = await mkdtemp(join(tmpdir(), "wield-conformance-"))
  try {
    const url = await server.output
    let passed = 0
    let failed = 0
    for (const revision of revisions) {
      const text = await run([
        "--import",
        hook,
        suite,
        "server",
        "--url",
        url,
        "--requirements",
        revision,
        "-o",
        results
      ]).output
      const summary = text.slice(text.indexOf("=== SUMMARY ==="))
      for (const [, mark, scenario = "", counts = ""] of summary.matchAll(/^([✓✗]) (\S+): (.*)$/gmu)) {
        const isExpected = mark === "✗" && Object.hasOwn(expectedFailures, scenario)
        const isStale = mark === "✓" && Object.hasOwn(expectedFailures, scenario)
        if (isStale || (mark === "✗" && !isExpected)) failed++
        else if (!isExpected) passed++
        const remark = isExpected ? `, expected: ${expectedFailures[scenario]}` : isStale ? ", expected to fail" : ""
        process.stdout.write(`${mark} ${revision} ${scenario}: ${counts}${remark}\n`)
      }
    }
    return { passed, failed: passed === 0 ? Math.max(1, failed) : failed }
  } finally {
    server.stop()
    await rm(results, { recursive: true, force: true })
  }
}

const { failed, passed } = await conformanceOf(process.argv[2] ?? "server")
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
