/** Foreign tools as a toolset, with the approvals they ask for and what was lost. */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { CallContext, Issue, Json, Loss, ToolsetError } from "@wield/core"
import * as Approval from "@wield/core/Approval"
import { aFunction, type Check, type Checks, fields, orThrow } from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import type { Imported, ImportOptions } from "../imported.js"
import { isStandard, issueOf, toParameters } from "../standard.js"

/** What plain JavaScript gives to `toToolset`: a `failure` of another name would be lost in silence. */
export const checkImport = (
  tools: unknown,
  check: Check,
  options: unknown,
  checks: { readonly [option: string]: Check } = {},
  required?: ReadonlyArray<string>
): void => {
  orThrow(check(tools, ["tools"]))
  orThrow(fields({ ...common, ...checks }, required)(options), "What else `toToolset` takes")
}

const common = { failure: aFunction } satisfies Checks<ImportOptions>

export interface Read {
  readonly tool: Toolset.DynamicTool
  readonly needsApproval?: ((parameters: unknown, id: string, context: CallContext.Values) => unknown) | undefined
  readonly losses?: ReadonlyArray<Loss.Loss> | undefined
}

export const importAll = (
  read: ReadonlyArray<Read>,
  losses: ReadonlyArray<Loss.Loss> = []
): Effect.Effect<Imported, ToolsetError> =>
  Effect.map(Toolset.constant(read.map(({ tool }) => tool)), (toolset) => {
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

/** What a tool says of approvals, once or for each call with these arguments; in plain JavaScript, whatever is said but no. */
export const needsOf = (
  approval: unknown,
  argumentsOf: (...call: Parameters<NonNullable<Read["needsApproval"]>>) => ReadonlyArray<unknown>
): Read["needsApproval"] => {
  if (typeof approval === "function") return (...call) => approval(...argumentsOf(...call))
  return approval === undefined || approval === null || approval === false ? undefined : () => true
}

/** A Standard Schema keeps its checks; anything else is JSON Schema. */
export const parametersOf = (name: string, schema: StandardSchemaV1 | object | undefined) =>
  isStandard(schema)
    ? toParameters(name, schema)
    : // A schema that is not standard is JSON Schema.
      Effect.succeed({ inputSchema: schema as Json.JsonSchema | undefined })

export const loss = (subject: string, keyword: string, reason: string): Loss.Loss => ({
  subject,
  path: [],
  keyword,
  reason
})

/** A foreign `parse`, which throws what does not fit. */
export const fromParse =
  (parse: (value: unknown) => unknown): NonNullable<Toolset.DynamicTool["validate"]> =>
  (value) =>
    Effect.tryPromise({
      // Parameters of a tool are an object: its parser has accepted the value.
      try: async () => (await parse(value)) as { readonly [name: string]: unknown },
      catch: issuesOf
    })

/** What an error says of a value: the issues that zod gives it, or its message. */
export const issuesOf = (thrown: unknown): ReadonlyArray<Issue.Issue> => {
  // It may be anything, and is asked for the list.
  const { issues } = Object(thrown) as { readonly issues?: ReadonlyArray<StandardSchemaV1.Issue> }
  const isZods = Array.isArray(issues) && issues.length > 0
  return (isZods ? issues : [{ message: thrown instanceof Error ? thrown.message : String(thrown) }]).map(issueOf)
}
