/** Foreign tools as a toolset, with the approvals they ask for and what was lost. */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import { Approval, type Json, type Loss, Toolset, type ToolsetError } from "@wield/core"
import * as Effect from "effect/Effect"
import type { FailureOf } from "../handler.js"
import { isStandard, toParameters } from "../standard.js"

/**
 * How tools of another SDK are read.
 *
 * @category models
 */
export interface ImportOptions {
  /**
   * What the model reads of an error that a tool throws. Unless given it reads
   * a reference only, for the text of an error may hold a secret.
   */
  readonly failure?: FailureOf | undefined
}

/**
 * Tools of another SDK, as a toolset.
 *
 * @category models
 */
export interface Imported {
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools>
  /** Asks where the tools themselves want approval. Give it to the runner's policy. */
  readonly approval: Approval.Rule
  /** What the tools have and Wield cannot carry over. */
  readonly losses: ReadonlyArray<Loss.Loss>
}

/** One tool as it was read. */
export interface Read {
  readonly tool: Toolset.DynamicTool
  readonly needsApproval?: ((parameters: unknown, id: string, context: object) => unknown) | undefined
  readonly losses?: ReadonlyArray<Loss.Loss> | undefined
}

export const importAll = (
  read: ReadonlyArray<Read>,
  losses: ReadonlyArray<Loss.Loss> = []
): Effect.Effect<Imported, ToolsetError> =>
  Effect.map(Toolset.dynamic(read.map(({ tool }) => tool)), (toolset) => {
    const asking = new Map(read.map(({ needsApproval, tool }) => [tool.name, needsApproval]))
    return {
      toolset,
      approval: ({ call, context, name, parameters }) => {
        const needsApproval = asking.get(name)
        return needsApproval === undefined
          ? Approval.allow
          : Effect.map(
              // A hook that throws allows nothing: the call ends as an internal error.
              Effect.promise(async () => needsApproval(parameters, call.id, context)),
              (needs) => (needs === false ? Approval.allow : Approval.ask())
            )
      },
      losses: [...losses, ...read.flatMap((one) => one.losses ?? [])]
    }
  })

/** A Standard Schema keeps its checks; anything else is JSON Schema. */
export const parametersOf = (name: string, schema: StandardSchemaV1 | object | undefined) =>
  isStandard(schema)
    ? toParameters(name, schema)
    : Effect.succeed({ inputSchema: schema as Json.JsonSchema | undefined })

export const loss = (subject: string, keyword: string, reason: string): Loss.Loss => ({
  subject,
  path: [],
  keyword,
  reason
})
