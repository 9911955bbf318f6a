/**
 * What samples come to. The machine is shared and has slow phases, so minima and
 * ratios of minima are what repeats; medians and maxima carry the neighbours.
 */

export interface Summary {
  readonly minimum: number
  readonly median: number
  readonly maximum: number
}

export const summarise = (samples: ReadonlyArray<number>): Summary => ({
  minimum: Math.min(...nonEmpty(samples)),
  median: median(samples),
  maximum: Math.max(...samples)
})

export const median = (samples: ReadonlyArray<number>): number => {
  const sorted = [...nonEmpty(samples)].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = at(sorted, middle)
  return sorted.length % 2 === 1 ? upper : (at(sorted, middle - 1) + upper) / 2
}

/** How many times as long the fastest sample took as the fastest of the reference. */
export const ratioOfMinima = (samples: ReadonlyArray<number>, reference: ReadonlyArray<number>): number =>
  summarise(samples).minimum / summarise(reference).minimum

/** The median over the rounds of a sample by the reference's sample of the same round, which shared its slow phase. */
export const pairedMedianRatio = (samples: ReadonlyArray<number>, reference: ReadonlyArray<number>): number => {
  if (samples.length !== reference.length) {
    throw new RangeError(`${samples.length} samples cannot be paired with ${reference.length}`)
  }
  return median(samples.map((sample, round) => sample / at(reference, round)))
}

/** The order of the contenders in a round: reversed every second round, so that none always follows the same one. */
export const orderOfRound = <A>(contenders: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  round % 2 === 0 ? contenders : [...contenders].reverse()

const nonEmpty = (samples: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (samples.length === 0) throw new RangeError("there are no samples")
  return samples
}

const at = (samples: ReadonlyArray<number>, index: number): number => {
  const sample = samples[index]
  if (sample === undefined) throw new RangeError(`there is no sample ${index}`)
  return sample
}
