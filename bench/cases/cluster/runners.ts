/** How many steps a second 1, 2 and 4 runners make, beside the database and the client on the same machine. */
import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import { median } from "../../harness/statistics.js"
import { withDatabases } from "../../harness/postgres.js"
import type { Measured } from "../../harness/table.js"
import { clientOf, Payer } from "../../peers/durable/wield.js"
import { joinRunners } from "./members.js"

const takeover = 30_000
const payments = 5
const atOnce = 100
const rounds = 3
const counts = [1, 2, 4]

const runMany = (name: string, count: number) =>
  Effect.gen(function* () {
    const payer = yield* Payer.client
    const results = yield* Effect.forEach(
      Array.from({ length: count }, (_, index) => `${name} ${index}`),
      (order) =>
        Effect.flatMap(
          payer.prompt(order, { prompt: `${order}|${payments}`, promptId: order }),
          ({ result }) => result
        ),
      { concurrency: "unbounded" }
    )
    return results.filter(({ _tag }) => _tag !== "Finished").length
  })

/** Steps a second, and how many runs did not finish. */
const measureRate = (url: string, count: number, round: number) =>
  Effect.gen(function* () {
    const runners = yield* joinRunners(count, url, { takeover, pace: 0 })
    yield* runMany(`warm ${count} ${round}`, atOnce)
    const startedAt = performance.now()
    const unfinished = yield* runMany(`${count} ${round}`, atOnce)
    const rate = (1000 * atOnce * 2 * payments) / (performance.now() - startedAt)
    for (const { signal } of runners) signal("SIGTERM")
    yield* Effect.promise(() => Promise.all(runners.map(({ gone }) => gone)))
    return { rate, unfinished }
  }).pipe(Effect.scoped, Effect.provide(clientOf(url, { takeover })))

export const measureRunners = (): Promise<Measured> =>
  withDatabases(async (makeDatabase) => {
    const rates = new Map<number, Array<number>>(counts.map((count) => [count, []]))
    const failures: Array<string> = []
    for (let round = 0; round < rounds; round++) {
      for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
        const { rate, unfinished } = await Effect.runPromise(measureRate(await makeDatabase(), count, round))
        rates.get(count)?.push(rate)
        if (unfinished > 0) failures.push(`${unfinished} runs of ${count} runners did not finish`)
      }
    }
    return {
      tables: [
        {
          _tag: "Figures",
          title: `${atOnce} runs at once of ${2 * payments} steps, sent by another process`,
          columns: ["runners", "steps/s, best", "steps/s, median"],
          rows: [...rates].map(([count, all]) => [count, Math.max(...all).toFixed(0), median(all).toFixed(0)])
        }
      ],
      notes: [
        `The runners share ${availableParallelism()} processors with Postgres and the client: more runners than free processors cannot make more steps.`
      ],
      goals: [],
      failures
    }
  })
