/** A domain of tau2-bench: its tools, and the calls that its tasks expect. */
import type { Json } from "@wield/core"
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface DomainTool {
  readonly name: string
  readonly description: string
  readonly parameters: Json.JsonSchema
  /** Python decorators, which say whether it reads or writes. */
  readonly decorators: ReadonlyArray<string>
}

export interface ExpectedCall {
  readonly name: string
  readonly arguments: Json.JsonSchema
  /** The benchmark's user has tools, too. */
  readonly requestor: "assistant" | "user"
}

export interface Task {
  readonly id: string
  readonly actions: ReadonlyArray<ExpectedCall>
}

// The material's SOURCES.md states these shapes.
const readLines = <A>(file: string): ReadonlyArray<A> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as A)

export const readTools = (folder: string, domain: string): ReadonlyArray<DomainTool> =>
  readLines(join(folder, "tools", `tau2-${domain}.jsonl`))

export const readTasks = (folder: string, domain: string): ReadonlyArray<Task> =>
  readLines(join(folder, "tau2", `${domain}.tasks.jsonl`))
