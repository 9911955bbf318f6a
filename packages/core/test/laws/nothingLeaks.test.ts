/**
 * Law 7: arguments, results and context values enter no span, log or metric
 * unless asked for.
 */
import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Approval, Hidden, type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Data, Effect, Exit, FastCheck, Fiber, Inspectable, Metric, Schedule, Schema, Stream, TestClock } from "effect"
import { recordLogs } from "../recording/Logs.js"
import { recordSpans } from "../recording/Spans.js"
import { Behaviour } from "./calls.js"
import { runs } from "../../../../test/sizes.js"

class Failed extends Data.TaggedError("Failed")<{ readonly detail: string }> {}

const parameters = {
  behaviour: Schema.Union(Behaviour, Schema.Literal("refuse", "misfit")),
  secret: Schema.String,
  customerId: Schema.String
}

const Work = Tool.make("work", {
  parameters,
  success: Schema.Struct({ answer: Schema.Unknown }),
  failure: Schema.Struct({ detail: Schema.String }),
  failureMode: "return"
}).pipe(Hidden.fields("customerId"))

const Raise = Tool.make("raise", {
  parameters,
  success: Schema.Struct({ answer: Schema.Unknown }),
  failure: Schema.Struct({ detail: Schema.String })
}).pipe(Hidden.fields("customerId"))

const Kit = Toolkit.make(Work, Raise)

type Parameters = Tool.Parameters<typeof Work>
type Answer = Tool.Success<typeof Work>
type Detail = Tool.Failure<typeof Work>

/** What the types exclude and a program without types can do all the same. */
const misfit = (value: unknown) => value as never

/** Every way in which a handler can end, with the secret in it. */
const work = ({ behaviour, customerId, secret }: Parameters): Effect.Effect<Answer, Detail> => {
  const text = `${secret} ${customerId}`
  switch (behaviour) {
    case "fail":
      return Effect.fail({ detail: text })
    case "refuse":
      return Effect.fail(new Failed({ detail: text }))
    case "misfit":
      return Effect.fail(misfit({ problem: text }))
    case "die":
      return Effect.zipRight(Effect.yieldNow(), Effect.die(new Error(text, { cause: text })))
    case "throw":
      throw new Error(text)
    case "interrupt":
      return Effect.interrupt
    case "never":
      return Effect.never
    case "wait":
      return Effect.delay(Effect.succeed({ answer: text }), "10 millis")
    case "bigint":
      return Effect.succeed({ answer: [text, 1n] })
    case "cycle":
      return Effect.succeed(misfit({ problem: text }))
    case "nothing":
      return Effect.die(text)
    case "succeed":
      return Effect.succeed({ answer: text })
  }
}

const toolset = Toolset.fromLayer(Kit, Kit.toLayer({ work, raise: work }))

const policies: ReadonlyArray<Policy.Policy<{ readonly work: typeof Work; readonly raise: typeof Raise }>> = [
  {},
  { limits: { default: { retry: Schedule.recurs(1), concurrency: 1, cache: { timeToLive: "1 minute" } } } },
  { resultBound: { maxBytes: 10 }, unknownArguments: "reject" },
  { approval: ({ context }) => Approval.deny(String(context.customerId)) },
  { approval: ({ context }) => Approval.ask(String(context.customerId)) },
  {
    approval: ({ parameters: decoded }) => {
      throw new Error(JSON.stringify(decoded))
    }
  }
]

const secretText = FastCheck.uuid()

const scenario = {
  secret: secretText,
  customer: secretText,
  policy: FastCheck.constantFrom(...policies),
  isFitting: FastCheck.boolean(),
  isInterrupted: FastCheck.boolean(),
  tool: FastCheck.constantFrom("work", "raise", "unknown"),
  form: FastCheck.constantFrom("value", "text", "broken", "misfit", "unknown argument"),
  behaviours: FastCheck.array(FastCheck.constantFrom(...Behaviour.literals, "refuse", "misfit"), {
    minLength: 1,
    maxLength: 4
  })
}

const sent = (form: string, behaviour: string, secret: string): unknown => {
  switch (form) {
    case "text":
      return JSON.stringify({ behaviour, secret })
    case "broken":
      return `{"behaviour":"${secret}`
    case "misfit":
      return { behaviour: secret, secret: [secret] }
    case "unknown argument":
      return { behaviour, secret, [secret]: secret }
    default:
      return { behaviour, secret, CUSTOMERID: secret }
  }
}

/**
 * What is raised is handed to whoever reads the stream, in whose fiber it is no
 * secret: Effect itself logs the failure of a stream that nobody catches.
 */
const told = <A, E>(events: Stream.Stream<A, E>) => Stream.catchAll(events, () => Stream.empty)

describe("law 7: arguments, results, failures, defects and context values", () => {
  it.scoped.prop(
    "occur in no span, log line or metric unless asked for",
    scenario,
    ({ behaviours, customer, form, isFitting, isInterrupted, policy, secret, tool }) =>
      Effect.gen(function* () {
        const made = yield* ToolRunner.make(yield* toolset, {
          ...policy,
          limits: { ...policy.limits, default: { timeout: "1 second", ...policy.limits?.default } }
        })
        // Wrong in some runs: the program is told the field's name, not its value.
        const runner = made.forRun({ context: { customerId: isFitting ? customer : misfit({ other: customer }) } })
        const calls = behaviours.map((behaviour, index) =>
          ToolCall.make(`call_${index}`, tool, sent(form, behaviour, secret))
        )
        const { lines, value } = yield* recordLogs(
          recordSpans(
            Effect.gen(function* () {
              const all = [
                yield* Effect.fork(Effect.exit(runner.runAll(calls))),
                yield* Effect.fork(Stream.runDrain(told(runner.stream(calls))))
              ]
              yield* TestClock.adjust("5 millis")
              if (isInterrupted) yield* Fiber.interruptAll(all)
              for (const fiber of all) {
                while (fiber.unsafePoll() === null) yield* TestClock.adjust("1 second")
              }
            })
          )
        )
        const metrics = JSON.stringify(
          yield* Effect.map(Metric.snapshot, (pairs) => pairs.map(({ metricKey }) => metricKey))
        )
        expect(value.spans.length).toBeGreaterThan(0)
        const seen = [
          ...lines,
          metrics,
          ...value.spans.flatMap(({ attributes, events, failure, name }) => [
            name,
            failure ?? "",
            Inspectable.toStringUnknown([...attributes]),
            Inspectable.toStringUnknown(events)
          ])
        ].join("\n")
        expect(seen).not.toContain(secret)
        expect(seen).not.toContain(customer)
      }),
    { fastCheck: { numRuns: runs(60) } }
  )

  it.scoped("occur where they are asked for, so that the law above can fail", () =>
    Effect.gen(function* () {
      const runner = (yield* ToolRunner.make(yield* toolset, {
        observe: { arguments: true, results: true, causes: true }
      })).forRun({ context: { customerId: "of-the-context" } })
      const call = (id: string, behaviour: string) => ToolCall.make(id, "work", { behaviour, secret: "of-the-model" })
      const { lines, value } = yield* recordLogs(
        recordSpans(Effect.exit(runner.runAll([call("a", "succeed"), call("b", "throw")])))
      )
      expect(Exit.isSuccess(value.value)).toBe(true)
      const attributes = value.spans.map((span) => Inspectable.toStringUnknown([...span.attributes])).join("\n")
      expect(attributes).toContain("of-the-model")
      // What a hidden field is filled from enters no span, whatever is asked for.
      expect(attributes).not.toContain("of-the-context")
      expect(lines.join("\n")).toContain("of-the-model of-the-context")
    })
  )
})
