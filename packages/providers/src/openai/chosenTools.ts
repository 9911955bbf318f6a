/**
 * The tools that a choice names, as far as they are offered.
 */
import type { Json, Loss } from "@wield/core"
import type { ToolChoice } from "../WireFormat.js"

/** A tool that was put into the request, and how a choice refers to it. */
export interface OfferedTool {
  readonly name: string
  readonly reference: Json.JsonObject
}

/**
 * `tool_choice` where it is a word, and otherwise the references to the tools
 * of which the model must call one. Undefined where the request can carry no
 * choice: both APIs answer 400 to a `tool_choice` without `tools`.
 */
export const chosenTools = (
  choice: ToolChoice,
  offered: ReadonlyArray<OfferedTool>
): {
  readonly choice: "auto" | "none" | "required" | ReadonlyArray<Json.JsonObject> | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
} => {
  if (choice._tag === "Auto" || choice._tag === "None") {
    return { choice: offered.length === 0 ? undefined : choice._tag === "Auto" ? "auto" : "none", losses: [] }
  }
  if (offered.length === 0) {
    return { choice: undefined, losses: [lose("tool_choice", "No tools are offered, so none can be demanded.")] }
  }
  if (choice._tag === "Required") return { choice: "required", losses: [] }
  const losses: Array<Loss.Loss> = []
  const references: Array<Json.JsonObject> = []
  for (const name of choice.names) {
    const tool = offered.find((candidate) => candidate.name === name)
    if (tool === undefined) losses.push(lose(name, "It is not among the tools offered, so it cannot be demanded."))
    else references.push(tool.reference)
  }
  if (references.length > 0) return { choice: references, losses }
  return { choice: "none", losses: [...losses, lose("tool_choice", "It allows no tool, so calls are forbidden.")] }
}

const lose = (subject: string, reason: string): Loss.Loss => ({ subject, path: [], keyword: "tool_choice", reason })
