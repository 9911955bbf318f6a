import { InvalidJsonSchema, type SchemaMistake } from "../JsonSchemaError.js"
import type { Path } from "./keywords.js"

export const invalid = (kind: SchemaMistake, path: Path, problem: string): InvalidJsonSchema =>
  new InvalidJsonSchema({ kind, path: [...path], problem })
