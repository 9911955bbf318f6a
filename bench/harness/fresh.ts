/** Times what happens once: each sample prepares something new, outside of the time, and then does the work once. */
import { now } from "./clock.js"
import { keep, type Samples } from "./measure.js"
import { orderOfRound } from "./statistics.js"

export interface Fresh {
  readonly name: string
  /** Makes what has not been used yet and answers with the work to be timed. */
  readonly prepare: () => () => unknown
}

export const measureFresh = async (contenders: ReadonlyArray<Fresh>, rounds: number): Promise<Samples> => {
  const samples = new Map<string, Array<number>>(contenders.map(({ name }) => [name, []]))
  // The first rounds warm the code; the data of every round is new.
  for (let round = -warmRounds; round < rounds; round++) {
    for (const { name, prepare } of orderOfRound(contenders, round + warmRounds)) {
      const work = prepare()
      const started = now()
      keep(await work())
      const elapsed = now() - started
      if (round >= 0) samples.get(name)?.push(elapsed)
    }
  }
  return samples
}

const warmRounds = 3
