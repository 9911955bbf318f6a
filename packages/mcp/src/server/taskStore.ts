/**
 * Tasks in a key-value store that several processes share. The process that runs
 * a task writes how it is; the others read that, and leave what their clients
 * want of it: answers, or its end.
 */
import type * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Json from "@wield/core/Json"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Answers } from "./incoming.js"
import type { Task } from "./tasks.js"

/** A task as another process sees it. */
export interface Stored {
  readonly principal: string | null
  readonly details: Json.JsonObject
}

export class TaskStore {
  constructor(
    private readonly store: KeyValueStore.KeyValueStore,
    /** Milliseconds without a word after which the process of a task counts as dead. */
    private readonly silence: number
  ) {}

  /** How the task is when the effect runs. */
  write(task: Task): Effect.Effect<void, unknown> {
    return Effect.suspend(() => {
      const { details, expires, id, isOver, principal } = task
      const seen = isOver ? null : Date.now()
      return this.store.set(id, JSON.stringify({ principal: principal ?? null, expires, seen, details }))
    })
  }

  /** Nothing of a task that has expired, or whose process is gone: what became of its call, no one knows. */
  read(id: string): Effect.Effect<Stored | undefined, unknown> {
    // It comes from a client, and is a key here.
    if (!/^[0-9a-f-]{36}$/.test(id)) return Effect.succeed(undefined)
    return Effect.flatMap(this.#get(id), (task) => {
      if (task === undefined) return Effect.succeed(undefined)
      const { details, expires, principal, seen } = task
      const asked = Json.isObject(details) ? Object.keys(details["inputRequests"] ?? {}) : []
      // Another process may have removed it meanwhile.
      if (Number(expires) <= Date.now()) return Effect.as(Effect.ignore(this.remove(id, asked)), undefined)
      const isGone = typeof seen === "number" && Date.now() - seen > this.silence
      return Effect.succeed(
        isGone || !Json.isObject(details)
          ? undefined
          : { principal: typeof principal === "string" ? principal : null, details: Json.fromObject(details) }
      )
    })
  }

  /** Leaves the answers to what the task asks, behind those that are there, and drops others. */
  answer(id: string, { details }: Stored, answers: Answers): Effect.Effect<void, unknown> {
    const asked = details["inputRequests"]
    const given = Object.entries(answers).filter(([key]) => Json.isObject(asked) && Object.hasOwn(asked, key))
    return Effect.forEach(
      given,
      ([key, value]) =>
        Effect.flatMap(this.#answersTo(id, key), (before) =>
          this.store.set(answerTo(id, key), JSON.stringify({ values: [...before, value].slice(0, mostAnswers) }))
        ),
      { discard: true }
    )
  }

  #answersTo(id: string, question: string): Effect.Effect<ReadonlyArray<unknown>, unknown> {
    return Effect.map(this.#get(answerTo(id, question)), (left) =>
      Array.isArray(left?.["values"]) ? left["values"] : []
    )
  }

  cancel(id: string): Effect.Effect<void, unknown> {
    return this.store.set(cancelOf(id), "{}")
  }

  /** Does what other processes have left for a task. It has an answer before that is removed: a store may fail between. */
  followOrders(task: Pick<Task, "id" | "questions" | "update" | "cancel">): Effect.Effect<void, unknown> {
    return Effect.gen(this, function* () {
      const { id, questions } = task
      for (const key of questions) {
        const values = yield* this.#answersTo(id, key)
        if (values.length === 0) continue
        for (const value of values) task.update({ [key]: value })
        yield* this.store.remove(answerTo(id, key))
      }
      if ((yield* this.#get(cancelOf(id))) !== undefined) yield* task.cancel
    })
  }

  /** With what was left for it and not taken, such as answers to what it has asked. */
  remove(id: string, asked: ReadonlyArray<string>): Effect.Effect<void, unknown> {
    const left = [cancelOf(id), ...asked.map((key) => answerTo(id, key))]
    return Effect.zipRight(
      Effect.forEach(left, (key) => Effect.ignore(this.store.remove(key)), { discard: true }),
      this.store.remove(id)
    )
  }

  /** A file may be read while it is written. One that stays half written is of a process that was killed then. */
  #get(key: string): Effect.Effect<{ readonly [key: string]: unknown } | undefined, unknown> {
    return Effect.flatMap(
      this.store.get(key),
      Option.match({
        onNone: () => Effect.succeed(undefined),
        // `write` has made the text.
        onSome: (text) =>
          Effect.try({
            try: () => JSON.parse(text) as { readonly [key: string]: unknown },
            catch: () => new HalfWritten()
          })
      })
    ).pipe(
      Effect.retry({ times: 7, schedule: again }),
      Effect.catchTag("HalfWritten", () => Effect.succeed(undefined))
    )
  }
}

class HalfWritten extends Data.TaggedError("HalfWritten") {}

/** So many answers to one question are kept until the task's process takes them: the first that fits counts. */
const mostAnswers = 10

const again = Schedule.exponential("10 millis")

const answerTo = (id: string, question: string) => `${id}.answer.${question}`
const cancelOf = (id: string) => `${id}.cancel`
