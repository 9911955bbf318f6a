/** What the rooms of `Runs` know of a run: its key, its row, and what may be wrong. */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { aCount, aDurationOrZero, aName, anything, aText, type Checks, fields } from "@wield/core/Options"
import * as RunResult from "../RunResult.js"

/**
 * What a run is at: accepted and not begun, going on, to be tried again later,
 * or how it ended.
 *
 * @category models
 */
export type State = "Waiting" | "Running" | "Again" | RunResult.AnyResult["_tag"]

/**
 * Which run: the name of the entity, the conversation, and the id of the prompt
 * or of the answers.
 *
 * @category models
 */
export interface Key {
  readonly entity: string
  readonly conversation: string
  readonly id: string
}

/**
 * A run as a list has it.
 *
 * @category models
 */
export interface Run extends Key {
  readonly state: State
  /** How often it has begun. More than once: its runner died, or it was tried again. */
  readonly deliveries: number
  /** The address of the runner that began it last. */
  readonly owner: string | undefined
  /** Milliseconds since 1970: when it was accepted or first begun, and when it last changed. */
  readonly createdAt: number
  readonly changedAt: number
}

/**
 * Which runs a list has: all that are of this, and no more than that many.
 *
 * @category models
 */
export interface ListOptions {
  readonly entity?: string | undefined
  readonly conversation?: string | undefined
  readonly state?: State | "Stuck" | undefined
  /** 50 unless given. */
  readonly limit?: number | undefined
  /** How long a run may wait before it counts as stuck; 1 minute unless given. */
  readonly patience?: Duration.DurationInput | undefined
}

const ofConversation = { entity: aText, conversation: aText }

/** A key, or what a list has of a run. */
const ofRun = {
  ...ofConversation,
  id: aName,
  state: anything,
  deliveries: anything,
  owner: anything,
  createdAt: anything,
  changedAt: anything
} satisfies Checks<Run>

/** Of a name that is misspelt, another run would be meant, or all of them. */
export const checkKey = fields(ofRun, ["entity", "conversation", "id"])

export const checkConversation = fields(ofRun, ["entity", "conversation"])

export const checkList = fields({
  ...ofConversation,
  state: aName,
  limit: aCount,
  patience: aDurationOrZero
} satisfies Checks<ListOptions>)

/**
 * There is no such run, or retention has deleted it.
 *
 * @category errors
 */
export class RunNotFound extends Schema.TaggedError<RunNotFound>("@wield/cluster/RunNotFound")("RunNotFound", {
  entity: Schema.String,
  conversation: Schema.String,
  id: Schema.String
}) {
  override get message(): string {
    const { conversation, entity, id } = this
    return `The conversation ${conversation} of ${entity} has no run ${id}: it was never sent, or retention has deleted it. Send it, or look at \`Runs.list\` for the ids that there are`
  }
}

/**
 * A database or a runner that the operation needs did not do it.
 *
 * @category errors
 */
export class ClusterError extends Schema.TaggedError<ClusterError>("@wield/cluster/ClusterError")("ClusterError", {
  operation: Schema.String,
  detail: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `The cluster could not ${this.operation}: ${this.detail}`
  }
}

/**
 * How far a message to a conversation has come: it is not stored, it is stored,
 * or a runner has read it.
 *
 * @category models
 */
export type Progress = "Missing" | "Stored" | "Taken"

export const clusterError = (operation: string) => (cause: unknown) =>
  new ClusterError({
    operation,
    detail: cause instanceof Error ? cause.message : "the cause has the reason",
    cause
  })

export interface Row {
  readonly entity: string
  readonly conversation: string
  readonly id: string
  readonly state: State
  readonly deliveries: number | string
  readonly owner: string | null
  readonly created: number | string
  readonly changed: number | string
}

export const readResult = Schema.decode(RunResult.Text)
