/** `wield inspect`: one tool as a model gets it. */
import * as Tokens from "@wield/agent/Tokens"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { bold, factWords, plain, print, printProblems, printReport, toolReport } from "../output/print.js"
import { Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { codes } from "../ExitCode.js"
import { type Command, type Common, openProject, unknownTool } from "./common.js"
import { formatOf } from "./formatOf.js"

export interface Options extends Common {
  readonly tool: string
  readonly wire: Option.Option<string>
}

export const inspect = (given: Options): Command =>
  Effect.gen(function* () {
    const { problems, sources, toolset } = yield* openProject(given, "describe", given.tool)
    const { entries } = yield* Effect.mapError(toolset.offer, (error) => Refused.unusable(String(error)))
    const entry = entries.get(given.tool)
    if (entry === undefined) {
      yield* printProblems(problems)
      return yield* unknownTool(given.tool, entries.keys())
    }
    const { definition } = entry
    const hidden = [...(entry.hidden?.keys ?? [])].sort()
    const wire = Option.isNone(given.wire) ? undefined : yield* encode(given.wire.value, definition)
    const tokens = (yield* Tokens.estimate().counts).definition(definition)
    if (given.json) {
      const tool = toolReport(definition, sources.get(definition.name))
      const shared = {
        wield: 1,
        command: "inspect",
        tool,
        hidden,
        fingerprint: ToolDefinition.fingerprint(definition),
        tokens
      } as const
      yield* printReport(Reports.Inspect, wire === undefined ? shared : { ...shared, wire })
      return codes.done
    }
    if (wire !== undefined) {
      for (const { keyword, path, reason } of wire.losses) {
        yield* Console.error(`loss: ${[...path, keyword].join(".")}: ${reason}`)
      }
      yield* print(JSON.stringify(wire.body, null, 2))
      return codes.done
    }
    const facts = factWords(definition.facts)
    yield* print(
      [
        yield* bold(plain(definition.name)),
        ...(definition.description === undefined ? [] : [plain(definition.description)]),
        "",
        `source:      ${sources.get(definition.name) ?? ""}`,
        `facts:       ${facts.length === 0 ? "none stated" : facts.join(", ")}`,
        `hidden:      ${hidden.length === 0 ? "no field" : hidden.join(", ")}`,
        `tokens:      about ${tokens}`,
        `fingerprint: ${ToolDefinition.fingerprint(definition)}`,
        "",
        `input: ${plain(JSON.stringify(definition.inputSchema, null, 2))}`,
        ...(definition.outputSchema === undefined
          ? []
          : [`output: ${plain(JSON.stringify(definition.outputSchema, null, 2))}`])
      ].join("\n")
    )
    return codes.done
  }).pipe(Effect.scoped)

const encode = (name: string, definition: ToolDefinition.ToolDefinition) =>
  Effect.map(formatOf(name), (format) => ({ format: name, ...format.encodeTools([definition]) }))
