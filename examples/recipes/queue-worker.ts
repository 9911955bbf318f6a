/**
 * A worker of a queue, with Effect. Queues deliver a job again when a worker was
 * slow or has died; the job's id names conversation, prompt and run, so that what
 * was done is not done again. Four jobs run at the same time, an error that
 * passes by itself is tried again, and what a stopped worker had begun goes on
 * with the next delivery.
 */
import * as assert from "node:assert/strict"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Tool, Toolkit } from "@effect/ai"
import { Agent, ConversationStore, ModelError } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { CurrentCall, Hidden, Journal, Toolset } from "@wield/core"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Context, Effect, Fiber, Layer, Queue, Schedule, Schema, Stream } from "effect"

interface Job {
  readonly id: string
  readonly customerId: string
  readonly prompt: string
}

/** Your queue: SQS, pg-boss, BullMQ, … */
class Jobs extends Context.Tag("Jobs")<
  Jobs,
  {
    readonly all: Stream.Stream<Job>
    /** The job is done, and is not delivered again. */
    readonly complete: (job: Job) => Effect.Effect<void>
    /** It cannot be done: a person has to look at it. */
    readonly reject: (job: Job, reason: string) => Effect.Effect<void>
  }
>() {}

const letters: Array<string> = []
class Post extends Toolkit.make(
  Tool.make("send_letter", {
    description: "Sends a letter to the customer",
    parameters: { customerId: Schema.String, text: Schema.String },
    success: Schema.String
  }).pipe(Hidden.fields("customerId"))
) {}
const PostLive = Post.toLayer({
  send_letter: ({ customerId, text }) =>
    Effect.gen(function* () {
      const { idempotencyKey } = yield* CurrentCall.CurrentCall // for a service that takes one
      assert.ok(idempotencyKey.length > 0)
      letters.push(`${customerId}: ${text}`)
      return "sent"
    })
})

let isFirst = true
const makeAgent = Effect.gen(function* () {
  // It stands for any model. Its first answer is lost on the way.
  const model = yield* FunctionModel.make(({ messages }) => {
    if (messages.at(-1)?._tag === "Results") return ScriptedModel.text("The letter is sent.")
    if (!isFirst) return ScriptedModel.call("send_letter", { text: "Your parcel is late." })
    isFirst = false
    return ScriptedModel.broken(
      ScriptedModel.text("I will"),
      new ModelError.Unreachable({ format: "openai-chat", url: "https://api.example", detail: "reset" })
    )
  })
  const toolset = yield* Toolset.fromToolkit(Post)
  return yield* Agent.make({ model, toolset, policy: { journal: yield* Journal.Journal }, retries: 0 })
})

const worker = Effect.gen(function* () {
  const agent = yield* makeAgent
  const jobs = yield* Jobs
  const store = yield* ConversationStore.ConversationStore

  const work = (job: Job) =>
    Effect.gen(function* () {
      const conversation = yield* store.openOrCreate(job.id)
      const context = { customerId: job.customerId }
      // The same prompt id: delivered again, the job goes on where it was.
      const result = yield* Agent.run(agent, { conversation, context, prompt: job.prompt, promptId: job.id })
      return result._tag === "Finished" ? undefined : `ended as ${result._tag}`
    }).pipe(
      Effect.timeout("5 minutes"),
      Effect.retry({
        while: ModelError.isModelError,
        schedule: Schedule.exponential("10 millis").pipe(Schedule.intersect(Schedule.recurs(3)))
      }),
      Effect.catchAll((error) => Effect.succeed(error.message)),
      Effect.flatMap((reason) => (reason === undefined ? jobs.complete(job) : jobs.reject(job, reason)))
    )

  yield* Stream.runForEach(
    jobs.all.pipe(Stream.mapEffect(work, { concurrency: 4, unordered: true })),
    () => Effect.void
  )
})

const until = (isTrue: () => boolean) => Effect.repeat(Effect.sleep("10 millis"), { until: isTrue })

// From here on: a queue that delivers one job twice. In a program of your own: NodeRuntime.runMain(worker).
const program = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<Job>()
  const ended: Array<string> = []
  const JobsLive = Layer.succeed(Jobs, {
    all: Stream.fromQueue(queue),
    complete: ({ id }) => Effect.sync(() => ended.push(`${id} done`)),
    reject: ({ id }, reason) => Effect.sync(() => ended.push(`${id}: ${reason}`))
  })
  const running = yield* Effect.fork(Effect.provide(worker, JobsLive))

  const job = (id: string, customerId: string): Job => ({ id, customerId, prompt: "Say that the parcel is late." })
  yield* queue.offerAll([job("job_1", "c_ada"), job("job_2", "c_bob")])
  yield* until(() => ended.length === 2)
  yield* queue.offer(job("job_1", "c_ada"))
  yield* until(() => ended.length === 3)
  yield* Fiber.interrupt(running)

  assert.deepEqual(ended.toSorted(), ["job_1 done", "job_1 done", "job_2 done"])
  assert.deepEqual(letters.toSorted(), ["c_ada: Your parcel is late.", "c_bob: Your parcel is late."])
  console.log("three deliveries, two letters")
})

const path = join(mkdtempSync(join(tmpdir(), "worker-")), "jobs.db")
await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(FileStore.layer({ path }), PostLive))))
