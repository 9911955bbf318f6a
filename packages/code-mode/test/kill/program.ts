/** The program whose process is killed, and what its child and its test say to each other. */

export interface ChildConfig {
  /** The program runs once for each, at the same time: to start a process takes longer than a program. */
  readonly runs: ReadonlyArray<Run>
  /** Whether it ends at the first question. */
  readonly isAsking?: boolean
  /** Whether it says that it is ready, and waits for a line. */
  readonly isWaiting?: boolean
}

export interface Run {
  readonly journal:
    | { readonly _tag: "File"; readonly path: string }
    | { readonly _tag: "Postgres"; readonly url: string }
  /** Each effect is a line. */
  readonly effects: string
  /** The place, from 1, that the process does not survive; none where it passes fewer. */
  readonly stop: number
}

export interface Ended {
  /** Of its run, in the configuration. */
  readonly place: number
  readonly result: unknown
  /** Calls that the journal knows to be begun, and not to be finished. */
  readonly open: number
  /** How many places were passed. */
  readonly passed: number
  /** How many of them until the journal had the program's checked script; 0 where it was there before. */
  readonly checked: number
}

/** Two pauses: for two payments beside readings, and for one after a race. */
export const program = `
const caught = (one: Promise<any>) => one.catch((error: ToolError) => error.outcome)
const note = (n: number) => caught(tools.note({ n }))
const pay = (n: number) => caught(tools.pay({ n }))
const first = await Promise.all([note(1), pay(2), note(3), pay(4), note(5)])
const next = []
for (let n = 10; n < 13; n++) next.push(await note(n))
const runners = [note(21), note(22), note(24)]
const won = await Promise.race(runners)
const third = await pay(30)
const raced = await Promise.all(runners)
const last = await Promise.all([note(41), note(42)])
return { first, next, raced, hasWinner: raced.includes(won), third, last }`

/** Where nothing is uncertain. */
export const expected = {
  first: [10, 20, 30, "Denied", 50],
  next: [100, 110, 120],
  raced: [210, 220, 240],
  hasWinner: true,
  third: 300,
  last: [410, 420]
}

/** What took effect, if all did. */
export const effects = [1, 2, 3, 5, 10, 11, 12, 21, 22, 24, 30, 41, 42]
