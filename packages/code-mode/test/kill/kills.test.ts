import { expect, it } from "@effect/vitest"
import { Chunk, Effect } from "effect"
import { copyFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { bundleOf } from "../../../../test/programs.js"
import { sized } from "../../../../test/sizes.js"
import { differences, effectsIn, fileJournal, runChild, temporaryFolder } from "./children.js"
import { effects, type Ended, expected, type Run } from "./program.js"

interface Round {
  readonly kills: number
  readonly uncertain: number
}

interface Place {
  readonly stop: number
  /** Whether its program was checked before, by a process that was killed then: the check takes longer than all else. */
  readonly isChecked: boolean
}

const runOf = (folder: string, name: string, stop = 0): Run => ({
  journal: fileJournal(folder, name),
  effects: join(folder, `${name}.txt`),
  stop
})

const checked = "checked"

/** Another program that stands where that one was killed: a database of SQLite is its file, and those beside it. */
const copyChecked = (folder: string, name: string): void => {
  for (const file of readdirSync(folder)) {
    if (file.startsWith(`${checked}.db`)) copyFileSync(join(folder, file), join(folder, file.replace(checked, name)))
  }
}

/** All places at which a process may be killed, with what a process passes that is left alone. */
const findPlaces = (file: string, folder: string): Effect.Effect<ReadonlyArray<Place>> =>
  Effect.gen(function* () {
    const run = (name: string, stop?: number) =>
      Effect.map(runChild(file, { runs: [runOf(folder, name, stop)] }), ([ended]) => ended)
    const whole = yield* run("whole")
    expect(whole).toMatchObject({ result: expected, open: 0 })
    const first = whole?.checked ?? 0
    expect(first).toBeGreaterThan(0)
    expect(yield* run(checked, first)).toBeUndefined()
    copyChecked(folder, "rest")
    const rest = yield* run("rest")
    expect(rest).toMatchObject({ result: expected, open: 0, checked: 0 })
    const places = (count: number, isChecked: boolean): ReadonlyArray<Place> =>
      Array.from({ length: count }, (_, index) => ({ stop: 1 + index, isChecked }))
    return [...places(first, false), ...places(rest?.passed ?? 0, true)]
  })

const nameOf = ({ isChecked, stop }: Place): string => `${isChecked ? "go on" : "begin"} ${stop}`

const stopsOf = ({ stop }: Place): ReadonlyArray<number> => [stop, 3 + ((stop * 11) % 29)]

/** Programs whose process is killed at these places, and soon after they have gone on, and that are then left alone. */
const killAt = (file: string, folder: string, places: ReadonlyArray<Place>): Effect.Effect<ReadonlyArray<Round>> =>
  Effect.gen(function* () {
    for (const place of places) if (place.isChecked) copyChecked(folder, nameOf(place))
    const run = (attempt: number) =>
      runChild(file, { runs: places.map((place) => runOf(folder, nameOf(place), stopsOf(place)[attempt])) })
    const [first, second, last] = [yield* run(0), yield* run(1), yield* run(2)]
    return places.map((place, index) => ({
      kills: [first, second].filter((ended) => ended[index] === undefined).length,
      uncertain: check(place, effectsIn(runOf(folder, nameOf(place)).effects), last[index])
    }))
  })

/** How many calls are uncertain of a program that was killed there, and has ended. */
const check = (place: Place, happened: ReadonlyArray<number>, ended: Ended | undefined): number => {
  const others = differences(ended?.result, expected)
  const missing = effects.filter((effect) => !happened.includes(effect)).length
  const where = `${nameOf(place)}, killed at ${stopsOf(place).join(" and ")}`
  expect({
    where,
    twice: happened.length - new Set(happened).size,
    wrong: others.filter((other) => other !== "Uncertain"),
    // What has no end is uncertain, and nothing else is.
    uncertain: others.length,
    isMissingCertain: missing > others.length
  }).toEqual({ where, twice: 0, wrong: [], uncertain: ended?.open, isMissingCertain: false })
  return others.length
}

it.scopedLive(
  "a program whose process is killed at each of its places does nothing twice, and is uncertain exactly of what was begun and has no end",
  () =>
    Effect.gen(function* () {
      const file = yield* bundleOf(new URL("./child.ts", import.meta.url))
      const folder = yield* temporaryFolder
      const places = yield* findPlaces(file, folder)
      const chosen = places.filter((_, index) => sized(index === 24 || index === 72, true))
      const together = Chunk.chunksOf(Chunk.fromIterable(chosen), 8)
      const killed = yield* Effect.forEach(together, (some) => killAt(file, folder, [...some]), { concurrency: 2 })
      const rounds = killed.flat()
      const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
      yield* Effect.log(
        `${chosen.length} of ${places.length} places, ${sum((one) => one.kills)} kills, ${sum((one) => one.uncertain)} uncertain`
      )
      // Otherwise no process was killed while it had begun anything.
      expect(sum(({ kills }) => kills)).toBeGreaterThanOrEqual(chosen.length)
    })
)
