/** A file as introspection is given it, and what introspection gives. */
import type { Script } from "../Script.js"

export interface Source {
  /** As it was named, for problems. */
  readonly file: string
  readonly text: string
  /** `tool`: `run`, in Bash the script, is the file's one tool. `agent`: each public function or command is one. */
  readonly kind: "tool" | "agent"
}

/** What a language's introspection tells; where there is an error and no function, the script is no tool. */
export type Introspected = Pick<Script, "functions" | "problems" | "requiredTools" | "environment">
