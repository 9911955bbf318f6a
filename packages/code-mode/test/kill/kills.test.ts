import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { bundleOf } from "../../../../test/programs.js"
import { sized } from "../../../../test/sizes.js"
import { differences, effectsIn, fileJournal, runChild, temporaryFolder } from "./children.js"
import { effects, expected } from "./program.js"

interface Round {
  readonly kills: number
  readonly uncertain: number
}

/** One program, whose process is killed at these places, one after the other, and then left alone. */
const killAt = (file: string, folder: string, name: string, places: ReadonlyArray<number>): Effect.Effect<Round> =>
  Effect.gen(function* () {
    const config = { journal: fileJournal(folder, name), effects: join(folder, `${name}.txt`) }
    let kills = 0
    for (const stop of places) if ((yield* runChild(file, { ...config, stop })) === undefined) kills++
    const ended = yield* runChild(file, { ...config, stop: 0 })
    const happened = effectsIn(config.effects)
    const others = differences(ended?.result, expected)
    const missing = effects.filter((effect) => !happened.includes(effect)).length
    const where = `${name}, killed at ${places.join(" and ")}`
    expect({
      where,
      twice: happened.length - new Set(happened).size,
      wrong: others.filter((other) => other !== "Uncertain"),
      // What has no end is uncertain, and nothing else is.
      uncertain: others.length,
      isMissingCertain: missing > others.length
    }).toEqual({ where, twice: 0, wrong: [], uncertain: ended?.open, isMissingCertain: false })
    return { kills, uncertain: others.length }
  })

/** So many tests share the places: each may take as long as a test may. */
const shares = 8

describe("a program whose process is killed at each of its places", () => {
  for (const share of sized([0], [0, 1, 2, 3, 4, 5, 6, 7])) {
    it.scopedLive(
      `does nothing twice, and is uncertain exactly of what was begun and has no end: share ${share}`,
      () =>
        Effect.gen(function* () {
          const file = yield* bundleOf(new URL("./child.ts", import.meta.url))
          const folder = yield* temporaryFolder
          const whole = yield* runChild(file, {
            journal: fileJournal(folder, "whole"),
            effects: join(folder, "whole.txt"),
            stop: 0
          })
          expect(whole).toMatchObject({ result: expected, open: 0 })
          const places = whole?.passed ?? 0
          const ofShare = Array.from({ length: places }, (_, index) => 1 + index).filter(
            (place) => place % shares === share
          )
          const chosen = sized(
            [ofShare[3], ofShare[9]].flatMap((place) => place ?? []),
            ofShare
          )
          const rounds = yield* Effect.forEach(
            chosen,
            // The second kill comes soon after the process has gone on.
            (place) => killAt(file, folder, `program ${place}`, [place, 3 + ((place * 11) % 29)]),
            { concurrency: sized(1, 2) }
          )
          const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
          yield* Effect.log(
            `${chosen.length} of ${places} places, ${sum((one) => one.kills)} kills, ${sum((one) => one.uncertain)} uncertain`
          )
          // Otherwise no process was killed while it had begun anything.
          expect(sum(({ kills }) => kills)).toBeGreaterThanOrEqual(chosen.length)
        }),
      // Some fifty processes.
      sized(300_000, 900_000)
    )
  }
})
