/** A file as introspection is given it, and what introspection gives. */
import type { Json } from "@wield/core"
import type { Parameter, Script } from "../Script.js"

export interface Source {
  /** As it was named, for problems. */
  readonly file: string
  readonly text: string
  /** `tool`: `run`, in Bash the script, is the file's one tool. `agent`: each public function or command is one. */
  readonly kind: "tool" | "agent"
}

/** What a language's introspection tells; where there is an error and no function, the script is no tool. */
export type Introspected = Pick<Script, "functions" | "problems" | "requiredTools" | "environment">

/** The schema of all arguments together; `definitions` are what its types refer to. */
export const inputSchemaOf = (
  parameters: ReadonlyArray<Parameter>,
  definitions: Json.JsonSchema = {}
): Json.JsonSchema => {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}
