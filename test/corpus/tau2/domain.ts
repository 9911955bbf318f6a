/** A domain of tau2-bench: its tools, and the calls that its tasks expect. */
import type { Json } from "@wield/core"
import { join } from "node:path"
import { readLines } from "../folder.js"

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

export const readTools = (folder: string, domain: string): ReadonlyArray<DomainTool> =>
  readLines(join(folder, "tools", `tau2-${domain}.jsonl`))

export const readTasks = (folder: string, domain: string): ReadonlyArray<Task> =>
  readLines(join(folder, "tau2", `${domain}.tasks.jsonl`))
