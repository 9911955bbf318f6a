/**
 * A file as introspection is given it, and what introspection gives.
 */
import type { Script } from "../Script.js"

export interface Source {
  /** As it was named, for problems. */
  readonly file: string
  readonly text: string
  /**
   * `tool`: its `run` (in Bash, the script itself) is one tool, named by the
   * file's stem. `agent`: each public function (in Bash, each command) is one.
   */
  readonly kind: "tool" | "agent"
}

/** What a language's introspection tells; where there is an error and no function, the script is no tool. */
export type Introspected = Pick<Script, "functions" | "problems" | "requiredTools" | "environment">
