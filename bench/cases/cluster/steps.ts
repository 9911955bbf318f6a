/**
 * What a step costs. Wield's is a model's turn or a call, with conversation and journal; the others store what an empty
 * step gives.
 */
import { median } from "../../harness/statistics.js"
import { withDatabases } from "../../harness/postgres.js"
import type { Goal, Measured } from "../../harness/table.js"
import { contenders, type Durable, type MakeDurable, withClient } from "../../peers/durable/durable.js"

const atOnce = 50

interface Usage {
  /** Transactions that wrote something. */
  readonly commits: number
  /** Kilobytes. */
  readonly log: number
}

const usageOf = (url: string): Promise<Usage> =>
  withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float AS commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float / 1024 AS log`)
    return rows[0]
  })

/** All transactions, also those that only read. */
const transactionsOf = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    // Another connection writes its counters out when it has been idle for ten seconds.
    await new Promise((resolve) => setTimeout(resolve, 10_500))
    const { rows } = await client.query(
      "SELECT xact_commit::float AS transactions FROM pg_stat_database WHERE datname = current_database()"
    )
    return rows[0].transactions
  })

const runMany = (durable: Durable, name: string, count: number, payments: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => durable.run(`${name} ${index}`, payments)))

interface Contender {
  readonly name: string
  readonly url: string
  readonly open: MakeDurable
}

type Measure<A> = (durable: Durable, contender: Contender, round: number) => Promise<A>

/** They take turns, since some listen at one address and what else the machine does changes with time. */
const measureInTurn = <A>(rounds: number, payments: number, measure: Measure<A>) =>
  withDatabases(async (makeDatabase) => {
    const all: Array<Contender & { readonly samples: Array<A> }> = []
    for (const [name, load] of Object.entries(contenders)) {
      all.push({ name, url: await makeDatabase(), open: await load(), samples: [] })
    }
    for (let round = 0; round < rounds; round++) {
      for (const contender of round % 2 === 0 ? all : all.toReversed()) {
        const durable = await contender.open(contender.url, async () => {})
        await durable.run(`${contender.name} ${round} warm`, payments)
        contender.samples.push(await measure(durable, contender, round))
        await durable.close()
      }
    }
    return all
  })

const atMost = (name: string, limit: number, measured: number, unit = "x"): Goal => ({
  name,
  goal: `≤ ${limit}${unit}`,
  measured: `${measured.toFixed(2)}${unit}`,
  isMet: measured <= limit
})

export const measureSteps = async (): Promise<Measured> => {
  const payments = 5
  /** A turn or thought and a payment each. */
  const steps = 2 * payments
  const rounds = 6
  const all = await measureInTurn(rounds, payments, async (durable, { name, url }, round) => {
    const isLast = round === rounds - 1
    const latencies: Array<number> = []
    for (let index = 0; index < 5; index++) {
      const startedAt = performance.now()
      await durable.run(`${name} ${round} ${index}`, payments)
      latencies.push((performance.now() - startedAt) / steps)
    }
    const transactionsBefore = isLast ? await transactionsOf(url) : 0
    const before = await usageOf(url)
    const used = process.cpuUsage()
    const startedAt = performance.now()
    await runMany(durable, `${name} ${round} at once`, atOnce, payments)
    const all = atOnce * steps
    const rate = (1000 * all) / (performance.now() - startedAt)
    const { system, user } = process.cpuUsage(used)
    const after = await usageOf(url)
    const commits = (after.commits - before.commits) / all
    const transactions = isLast ? ((await transactionsOf(url)) - transactionsBefore) / all : 0
    const log = (after.log - before.log) / all
    return { latencies, rate, processor: (user + system) / 1000 / all, commits, transactions, log }
  })
  const figures = all.map(({ name, samples }) => ({
    name,
    best: Math.min(...samples.flatMap(({ latencies }) => latencies)),
    usual: median(samples.flatMap(({ latencies }) => latencies)),
    rate: Math.max(...samples.map(({ rate }) => rate)),
    processor: Math.min(...samples.map(({ processor }) => processor)),
    commits: median(samples.map(({ commits }) => commits)),
    transactions: Math.max(...samples.map(({ transactions }) => transactions)),
    log: median(samples.map(({ log }) => log))
  }))
  const of = (name: string) => figures.find((figure) => figure.name === name)!
  const [cluster, alone, dbos, graph] = [of("Wield in a cluster"), of("Wield, no cluster"), of("DBOS"), of("LangGraph")]
  return {
    tables: [
      {
        _tag: "Figures",
        title: `A step of a run of ${steps}, wall time; ${atOnce} runs at once for the rest`,
        columns: [
          "",
          "ms, best",
          "ms, median",
          "steps/s, best",
          "commits",
          "with reads",
          "WAL in KB",
          "ms of processor, best"
        ],
        rows: figures.map(({ best, commits, log, name, processor, rate, transactions, usual }) => [
          name,
          best.toFixed(1),
          usual.toFixed(1),
          rate.toFixed(0),
          commits.toFixed(2),
          transactions.toFixed(2),
          log.toFixed(1),
          processor.toFixed(1)
        ])
      }
    ],
    goals: [
      atMost("step, beside no cluster", 1.15, cluster.best / alone.best),
      atMost("commits more than without", 0.3, cluster.commits - alone.commits, ""),
      atMost("step, beside DBOS, which does less", 2, cluster.best / dbos.best),
      atMost("transactions, beside DBOS", 1, cluster.transactions / dbos.transactions),
      atMost("step, beside LangGraph", 1, cluster.best / graph.best)
    ]
  }
}

/** What is written to the database's log grows faster than a run where each step saves all that came before. */
export const measureLog = async (): Promise<Measured> => {
  const payments = 20
  const runs = 20
  const all = await measureInTurn(3, payments, async (durable, { name, url }, round) => {
    const before = await usageOf(url)
    await runMany(durable, `${name} ${round}`, runs, payments)
    return ((await usageOf(url)).log - before.log) / runs
  })
  const figures = all.map(({ name, samples }) => ({ name, log: median(samples), all: samples }))
  const of = (name: string) => figures.find((figure) => figure.name === name)!.log
  return {
    tables: [
      {
        _tag: "Figures",
        title: `WAL of a run of ${payments} turns, in KB`,
        columns: ["", "median", "each round"],
        rows: figures.map(({ all, log, name }) => [name, log.toFixed(0), all.map((kb) => kb.toFixed(0)).join(" ")])
      }
    ],
    goals: [atMost(`WAL at ${payments} turns, beside LangGraph`, 0.5, of("Wield in a cluster") / of("LangGraph"))]
  }
}
