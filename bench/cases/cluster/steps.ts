/**
 * What a step costs. Wield's is a model's turn or a call, with conversation and journal; the others store what an empty
 * step gives.
 */
import { wall } from "../../harness/clock.js"
import { type Contender as Timed, measure, type Samples } from "../../harness/measure.js"
import { withDatabases } from "../../harness/postgres.js"
import { median } from "../../harness/statistics.js"
import { type Goal, type Measured, type Row, rowOf, times, timingTable } from "../../harness/table.js"
import { contenders, type Durable, type MakeDurable, withClient } from "../../peers/durable/durable.js"

const atOnce = 50
const [inCluster, alone] = ["Wield in a cluster", "Wield, no cluster"]

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

/** One is open at a time: what is counted is counted for the whole server. */
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

/** All are open at once and take turns run by run, so that they share what else the machine does with its time. */
const measureRuns = (payments: number, rounds: number): Promise<Samples> =>
  withDatabases(async (makeDatabase) => {
    const all: Array<Timed & { readonly close: () => Promise<void> }> = []
    for (const [name, load] of Object.entries(contenders)) {
      const { close, run } = await (await load())(await makeDatabase(), async () => {})
      let runs = 0
      const runOne = () => run(`${name} ${runs++}`, payments)
      all.push({
        name,
        close,
        once: async () => String(await runOne()),
        run: async (times) => {
          for (let time = 0; time < times; time++) await runOne()
        }
      })
    }
    const samples = await measure(all, { rounds, sampleMilliseconds: 1, warmMilliseconds: 5000, clock: wall })
    for (const { close } of all) await close()
    return samples
  })

/** The payments of a short and of a long run. A step is a turn or thought, or a payment. */
const [few, many] = [5, 20]

/** Judged by the medians: of single runs, the best repeats less. */
const fasterBy = (name: string, limit: number, ratio: (summary: (row: Row) => number) => number): Goal => ({
  name,
  goal: `≤ ${times(limit)}`,
  measured: `${times(ratio(medianOf))}, of the best ${times(ratio(({ minimum }) => minimum))}`,
  isMet: ratio(medianOf) <= limit
})

const medianOf = ({ median }: Row): number => median

export const measureSteps = async (): Promise<Measured> => {
  const short = timingTable(`A run of ${2 * few} steps, wall time, one at a time`, await measureRuns(few, 200), alone)
  const long = timingTable(`A run of ${2 * many} steps`, await measureRuns(many, 60), alone)
  const rounds = 6
  const usages = await measureInTurn(rounds, few, async (durable, { name, url }, round) => {
    const isLast = round === rounds - 1
    const transactionsBefore = isLast ? await transactionsOf(url) : 0
    const before = await usageOf(url)
    const used = process.cpuUsage()
    const startedAt = performance.now()
    await runMany(durable, `${name} ${round} at once`, atOnce, few)
    const steps = atOnce * 2 * few
    const rate = (1000 * steps) / (performance.now() - startedAt)
    const { system, user } = process.cpuUsage(used)
    const after = await usageOf(url)
    const transactions = isLast ? ((await transactionsOf(url)) - transactionsBefore) / steps : 0
    return {
      rate,
      processor: (user + system) / 1000 / steps,
      commits: (after.commits - before.commits) / steps,
      transactions,
      log: (after.log - before.log) / steps
    }
  })
  const figures = usages.map(({ name, samples }) => ({
    name,
    rate: median(samples.map(({ rate }) => rate)),
    processor: median(samples.map(({ processor }) => processor)),
    commits: median(samples.map(({ commits }) => commits)),
    transactions: Math.max(...samples.map(({ transactions }) => transactions)),
    log: median(samples.map(({ log }) => log))
  }))
  const of = (name: string) => figures.find((figure) => figure.name === name)!
  const further = (name: string, summary: (row: Row) => number): number =>
    (summary(rowOf(long, name)) - summary(rowOf(short, name))) / (2 * (many - few))
  const ratioTo = (other: string) => (summary: (row: Row) => number) =>
    summary(rowOf(short, inCluster)) / summary(rowOf(short, other))
  return {
    tables: [
      short,
      long,
      {
        _tag: "Figures",
        title: `A step that a run has more than another; steps where ${atOnce} runs go on at once; medians`,
        columns: ["", "ms", "steps/s", "commits", "with reads", "WAL in KB", "ms of processor"],
        rows: figures.map(({ commits, log, name, processor, rate, transactions }) => [
          name,
          (further(name, medianOf) / 1e6).toFixed(1),
          rate.toFixed(0),
          commits.toFixed(2),
          transactions.toFixed(2),
          log.toFixed(1),
          processor.toFixed(1)
        ])
      }
    ],
    goals: [
      fasterBy(`a run of ${2 * few} steps, beside no cluster`, 1.15, ratioTo(alone)),
      fasterBy(
        "a further step, beside no cluster",
        1.15,
        (summary) => further(inCluster, summary) / further(alone, summary)
      ),
      atMost("commits more than without", 0.3, of(inCluster).commits - of(alone).commits, ""),
      fasterBy("step, beside DBOS, which does less", 2, ratioTo("DBOS")),
      atMost("transactions, beside DBOS", 1, of(inCluster).transactions / of("DBOS").transactions),
      fasterBy("step, beside LangGraph", 1, ratioTo("LangGraph"))
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
    goals: [atMost(`WAL at ${payments} turns, beside LangGraph`, 0.5, of(inCluster) / of("LangGraph"))]
  }
}
