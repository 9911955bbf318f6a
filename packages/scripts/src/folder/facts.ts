/**
 * What a program states about tools of scripts: the scripts themselves say
 * nothing of it.
 */
import type { Facts } from "@wield/core"
import type { Problem } from "@wield/core/Problem"
import type { Script, ScriptFunction } from "../Script.js"
import { NearestNames } from "@wield/core"
import { fileWarning } from "./problem.js"

/** By the names of tools, or for each of them. */
export type FactsOption =
  | { readonly [tool: string]: Partial<Facts.Facts> }
  | ((script: Script, scriptFunction: ScriptFunction) => Partial<Facts.Facts>)

export const factsFor = (
  facts: FactsOption = {},
  script: Script,
  scriptFunction: ScriptFunction
): Partial<Facts.Facts> => {
  if (typeof facts === "function") return facts(script, scriptFunction)
  return Object.hasOwn(facts, scriptFunction.name) ? (facts[scriptFunction.name] ?? {}) : {}
}

/** A misspelt name would leave a tool without its facts, and nobody would know. */
export const unusedFacts = (
  folder: string,
  facts: FactsOption = {},
  names: ReadonlyArray<string>
): ReadonlyArray<Problem> =>
  typeof facts === "function"
    ? []
    : Object.keys(facts)
        .filter((name) => !names.includes(name))
        .map((name) =>
          fileWarning(
            folder,
            "unused-facts",
            `No tool is named ${JSON.stringify(name)}${NearestNames.suggestion(name, names)}; the facts that are stated about it are not used`
          )
        )
