/**
 * The tools of a folder: each function with what runs it.
 */
import type { Json, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import { isError, type Problem } from "@wield/core/Problem"
import type { Script, ScriptFunction } from "../Script.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import { factsFor, type FactsOption, unusedFacts } from "./facts.js"
import type { ScriptFolder } from "./ScriptFolder.js"

export interface Tools {
  readonly tools: ReadonlyArray<Toolset.DynamicTool>
  /** What keeps scripts from being run on this machine, and facts of no tool. */
  readonly problems: ReadonlyArray<Problem>
}

/** A toolset does not check the schema of a tool again that is the same object as before. */
export type MadeTools = WeakMap<ScriptFunction, Toolset.DynamicTool>

export const toTools = (
  { folder, scripts }: ScriptFolder,
  executor: ScriptExecutor,
  facts: FactsOption | undefined,
  made: MadeTools = new WeakMap()
): Effect.Effect<Tools> =>
  Effect.gen(function* () {
    const checked = yield* Effect.forEach(
      scripts,
      (script) => Effect.map(executor.check(script), (problems) => ({ problems, script })),
      { concurrency: 8 }
    )
    const names = scripts.flatMap(({ functions }) => functions.map(({ name }) => name))
    return {
      // What cannot run here is of no use to a model.
      tools: checked
        .filter(({ problems }) => !problems.some(isError))
        .flatMap(({ script }) =>
          script.functions.map((each) => {
            const tool = made.get(each) ?? toolOf(script, each, executor, facts)
            made.set(each, tool)
            return tool
          })
        ),
      problems: [...checked.flatMap(({ problems }) => problems), ...unusedFacts(folder, facts, names)]
    }
  })

const toolOf = (
  script: Script,
  scriptFunction: ScriptFunction,
  executor: ScriptExecutor,
  facts: FactsOption | undefined
): Toolset.DynamicTool => ({
  name: scriptFunction.name,
  description: scriptFunction.description,
  // A function of Python fails where it is given what it does not take; JavaScript and Bash leave it out.
  inputSchema:
    script.language === "python"
      ? { ...scriptFunction.inputSchema, additionalProperties: false }
      : scriptFunction.inputSchema,
  facts: factsFor(facts, script, scriptFunction),
  // The input schema has accepted them, and they came as JSON.
  execute: (parameters) => executor.run(script, scriptFunction, parameters as Json.JsonObject)
})
