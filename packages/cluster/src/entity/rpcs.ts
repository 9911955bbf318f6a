/**
 * The messages of an agent's entity. What a row keeps outlives a deploy, so the
 * envelope never changes: what is new goes into `body`, under a new version.
 */
import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as DeliverAt from "@effect/cluster/DeliverAt"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as Issue from "@wield/core/Issue"
import * as Message from "@wield/core/Message"
import * as Options from "@wield/core/Options"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as PrimaryKey from "effect/PrimaryKey"
import * as Schema from "effect/Schema"
import { RunEvent } from "../RunEvent.js"

/** What this code writes, and the newest that it reads. */
export const version = 1

/** A message to a conversation. It is delivered at least once, and taken once by its id and attempt. */
export class Work extends Schema.Class<Work>("@wield/cluster/Work")({
  version: Schema.Number,
  id: Schema.String,
  /** From 0; a run that failed for a passing reason is a message again. */
  attempt: Schema.Number,
  /** Milliseconds since 1970 before which it is not delivered. */
  at: Schema.Number,
  body: Schema.Unknown
}) {
  [PrimaryKey.symbol](): string {
    return `${this.attempt}:${this.id}`
  }
  [DeliverAt.symbol](): DateTime.DateTime {
    return DateTime.unsafeMake(this.at)
  }
}

export const PromptBody = Schema.Struct({ message: Message.Message, context: Schema.optional(Schema.Unknown) })

export const AnswerBody = Schema.Struct({
  answers: Schema.Array(DeferredCall.Answer),
  context: Schema.optional(Schema.Unknown)
})

/** What a row keeps of a reply. The result itself stands in the table of runs. */
export const Reply = Schema.Struct({
  /** The tag of the result, or `Again`: the run goes on with the next attempt. */
  ending: Schema.String,
  again: Schema.optional(Schema.Struct({ attempt: Schema.Number, at: Schema.Number })),
  /** The ids of the runs that were cancelled, or that took what was said to them. */
  runs: Schema.optional(Schema.Array(Schema.String))
})

export type Reply = typeof Reply.Type

/** An error as the result of a run has it. */
export const describe = (error: unknown): { readonly error: string; readonly message: string } => ({
  error: Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "Defect",
  message: error instanceof Error ? error.message : String(error)
})

/** Where a reader of events is: in which delivery of the run, and after how many of its events. */
export const Position = Schema.Struct({ delivery: Schema.Number, number: Schema.Number })

export type Position = typeof Position.Type

export const Numbered = Schema.Struct({ ...Position.fields, event: RunEvent })

export type Numbered = typeof Numbered.Type

const persisted = <const Tag extends string>(tag: Tag) =>
  Rpc.make(tag, { payload: Work, success: Reply })
    .annotate(ClusterSchema.Persisted, true)
    // A client that leaves does not cancel the run, and a runner that closes leaves the message for the next one.
    .annotate(ClusterSchema.Uninterruptible, true)

const rpcs = [
  persisted("prompt"),
  persisted("answer"),
  persisted("steer"),
  persisted("cancel"),
  Rpc.make("events", { payload: { id: Schema.String, after: Position }, success: Numbered, stream: true })
] as const

export type Rpcs = (typeof rpcs)[number]

const entities = new Map<string, Entity.Entity<string, Rpcs>>()

export const refuse = (reason: string) => new Cause.IllegalArgumentException(reason)

/** Whether the engine has answered so since a runner had no layer of the entity: a defect, or the row of one. */
export const isUnserved = (entity: string, answer: unknown): boolean =>
  String(Predicate.hasProperty(answer, "message") ? answer.message : answer).includes(
    `Entity type '${entity}' not registered`
  )

export const noRunnerServes = (entity: string): string =>
  `No runner serves the entity ${entity}: give its layer to each`

/** What is wrong with what plain JavaScript gives without its types: of a name that is misspelt, nothing would be done. */
export const checkGiven = (
  check: Options.Check,
  given: unknown,
  whole: string
): Either.Either<void, Cause.IllegalArgumentException> => {
  const problem = check(given)
  return problem === undefined ? Either.void : Either.left(refuse(Options.toText(problem, whole)))
}

const nameExpected = "must have 1 to 255 characters, none of them NUL, and no space at its ends, but"

/** Of another name the engine would die, or the database would refuse it after all attempts. */
export const checkName = (of: string, name: unknown): Either.Either<void, Cause.IllegalArgumentException> =>
  typeof name === "string" && name !== "" && name.trim() === name && !name.includes("\0") && [...name].length <= 255
    ? Either.void
    : Either.left(refuse(`the name of ${of} ${nameExpected} is ${Issue.show(name)}`))

/** One for each name: the engine keeps a client for each that it ever saw. */
export const entityOf = (name: string): Entity.Entity<string, Rpcs> => {
  const entity = entities.get(name) ?? Entity.make(name, rpcs)
  entities.set(name, entity)
  return entity
}
