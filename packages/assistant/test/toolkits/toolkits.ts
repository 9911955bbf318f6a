/** Every toolkit of the package, found among what it exports: a new one is tested without being named. */
import type { Tool } from "@effect/ai"
import * as Package from "@wield/assistant"
import { Hidden } from "@wield/core"
import { Context, Predicate } from "effect"

interface Found {
  /** The module that exports it. */
  readonly module: string
  readonly tools: ReadonlyArray<Tool.Any>
}

const toolsOf = (value: unknown): ReadonlyArray<Tool.Any> =>
  Predicate.hasProperty(value, "tools") && Predicate.isRecord(value.tools)
    ? // What has tools by name and is exported here is a toolkit: the package has no other such thing.
      (Object.values(value.tools) as ReadonlyArray<Tool.Any>)
    : []

/** All but the one that is put together of the others. */
export const toolkits: ReadonlyArray<Found> = Object.entries(Package)
  .filter(([module]) => module !== "Assistant")
  .flatMap(([module, exported]) => Object.values(exported).map((value) => ({ module, tools: toolsOf(value) })))
  .filter(({ tools }) => tools.length > 0)

export const everyTool: ReadonlyArray<Tool.Any> = toolkits.flatMap(({ tools }) => tools)

/** The fields that the application fills in. */
export const hiddenOf = (tool: Tool.Any): ReadonlyArray<string> =>
  "annotations" in tool && Context.isContext(tool.annotations)
    ? // A context of anything has references for everything.
      Context.get(tool.annotations as Context.Context<never>, Hidden.HiddenFields)
    : []
