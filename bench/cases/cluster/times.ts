/** How long it takes until another process goes on, and until a client elsewhere hears of a run. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { median, summarise } from "../../harness/statistics.js"
import { withDatabases } from "../../harness/postgres.js"
import type { Measured } from "../../harness/table.js"
import { clientOf, type Order, Payer } from "../../peers/durable/wield.js"
import { joinClient, joinRunners } from "./members.js"
import { countPayments, findWrong } from "./payments.js"

const takeover = 10_000
/** Milliseconds that a model's turn or a payment takes. */
const pace = 100
const rounds = 4
/** Payments of an order. */
const orderLength = 15

interface Left {
  /** Milliseconds from the signal to the next runner's beginning. */
  readonly sinceSignal: ReadonlyArray<number>
  /** Milliseconds from the last event of the runner that leaves, ends of turns aside, to the first step of the next. */
  readonly sinceStep: ReadonlyArray<number>
  readonly wrong: ReadonlyArray<string>
}

/** Sends an order and notes when its events come. */
const follow = ({ name, payments }: Order) =>
  Effect.gen(function* () {
    const payer = yield* Payer.client
    const run = yield* payer.prompt(name, { prompt: `${name}|${payments}`, promptId: name })
    const events: Array<{ readonly at: number; readonly tag: string }> = []
    const note = Stream.runForEach(run.events, ({ _tag }) =>
      Effect.sync(() => events.push({ at: performance.now(), tag: _tag }))
    )
    const result = yield* Effect.fork(Effect.zipRight(note, run.result))
    while (events.length === 0) yield* Effect.sleep("10 millis")
    return { events, result }
  })

/** One of two runners gets a signal while orders go on at both. */
const leave = (url: string, signal: NodeJS.Signals, round: number): Effect.Effect<Left, unknown> =>
  Effect.gen(function* () {
    const orders = Array.from({ length: 12 }, (_, index) => ({
      name: `${signal} ${round} ${index}`,
      payments: orderLength
    }))
    const [first] = yield* joinRunners(2, url, { takeover, pace })
    const sent = yield* Effect.forEach(orders, follow, { concurrency: "unbounded" })
    // The time of a takeover depends on when the runner wrote last that it lives, which it does each 3 seconds.
    yield* Effect.sleep((round * 0.3 * takeover) / rounds)
    const signalledAt = performance.now()
    first?.signal(signal)
    const results = yield* Effect.forEach(sent, ({ result }) => result, { concurrency: "unbounded" })
    const taken = sent.flatMap(({ events }) => {
      const place = events.findIndex(({ tag }) => tag === "Resumed")
      const resumed = events[place]
      // The next runner begins by telling the ends of the turns before.
      const last = events.slice(0, Math.max(place, 0)).findLast(({ tag }) => tag !== "TurnFinished")
      const next = events.find(({ tag }, index) => index > place && (tag === "TurnStarted" || tag === "CallStarted"))
      return resumed === undefined || last === undefined || next === undefined ? [] : [{ last, resumed, next }]
    })
    const unfinished = results.filter(({ _tag }) => _tag !== "Finished")
    const counts = yield* Effect.promise(() => countPayments(url))
    return {
      sinceSignal: taken.map(({ resumed }) => resumed.at - signalledAt),
      sinceStep: taken.map(({ last, next }) => next.at - last.at),
      wrong: [
        ...(taken.length === 0 ? ["no order was taken over"] : []),
        ...(unfinished.length > 0 ? [`${unfinished.length} orders did not finish`] : []),
        ...findWrong(counts, orders.length * orderLength)
      ].map((text) => `${signal}, round ${round}: ${text}`)
    }
  }).pipe(Effect.scoped, Effect.provide(clientOf(url, { takeover })))

/** Orders of one payment, sent by the runner's own process and by another one in turn. */
const measureFirstEvents = (url: string) =>
  Effect.gen(function* () {
    const [here] = yield* joinRunners(1, url, { takeover, pace: 0 })
    const elsewhere = yield* joinClient(url, takeover)
    const samples = { here: [] as Array<number>, elsewhere: [] as Array<number> }
    for (let round = -2; round < 50; round++) {
      const ofHere = yield* Effect.promise(() => here!.timeToFirstEvent({ name: `here ${round}`, payments: 1 }))
      const ofElsewhere = yield* Effect.promise(() =>
        elsewhere.timeToFirstEvent({ name: `elsewhere ${round}`, payments: 1 })
      )
      // The first have to connect.
      if (round < 0) continue
      samples.here.push(ofHere)
      samples.elsewhere.push(ofElsewhere)
    }
    return samples
  }).pipe(Effect.scoped)

export const measureTimes = (): Promise<Measured> =>
  withDatabases(async (makeDatabase) => {
    const leaveAll = async (signal: NodeJS.Signals): Promise<Left> => {
      const all: Array<Left> = []
      for (let round = 0; round < rounds; round++) {
        all.push(await Effect.runPromise(leave(await makeDatabase(), signal, round)))
      }
      return {
        sinceSignal: all.flatMap(({ sinceSignal }) => sinceSignal),
        sinceStep: all.flatMap(({ sinceStep }) => sinceStep),
        wrong: all.flatMap(({ wrong }) => wrong)
      }
    }
    const killed = await leaveAll("SIGKILL")
    const deployed = await leaveAll("SIGTERM")
    const { elsewhere, here } = await Effect.runPromise(measureFirstEvents(await makeDatabase()))
    const more = median(elsewhere) - median(here)
    const [latestTakeover, latestStep] = [Math.max(...killed.sinceSignal), Math.max(...deployed.sinceStep)]
    const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
    const row = (name: string, samples: ReadonlyArray<number>) => {
      const { maximum, median, minimum } = summarise(samples)
      return [name, samples.length, ...[minimum, median, maximum].map((value) => value.toFixed(0))]
    }
    return {
      tables: [
        {
          _tag: "Figures",
          title: `Milliseconds of wall time at a client; takeover ${Duration.format(takeover)}, a step ${pace} ms`,
          columns: ["from ... to ...", "runs", "least", "median", "most"],
          rows: [
            row("SIGKILL to the next runner's beginning", killed.sinceSignal),
            row("SIGTERM to the next runner's beginning", deployed.sinceSignal),
            row("the last turn or call before the hand-over to the next runner's first step", deployed.sinceStep),
            row("a prompt to its first event, in the runner's process", here),
            row("a prompt to its first event, in another process", elsewhere)
          ]
        }
      ],
      goals: [
        {
          name: "takeover after SIGKILL",
          goal: "≤ 15 s",
          measured: seconds(latestTakeover),
          isMet: latestTakeover <= 15_000
        },
        {
          name: "step boundary after SIGTERM to the next step",
          goal: "≤ 2 s",
          measured: seconds(latestStep),
          isMet: latestStep <= 2000
        },
        {
          name: "first event elsewhere, more than local",
          goal: "≤ 50 ms",
          measured: `${more.toFixed(0)} ms`,
          isMet: more <= 50
        }
      ],
      failures: [...killed.wrong, ...deployed.wrong]
    }
  })
