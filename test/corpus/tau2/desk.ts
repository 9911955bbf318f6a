/** The tools of a domain as a toolset that answers with what it was asked and writes down what it did. */
import { ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import type { DomainTool } from "./domain.js"

export interface Done {
  readonly name: string
  readonly arguments: unknown
}

export const desk = (tools: ReadonlyArray<DomainTool>) =>
  Effect.gen(function* () {
    const written: Array<Done> = []
    const toolset = yield* Toolset.dynamic(
      tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        inputSchema: tool.parameters,
        facts: isReading(tool) ? { isReadOnly: true } : { isReadOnly: false, isSequential: true },
        execute: (parameters: Done["arguments"]) =>
          Effect.sync(() => {
            const done = { name: tool.name, arguments: parameters }
            if (!isReading(tool)) written.push(done)
            return done
          })
      }))
    )
    return { runner: yield* ToolRunner.make(toolset), tools, written }
  })

export type Desk = Effect.Effect.Success<ReturnType<typeof desk>>

export const isReading = ({ decorators }: Pick<DomainTool, "decorators">): boolean =>
  decorators.some((decorator) => decorator.includes("ToolType.READ"))
