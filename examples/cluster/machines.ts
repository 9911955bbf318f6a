/**
 * The shop on three runners (runner.ts) and a web server (web.ts), each a
 * process, over a Postgres that is started for them. A client streams; the runner
 * that it streams from gets SIGTERM, and another one goes on. With `--kill` it
 * gets SIGKILL: the others wait `takeover` until they take over.
 *
 *     npx tsx examples/cluster/machines.ts [--kill]
 */
import * as assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { close, listen, startPostgres } from "../../test/postgres/server.js"

const role = process.argv[2]
if (role === "runner") await import("./runner.js")
else if (role === "web") await import("./web.js")
else await demonstrate(role === "--kill" ? "SIGKILL" : "SIGTERM")

async function demonstrate(signal: NodeJS.Signals): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "wield-cluster-"))
  chmodSync(folder, 0o755) // Postgres runs as another user than root.
  const { createDatabase, stop } = await startPostgres(folder)
  const processes: Array<ChildProcess> = []
  try {
    const DATABASE_URL = await createDatabase()
    const start = (role: string, env: { readonly [name: string]: string }): ChildProcess => {
      const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", role], {
        env: { ...process.env, DATABASE_URL, SHOP_PACE: "1 second", NODE_NO_WARNINGS: "1", ...env },
        stdio: ["ignore", "ignore", "inherit"]
      })
      processes.push(child)
      return child
    }
    const PORT = String(await freePort())
    start("web", { PORT })
    const runners = new Map<string, ChildProcess>()
    for (const _ of [1, 2, 3]) {
      const ADDRESS = `127.0.0.1:${await freePort()}`
      runners.set(ADDRESS, start("runner", { ADDRESS }))
    }
    const order = `http://127.0.0.1:${PORT}/orders/12`
    while (!(await fetch(`http://127.0.0.1:${PORT}/health`).catch(() => undefined))?.ok) await setTimeout(50)

    // The page reads before the prompt has arrived, so that it sees the first call begin.
    const sending = fetch(`${order}/prompts/1`, { method: "PUT", body: "I want my money back." })
    const turns: Array<string> = []
    for await (const { data, event } of eventsOf(`${order}/runs/1/events`)) {
      console.log("Seen:", event)
      if (event === "TurnFinished") turns.push(data.entry ?? "")
      if (event === "End") assert.equal(data.ending, "Paused")
      if (event === "CallStarted" && turns.length === 0) {
        const { owner } = await (await fetch(order)).json()
        console.log(`${signal} to the runner ${owner}`)
        runners.get(owner)?.kill(signal)
      }
    }
    assert.equal((await sending).status, 202)
    // Each recorded turn once, whichever runner took it.
    assert.equal(new Set(turns).size, 2)
    assert.equal(turns.length, 2)

    const { run } = await (await fetch(`${order}/approval`, { method: "POST" })).json()
    for await (const { data, event } of eventsOf(`${order}/runs/${encodeURIComponent(run)}/events`)) {
      if (event === "TurnFinished") console.log("The shop says:", data.text)
      if (event === "End") assert.equal(data.ending, "Finished")
    }
  } finally {
    const living = processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    await Promise.all(living.map((child) => (child.kill("SIGTERM"), once(child, "exit"))))
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await close(server)
  return port
}

interface Seen {
  readonly event: string
  readonly data: { readonly entry?: string; readonly text?: string; readonly ending?: string }
}

/** The server-sent events of an address. */
async function* eventsOf(url: string): AsyncGenerator<Seen> {
  const response = await fetch(url)
  assert.ok(response.body)
  let text = ""
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const events = `${text}${part}`.split("\n\n")
    text = events.pop() ?? ""
    for (const lines of events) {
      const read = (field: string) => new RegExp(`^${field}: (.*)$`, "m").exec(lines)?.[1] ?? ""
      yield { event: read("event"), data: JSON.parse(read("data")) }
    }
  }
}
