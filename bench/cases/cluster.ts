/**
 * Durable runs over one Postgres: what a step costs, and how many payments happen twice where the process is killed.
 * Wield's step is a model's turn or a call, with conversation and journal; the others store what an empty step gives.
 */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { median } from "../harness/statistics.js"
import type { Group, Measured } from "../harness/table.js"
import { contenders, type MakeDurable, withClient } from "../peers/durable/durable.js"
import { makeDatabases } from "./recall/postgres.js"

const payments = 5
/** A turn or thought and a payment each. */
const steps = 2 * payments
const rounds = 6
const atOnce = 50

interface Usage {
  readonly commits: number
  readonly log: number
}

const usageOf = (url: string): Promise<Usage> =>
  withClient(url, async (client) => {
    // Counters of other connections are written out when these are idle, after a second at most.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    const { rows } = await client.query(`SELECT xact_commit::float AS commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float AS log FROM pg_stat_database WHERE datname = current_database()`)
    return rows[0]
  })

interface Contender {
  readonly name: string
  readonly url: string
  readonly open: MakeDurable
  readonly latencies: Array<number>
  readonly rates: Array<number>
  readonly processor: Array<number>
  readonly usages: Array<Usage>
}

/** A round of one contender: runs one after the other, then many at once. */
const measureRound = async (contender: Contender, round: number): Promise<void> => {
  const { latencies, name, open, processor, rates, url, usages } = contender
  const durable = await open(url, async () => {})
  await durable.run(`${name} ${round} warm`, payments)
  for (let index = 0; index < 5; index++) {
    const startedAt = performance.now()
    await durable.run(`${name} ${round} ${index}`, payments)
    latencies.push((performance.now() - startedAt) / steps)
  }
  const before = await usageOf(url)
  const used = process.cpuUsage()
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, (_, index) => durable.run(`${name} ${round} at once ${index}`, payments))
  )
  rates.push((1000 * atOnce * steps) / (performance.now() - startedAt))
  const { system, user } = process.cpuUsage(used)
  processor.push((user + system) / 1000 / (atOnce * steps))
  const after = await usageOf(url)
  usages.push({
    commits: (after.commits - before.commits) / (atOnce * steps),
    log: (after.log - before.log) / 1024 / (atOnce * steps)
  })
  await durable.close()
}

const measureSteps = (): Promise<Measured> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeDatabases, (makeDatabase) =>
        Effect.promise(async () => {
          const all: Array<Contender> = []
          for (const [name, load] of Object.entries(contenders)) {
            const open = await load()
            all.push({ name, url: await makeDatabase(), open, latencies: [], rates: [], processor: [], usages: [] })
          }
          // They take turns, since some listen at one address and what else the machine does changes with time.
          for (let round = 0; round < rounds; round++) {
            for (const contender of round % 2 === 0 ? all : all.toReversed()) await measureRound(contender, round)
          }
          const figures = all.map(({ latencies, name, processor, rates, usages }) => ({
            name,
            best: Math.min(...latencies),
            usual: median(latencies),
            rate: Math.max(...rates),
            processor: Math.min(...processor),
            commits: median(usages.map(({ commits }) => commits)),
            log: median(usages.map(({ log }) => log))
          }))
          const of = (name: string) => figures.find((figure) => figure.name === name)!
          const [cluster, alone, dbos, graph] = ["Wield in a cluster", "Wield, no cluster", "DBOS", "LangGraph"].map(of)
          const ratio = (value: number) => `${value.toFixed(2)}x`
          const goal = (name: string, goal: string, measured: string, isMet: boolean) => ({
            name,
            goal,
            measured,
            isMet
          })
          return {
            tables: [
              {
                _tag: "Figures" as const,
                title: `A step of a run of ${steps}, wall time; ${atOnce} runs at once for the rest`,
                columns: [
                  "",
                  "ms, best",
                  "ms, median",
                  "steps/s, best",
                  "commits",
                  "WAL in KB",
                  "ms of processor, best"
                ],
                rows: figures.map(({ best, commits, log, name, processor, rate, usual }) => [
                  name,
                  best.toFixed(1),
                  usual.toFixed(1),
                  rate.toFixed(0),
                  commits.toFixed(2),
                  log.toFixed(1),
                  processor.toFixed(1)
                ])
              }
            ],
            goals: [
              goal(
                "step, beside no cluster",
                "≤ 1.15x",
                ratio(cluster!.best / alone!.best),
                cluster!.best <= 1.15 * alone!.best
              ),
              goal(
                "commits more than without",
                "≤ 0.3",
                (cluster!.commits - alone!.commits).toFixed(2),
                cluster!.commits - alone!.commits <= 0.3
              ),
              goal(
                "step, beside DBOS, which does less",
                "≤ 2x",
                ratio(cluster!.best / dbos!.best),
                cluster!.best <= 2 * dbos!.best
              ),
              goal(
                "commits, beside DBOS",
                "≤ 1x",
                ratio(cluster!.commits / dbos!.commits),
                cluster!.commits <= dbos!.commits
              ),
              goal("step, beside LangGraph", "≤ 1x", ratio(cluster!.best / graph!.best), cluster!.best <= graph!.best)
            ]
          }
        })
      )
    )
  )

const program = join(dirname(fileURLToPath(import.meta.url)), "..", "peers", "durable", "process.js")
const orders = 20
const kills = 3

interface Counts {
  readonly paid: number
  readonly doubled: number
}

/** How many results tell the model that a payment may have been made. Only Wield's do. */
const countUncertain = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS count FROM wield_entries WHERE json LIKE '%may already have taken effect%'`
    )
    return rows[0].count
  }).catch(() => 0)

const countPayments = (url: string): Promise<Counts> =>
  withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT count(*)::int AS paid, coalesce(sum(times - 1), 0)::int AS doubled
      FROM (SELECT count(*) AS times FROM payments GROUP BY order_name, number) AS payments`)
    return rows[0]
  }).catch(() => ({ paid: 0, doubled: 0 }))

/** Kills the process each time so many payments more have happened, and lets the last one end. */
const killAndCount = async (name: string, url: string): Promise<Counts & { readonly uncertain: number }> => {
  for (let kill = 0; kill <= kills; kill++) {
    const child = spawn(process.execPath, [program, name, url, String(orders), String(payments)], {
      stdio: ["ignore", "ignore", "pipe"]
    })
    let complaint = ""
    child.stderr.on("data", (text) => (complaint += String(text)))
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    let isOver = false
    void ended.then(() => (isOver = true))
    const enough = ((kill + 1) * orders * payments) / (kills + 1)
    while (kill < kills && !isOver && (await countPayments(url)).paid < enough) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (kill < kills) child.kill("SIGKILL")
    const code = await ended
    if (kill === kills && code !== 0) throw new Error(`${name} ended with exit code ${code}: ${complaint.slice(-2000)}`)
  }
  return { ...(await countPayments(url)), uncertain: await countUncertain(url) }
}

const measureKills = (): Promise<Measured> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeDatabases, (makeDatabase) =>
        Effect.promise(async () => {
          const figures: Array<Counts & { readonly name: string; readonly uncertain: number }> = []
          for (const name of Object.keys(contenders)) {
            figures.push({ name, ...(await killAndCount(name, await makeDatabase())) })
          }
          const { doubled, paid, uncertain } = figures.find(({ name }) => name === "Wield in a cluster")!
          const lost = Math.max(0, orders * payments - paid - uncertain)
          return {
            tables: [
              {
                _tag: "Figures" as const,
                title: `${orders} orders at once of ${payments} payments each, the process killed ${kills} times`,
                columns: ["", "payments due", "different ones made", "made twice", "named uncertain"],
                rows: figures.map(({ doubled, name, paid, uncertain }) => [
                  name,
                  orders * payments,
                  paid,
                  doubled,
                  uncertain
                ])
              }
            ],
            notes: ["A payment that was not made, and is not named uncertain, is lost."],
            goals: [
              { name: "payments made twice", goal: "0", measured: String(doubled), isMet: doubled === 0 },
              { name: "payments lost", goal: "0", measured: String(lost), isMet: lost === 0 }
            ]
          }
        })
      )
    )
  )

export const groups: ReadonlyArray<Group> = [
  { name: "steps", measure: measureSteps },
  { name: "kills", measure: measureKills }
]
