/**
 * Times contenders side by side: each is warmed, then all take turns in rounds,
 * in one process, so that they share the machine's fast and slow phases.
 */
import { now } from "./clock.js"
import { orderOfRound } from "./statistics.js"

export interface Contender {
  readonly name: string
  /** What it comes to, to be compared with the others before anything is timed. */
  readonly once: () => Promise<string>
  /** Does the work so many times over. */
  readonly run: (times: number) => void | Promise<void>
  /** How many operations one time is; 1 unless given. A sample is the time of one operation. */
  readonly operations?: number | undefined
}

export interface MeasureOptions {
  readonly rounds: number
  /** How long one sample takes, about. */
  readonly sampleMilliseconds: number
  readonly warmMilliseconds: number
  /** Nanoseconds since some moment; the processor's time of this thread unless given. */
  readonly clock?: (() => number) | undefined
}

export const standard: MeasureOptions = { rounds: 15, sampleMilliseconds: 15, warmMilliseconds: 250 }

/** Nanoseconds of one operation in each round, by contender. */
export type Samples = ReadonlyMap<string, ReadonlyArray<number>>

export const measure = async (
  contenders: ReadonlyArray<Contender>,
  options: MeasureOptions = standard
): Promise<Samples> => {
  const times = new Map<string, number>()
  const samples = new Map<string, Array<number>>()
  for (const contender of contenders) {
    if (samples.has(contender.name)) throw new Error(`two contenders are named ${contender.name}`)
    samples.set(contender.name, [])
    times.set(contender.name, await warm(contender, options))
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const contender of orderOfRound(contenders, round)) {
      const repetitions = times.get(contender.name) ?? 1
      const elapsed = await time(contender, repetitions, options)
      samples.get(contender.name)?.push(elapsed / (repetitions * (contender.operations ?? 1)))
    }
  }
  return samples
}

/** Runs it until it is warm and answers how many times fill a sample. */
const warm = async (contender: Contender, options: MeasureOptions): Promise<number> => {
  const { clock = now } = options
  const until = clock() + options.warmMilliseconds * 1e6
  let repetitions = 1
  let fastest = Number.POSITIVE_INFINITY
  do {
    const elapsed = await time(contender, repetitions, options)
    fastest = Math.min(fastest, elapsed / repetitions)
    if (elapsed < options.sampleMilliseconds * 5e5) repetitions *= 2
  } while (clock() < until)
  return Math.max(1, Math.round((options.sampleMilliseconds * 1e6) / fastest))
}

const time = async (contender: Contender, repetitions: number, { clock = now }: MeasureOptions): Promise<number> => {
  const started = clock()
  const running = contender.run(repetitions)
  // Awaiting what is not a promise would add a turn of the event loop to a synchronous contender.
  if (running !== undefined) await running
  return clock() - started
}

/** Where results go, so that no compiler may leave out the work that made them. */
let sink: unknown
export const keep = (value: unknown): void => {
  sink = value
}
export const kept = (): unknown => sink

/** A contender that answers at once. */
export const synchronous = (name: string, call: () => string): Contender => ({
  name,
  once: async () => call(),
  run: (times) => {
    for (let time = 0; time < times; time++) keep(call())
  }
})

/** A contender that answers with a promise, one after the other. */
export const asynchronous = (name: string, call: () => Promise<string>): Contender => ({
  name,
  once: call,
  run: async (times) => {
    for (let time = 0; time < times; time++) keep(await call())
  }
})

/** A contender that does its work so many times over in a way of its own. */
export const batched = (
  name: string,
  once: () => Promise<string>,
  run: Contender["run"],
  operations?: number
): Contender => ({ name, once, run, operations })

/** Fails unless all come to the same. */
export const assertEqual = async (contenders: ReadonlyArray<Contender>, expected: string): Promise<void> => {
  for (const contender of contenders) {
    const actual = await contender.once()
    if (actual !== expected) {
      throw new Error(`${contender.name} comes to\n${actual.slice(0, 500)}\nand not to\n${expected.slice(0, 500)}`)
    }
  }
}
