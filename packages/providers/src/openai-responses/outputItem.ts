/**
 * The result of one call as the item that the Responses API expects for that
 * kind of call.
 */
import type { Loss, Outcome, ToolResult } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"
import { resultText } from "../openai/resultText.js"
import { outputContent, url } from "./outputContent.js"

export interface OutputItem {
  readonly item: Json.JsonObject
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * `call` is the item that called, where it is known. Items are parsed JSON, and
 * the core has shown that a result is JSON: nothing of them is copied, or cut.
 */
export const outputItem = (
  call: Fields,
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult
): OutputItem => {
  const type = stringField(call, "type")
  switch (type) {
    case "computer_call":
      return computerOutput(call, callId, result)
    case "local_shell_call":
      return textOnly(result, { type: "local_shell_call_output", call_id: callId, output: resultText(outcome, result) })
    case "shell_call":
      return shellOutput(call, callId, outcome, result)
    case "apply_patch_call":
      return textOnly(result, {
        type: "apply_patch_call_output",
        call_id: callId,
        status: result.isError ? "failed" : "completed",
        output: resultText(outcome, result)
      })
    case "tool_search_call":
      return toolSearchOutput(callId, result)
    default: {
      const caller = objectField(call, "caller")
      return {
        item: {
          type: type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output",
          call_id: callId,
          output: outputContent(outcome, result),
          // A program that the API runs made this call, and goes on with its result.
          ...(caller === undefined ? {} : { caller: caller as Json.JsonObject })
        },
        losses: []
      }
    }
  }
}

/** A screenshot, and nothing else. To have taken it is to have accepted the safety checks, which were in the arguments. */
const computerOutput = (call: Fields, callId: string, result: ToolResult.ToolResult): OutputItem => {
  const screenshot = result.content.find((part) => part._tag === "Image")
  const checks = call["pending_safety_checks"]
  return {
    item: {
      type: "computer_call_output",
      call_id: callId,
      output: { type: "computer_screenshot", ...(screenshot === undefined ? {} : { image_url: url(screenshot) }) },
      ...(!result.isError && Array.isArray(checks) && checks.length > 0
        ? { acknowledged_safety_checks: checks as ReadonlyArray<Json.Json> }
        : {})
    },
    losses: result.content.flatMap((part, index) =>
      part === screenshot ? [] : [lose(result, ["content", index], "A result of the computer tool is one screenshot.")]
    )
  }
}

/** The chunks of output that a handler gives in the API's own form, or its text as one. */
const shellOutput = (
  call: Fields,
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult
): OutputItem => {
  const structured = Json.isObject(result.structured) ? result.structured["output"] : result.structured
  const limit = (objectField(call, "action") ?? {})["max_output_length"]
  const text = resultText(outcome, result)
  return textOnly(result, {
    type: "shell_call_output",
    call_id: callId,
    // The limit that the model set has to come back with the result.
    ...(typeof limit === "number" ? { max_output_length: limit } : {}),
    output:
      !result.isError && Array.isArray(structured)
        ? (structured as ReadonlyArray<Json.Json>)
        : [
            {
              stdout: result.isError ? "" : text,
              stderr: result.isError ? text : "",
              outcome: { type: "exit", exit_code: result.isError ? 1 : 0 }
            }
          ]
  })
}

/** The tools found, in the API's own form: a list, or an object with `tools`. */
const toolSearchOutput = (callId: string, result: ToolResult.ToolResult): OutputItem => {
  const structured = Json.isObject(result.structured) ? result.structured["tools"] : result.structured
  const tools = !result.isError && Array.isArray(structured) ? structured : undefined
  return {
    item: {
      type: "tool_search_output",
      call_id: callId,
      execution: "client",
      status: "completed",
      tools: tools === undefined ? [] : (tools as ReadonlyArray<Json.Json>)
    },
    losses:
      tools === undefined ? [lose(result, [], "A result of the tool search is a list of tools; none is sent.")] : []
  }
}

const textOnly = (result: ToolResult.ToolResult, item: Json.JsonObject): OutputItem => ({
  item,
  losses: result.content.flatMap((part, index) =>
    part._tag === "Image" || part._tag === "File"
      ? [lose(result, ["content", index], "The result of this tool is text; the model reads that it was left out.")]
      : []
  )
})

const lose = (result: ToolResult.ToolResult, path: ReadonlyArray<string | number>, reason: string): Loss.Loss => ({
  subject: result.name,
  path,
  keyword: "content",
  reason
})
