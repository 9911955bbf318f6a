import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { bundleOf } from "../../../../test/programs.js"
import { sized } from "../../../../test/sizes.js"
import { differences, effectsIn, fileJournal, runChild, temporaryFolder } from "./children.js"
import { effects, expected } from "./program.js"

interface Round {
  readonly kills: number
  readonly uncertain: number
}

interface Place {
  readonly stop: number
  /** Whether its program was checked before, by a process that was killed then: the check takes longer than all else. */
  readonly isChecked: boolean
}

const configOf = (folder: string, name: string) => ({
  journal: fileJournal(folder, name),
  effects: join(folder, `${name}.txt`)
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
    const run = (name: string, stop: number) => runChild(file, { ...configOf(folder, name), stop })
    const whole = yield* run("whole", 0)
    expect(whole).toMatchObject({ result: expected, open: 0 })
    const first = whole?.checked ?? 0
    expect(first).toBeGreaterThan(0)
    expect(yield* run(checked, first)).toBeUndefined()
    copyChecked(folder, "rest")
    const rest = yield* run("rest", 0)
    expect(rest).toMatchObject({ result: expected, open: 0, checked: 0 })
    const places = (count: number, isChecked: boolean): ReadonlyArray<Place> =>
      Array.from({ length: count }, (_, index) => ({ stop: 1 + index, isChecked }))
    return [...places(first, false), ...places(rest?.passed ?? 0, true)]
  })

/** One program, whose process is killed at this place, and soon after it has gone on, and then left alone. */
const killAt = (file: string, folder: string, { isChecked, stop }: Place): Effect.Effect<Round> =>
  Effect.gen(function* () {
    const name = `${isChecked ? "go on" : "begin"} ${stop}`
    const config = configOf(folder, name)
    if (isChecked) copyChecked(folder, name)
    const stops = [stop, 3 + ((stop * 11) % 29)]
    let kills = 0
    for (const place of stops) if ((yield* runChild(file, { ...config, stop: place })) === undefined) kills++
    const ended = yield* runChild(file, { ...config, stop: 0 })
    const happened = effectsIn(config.effects)
    const others = differences(ended?.result, expected)
    const missing = effects.filter((effect) => !happened.includes(effect)).length
    const where = `${name}, killed at ${stops.join(" and ")}`
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

it.scopedLive(
  "a program whose process is killed at each of its places does nothing twice, and is uncertain exactly of what was begun and has no end",
  () =>
    Effect.gen(function* () {
      const file = yield* bundleOf(new URL("./child.ts", import.meta.url))
      const folder = yield* temporaryFolder
      const places = yield* findPlaces(file, folder)
      const chosen = places.filter((_, index) => sized(index === 24 || index === 72, true))
      const rounds = yield* Effect.forEach(chosen, (place) => killAt(file, folder, place), { concurrency: sized(1, 2) })
      const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
      yield* Effect.log(
        `${chosen.length} of ${places.length} places, ${sum((one) => one.kills)} kills, ${sum((one) => one.uncertain)} uncertain`
      )
      // Otherwise no process was killed while it had begun anything.
      expect(sum(({ kills }) => kills)).toBeGreaterThanOrEqual(chosen.length)
    }),
  // Some four hundred processes.
  sized(300_000, 3_600_000)
)
