/** Runs and their events in memory, up to a number of runs and of bytes. */
import * as Json from "@wield/core/Json"
import type { Decision, Event, Happening, Run, RunFile, Usage } from "../Api.js"
import { encode, type Kept, type Recorded } from "./encode.js"

export interface Bounds {
  readonly runs: number
  readonly bytes: number
}

export interface Begun {
  readonly id: string
  readonly name: string
  readonly kind: Run["kind"]
  readonly conversation: string | undefined
  readonly origin: string | undefined
  readonly prompt: string | undefined
}

interface Slot {
  readonly sequence: number
  readonly at: number
  readonly kept: Kept
  readonly bytes: number
}

type Counted = Omit<Run, "tools" | "problems" | "models">

interface Held {
  readonly run: { -readonly [Key in keyof Counted]: Counted[Key] }
  readonly tools: Set<string>
  readonly problems: Set<string>
  readonly models: Map<string, Usage>
  /** The model of the turn that goes on. */
  model: string
  /** Of calls by hand: the first one. */
  firstCall: Extract<Kept, { readonly _tag: "CallStarted" }> | undefined
  lastProblem: Kept | undefined
  slots: Array<Slot>
  bytes: number
}

type CallAnswered = Extract<Happening, { readonly _tag: "CallAnswered" }>

/** An answer as it is noted; the run that goes on with it is not always one that is recorded. */
export interface Noted {
  readonly id: string
  readonly at: number
  /** The run that has asked, where it is known. */
  readonly asked: string | undefined
  readonly run: string | undefined
  readonly conversation: string | undefined
  readonly answer: CallAnswered
}

/** How many answers are kept. */
const mostAnswers = 500

/** Titles and problems are for lists: more of them stands in the run. */
const brief = (text: string): string => text.slice(0, 200)

/** What is kept of an event beside its texts and values, about. */
const frame = 120

export class Ring {
  readonly #runs = new Map<string, Held>()
  readonly #listeners = new Set<() => void>()
  /** What a person said last in a conversation, for its runs that begin without a word. */
  readonly #titles = new Map<string, string>()
  #noted: Array<Noted> = []
  #bytes = 0
  #last = 0
  /** The sequence number of the newest event that had to make room. */
  #dropped = 0

  constructor(
    readonly bounds: Bounds,
    readonly recorded: Recorded,
    readonly now: () => number
  ) {}

  get last(): number {
    return this.#last
  }

  get dropped(): number {
    return this.#dropped
  }

  has(id: string): boolean {
    return this.#runs.has(id)
  }

  /** Called after each event; the function it gives ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  begin({ conversation, id, kind, name, origin, prompt }: Begun, at = this.now()): void {
    const first = this.#last + 1
    const said = prompt === undefined || !this.recorded.texts ? undefined : brief(prompt)
    if (conversation !== undefined && said !== undefined) {
      this.#titles.delete(conversation)
      this.#titles.set(conversation, said)
      if (this.#titles.size > 10 * this.bounds.runs) this.#titles.delete(this.#titles.keys().next().value ?? "")
    }
    const title = said ?? (conversation === undefined ? undefined : this.#titles.get(conversation))
    const run: Held["run"] = {
      id,
      name,
      kind,
      ...Json.withoutUndefined({ conversation, origin }),
      status: "running",
      startedAt: at,
      ...Json.withoutUndefined({ title }),
      steps: 0,
      calls: 0,
      errors: 0,
      usage: {},
      first,
      last: first,
      events: 0,
      dropped: 0
    }
    this.#runs.set(id, {
      run,
      tools: new Set(),
      problems: new Set(),
      models: new Map(),
      model: "",
      firstCall: undefined,
      lastProblem: undefined,
      slots: [],
      bytes: 0
    })
    const shown = this.recorded.texts ? prompt : undefined
    this.append(id, Json.withoutUndefined({ _tag: "RunStarted", name, kind, conversation, prompt: shown }), at)
  }

  /** Drops events of a run that had to make room. */
  append(id: string, kept: Kept, at = this.now()): void {
    const held = this.#runs.get(id)
    if (held === undefined) return
    const sequence = ++this.#last
    const bytes = frame + sizeOf(kept)
    held.slots.push({ sequence, at, kept, bytes })
    held.bytes += bytes
    this.#bytes += bytes
    count(held, kept, at)
    if (kept._tag === "CallAnswered") {
      const { conversation } = held.run
      this.#keepAnswer({ id: `${id}/${kept.call.id}`, at, asked: undefined, run: id, conversation, answer: kept })
    }
    held.run.last = sequence
    held.run.events++
    if (this.#bytes > this.bounds.bytes || this.#runs.size > this.bounds.runs) this.#makeRoom(id)
    for (const listener of this.#listeners) listener()
  }

  /** The newest first. */
  runs(): ReadonlyArray<Run> {
    return [...this.#runs.values()].map((held) => this.#listed(held)).reverse()
  }

  run(id: string): Run | undefined {
    const held = this.#runs.get(id)
    return held === undefined ? undefined : this.#listed(held)
  }

  #listed({ firstCall, lastProblem, models, problems, run, tools }: Held): Run {
    const title = run.title ?? (firstCall === undefined ? undefined : this.#titleOf(firstCall))
    const problem = lastProblem === undefined ? undefined : this.#problemOf(lastProblem)
    return Json.withoutUndefined({
      ...run,
      title,
      tools: [...tools],
      problems: [...problems],
      problem,
      models: Object.fromEntries(models)
    })
  }

  #titleOf(call: Kept): string | undefined {
    const { _tag, ...event } = encode(call, this.recorded)
    if (_tag !== "CallStarted" || !("call" in event) || typeof event.call !== "object") return undefined
    const { arguments: args } = event.call
    if (args === undefined) return undefined
    if (typeof args !== "object" || args === null) return brief(String(args))
    const said = Object.entries(args)
      .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(", ")
    return said === "" ? undefined : brief(said)
  }

  #problemOf(kept: Kept): string | undefined {
    const event = encode(kept, this.recorded)
    if (event._tag === "RunEnded") return event.message === undefined ? undefined : brief(event.message)
    if (event._tag !== "CallFinished") return undefined
    const { reason, text } = event.outcome
    const said = reason ?? text
    return said === undefined ? undefined : brief(said)
  }

  /** An answer to a call that waited: an event of the run that goes on with it, where that is recorded. */
  answer(noted: Noted): void {
    const { answer, at, run } = noted
    if (run === undefined || !this.has(run)) this.#keepAnswer(noted)
    else {
      this.append(run, answer, at)
      const last = this.#noted.length - 1
      this.#noted[last] = { ...this.#noted[last]!, id: noted.id, asked: noted.asked }
    }
  }

  #keepAnswer(noted: Noted): void {
    this.#noted.push(noted)
    if (this.#noted.length > mostAnswers) this.#noted = this.#noted.slice(-mostAnswers)
  }

  /** The newest first. */
  decisions(): ReadonlyArray<Decision> {
    return this.#noted.toReversed().map(({ answer, asked, at, conversation, id, run }) => {
      const outcome = run === undefined ? undefined : this.#outcomeOf(run, answer.call.id)
      return Json.withoutUndefined({ id, at, asked, run, conversation, answer, outcome })
    })
  }

  /** How a call has ended last in a run. */
  #outcomeOf(run: string, call: string): Decision["outcome"] {
    const slot = this.#runs
      .get(run)
      ?.slots.findLast(({ kept }) => kept._tag === "CallFinished" && kept.call.id === call)
    const event = slot === undefined ? undefined : encode(slot.kept, this.recorded)
    if (event?._tag !== "CallFinished") return undefined
    const { _tag, isError, text } = event.outcome
    return { _tag, isError, ...(text === undefined ? {} : { text: text.slice(0, 2000) }) }
  }

  /** Events after a sequence number, in their order; of all runs unless one is given. */
  events(after: number, limit: number, id?: string): ReadonlyArray<Event> {
    const found: Array<{ readonly id: string; readonly slot: Slot }> = []
    for (const [name, { run, slots }] of this.#runs) {
      if (run.last <= after || (id !== undefined && name !== id)) continue
      const from = indexAfter(slots, after)
      for (const slot of slots.slice(from, from + limit)) found.push({ id: name, slot })
    }
    return found
      .sort((one, other) => one.slot.sequence - other.slot.sequence)
      .slice(0, limit)
      .map(({ id: run, slot }) => ({
        sequence: slot.sequence,
        run,
        at: slot.at,
        event: encode(slot.kept, this.recorded)
      }))
  }

  export(id: string): RunFile | undefined {
    const held = this.#runs.get(id)
    if (held === undefined) return undefined
    const { dropped, origin } = held.run
    return {
      wield: "run",
      version: 1,
      id,
      ...(origin === undefined ? {} : { origin }),
      dropped,
      events: held.slots.map(({ at, kept }) => ({ at, event: encode(kept, this.recorded) }))
    }
  }

  /** Events of a run from elsewhere: the first of a run begins it. */
  take(id: string, origin: string | undefined, event: Event["event"], at: number): void {
    if (event._tag === "RunStarted" && !this.has(id)) {
      const { conversation, kind, name, prompt } = event
      this.begin({ id, name, kind, conversation, origin, prompt }, at)
      return
    }
    if (!this.has(id)) {
      this.begin({ id, name: id, kind: "agent", conversation: undefined, origin, prompt: undefined }, at)
    }
    this.append(id, event, at)
  }

  import({ dropped, events, id, origin }: RunFile): Run | undefined {
    for (const { at, event } of events) this.take(id, origin, event, at)
    const held = this.#runs.get(id)
    if (held === undefined) return undefined
    held.run.dropped += dropped
    // A file ends where it was exported: nothing will follow.
    if (held.run.status === "running") held.run.status = "interrupted"
    return this.#listed(held)
  }

  /** Ended runs go first, the oldest of them before; then old events of the run itself. */
  #makeRoom(current: string): void {
    while (this.#bytes > this.bounds.bytes || this.#runs.size > this.bounds.runs) {
      const others = [...this.#runs.values()].filter(({ run }) => run.id !== current)
      const oldest = others.find(({ run }) => run.status !== "running") ?? others[0]
      if (oldest !== undefined) {
        this.#forget(oldest, oldest.slots.length)
        this.#runs.delete(oldest.run.id)
        continue
      }
      const held = this.#runs.get(current)
      // The last event stays, however large it is.
      if (held === undefined || held.slots.length < 2) return
      this.#forget(held, Math.ceil((held.slots.length - 1) / 4))
    }
  }

  #forget(held: Held, amount: number): void {
    const gone = held.slots.slice(0, amount)
    held.slots = held.slots.slice(amount)
    for (const { bytes, sequence } of gone) {
      held.bytes -= bytes
      this.#bytes -= bytes
      if (sequence > this.#dropped) this.#dropped = sequence
    }
    held.run.dropped += gone.length
    held.run.first = held.slots[0]?.sequence ?? held.run.last
  }
}

/** The place of the first slot after a sequence number. */
const indexAfter = (slots: ReadonlyArray<Slot>, after: number): number => {
  let low = 0
  let high = slots.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (slots[middle]!.sequence <= after) low = middle + 1
    else high = middle
  }
  return low
}

const count = (held: Held, kept: Kept, at: number): void => {
  const { models, problems, run, tools } = held
  switch (kept._tag) {
    case "TurnStarted":
      run.steps++
      held.model = kept.model
      return
    case "TurnFinished":
      if (kept.usage !== undefined) models.set(held.model, add(models.get(held.model), kept.usage))
      return
    case "CallStarted":
      run.calls++
      if (tools.size < mostTools) tools.add(kept.call.name)
      if (run.kind === "calls") held.firstCall ??= kept
      return
    case "CallFinished":
      run.outcome = kept.outcome._tag
      if (!isError(kept.outcome)) return
      run.errors++
      problems.add(kept.outcome._tag)
      held.lastProblem = kept
      return
    case "UsageKnown":
      // An event from elsewhere has the same JSON.
      run.usage = kept.total as Usage
      return
    case "RunEnded":
      run.status = statuses[kept.result]
      run.endedAt = at
      if (kept.result === "Failed") held.lastProblem = kept
      return
  }
}

/** How many tools of a run are named. */
const mostTools = 20

const add = (before: Usage = {}, more: Usage): Usage => {
  const sum: { -readonly [Key in keyof Usage]: number } = { ...before }
  for (const key of ["input", "output", "reasoning", "cacheRead", "cacheWrite"] as const) {
    if (more[key] !== undefined) sum[key] = (sum[key] ?? 0) + more[key]
  }
  return sum
}

const isError = ({ _tag }: { readonly _tag: string }): boolean => _tag !== "Success" && _tag !== "Deferred"

const statuses = {
  Finished: "finished",
  Paused: "paused",
  Stopped: "stopped",
  Failed: "failed",
  Interrupted: "interrupted"
} as const

/** About how many bytes an event holds, found without writing it as JSON. */
const sizeOf = (kept: Kept): number => {
  switch (kept._tag) {
    case "TextDelta":
    case "ReasoningDelta":
    case "RefusalDelta":
    case "ArgumentsDelta":
      return kept.text.length
    case "CallStarted":
      return weightOf(kept.call.arguments)
    case "CallProgress":
      return weightOf(kept.value)
    case "CallFinished":
      return sizeOfOutcome(kept.outcome) + ("heard" in kept ? 16 * kept.heard.stages.length : 0)
    case "CallAnswered":
      return weightOf(kept.call.arguments) + weightOf(kept.value)
    case "RunStarted":
      return kept.prompt?.length ?? 0
    case "RunEnded":
      return kept.text?.length ?? 0
    default:
      return 0
  }
}

/** The text of a result, the value that it is of, and its images. */
const sizeOfOutcome = (outcome: Extract<Kept, { readonly _tag: "CallFinished" }>["outcome"]): number => {
  const text = "text" in outcome ? (outcome.text?.length ?? 0) : 0
  const images = "images" in outcome ? outcome.images : "content" in outcome ? outcome.content : undefined
  return 2 * text + (images === undefined ? 0 : weightOf(images))
}

const weightOf = (value: unknown, depth = 0): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || depth > 20) return 8
  let weight = 16
  for (const key in value)
    // What is left is an object.
    weight += key.length + weightOf((value as { readonly [key: string]: unknown })[key], depth + 1)
  return weight
}
