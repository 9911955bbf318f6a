/** What a function is given for an argument that is absent. */
import * as Predicate from "effect/Predicate"
import type ts from "typescript"
import type { TypeScript } from "../javascript/reading.js"
import type { Parameter, ScriptFunction } from "../Script.js"
import type { ProgramScript } from "./Program.js"

/**
 * `unit: "C" | null` need not be sent, and is null then. With `?` or a default it
 * is undefined, so that the default applies: the schema has only those defaults
 * that are constants, so the source is asked.
 */
export const parametersOf = (typescript: TypeScript | undefined, { file, functions, text }: ProgramScript) => {
  const isAsked = functions.some(({ parameters }) => parameters.some(isNullWhenAbsent))
  const optional =
    typescript !== undefined && isAsked ? optionalParameters(typescript, file, text) : new Map<string, Set<string>>()
  return Object.fromEntries(
    functions.map((called: ScriptFunction) => [
      called.entry,
      {
        passing: called.passing,
        parameters: called.parameters.map((parameter) => ({
          name: parameter.name,
          ...(isNullWhenAbsent(parameter) && optional.get(called.entry)?.has(parameter.name) !== true
            ? { isNullWhenAbsent: true }
            : {})
        }))
      }
    ])
  )
}

const isNullWhenAbsent = ({ isRequired, schema }: Parameter): boolean =>
  !isRequired && !Object.hasOwn(schema, "default") && isNullable(schema)

const isNullable = (schema: unknown): boolean => {
  if (!Predicate.isRecord(schema)) return false
  const { anyOf, enum: values, type } = schema
  return (
    type === "null" ||
    (Array.isArray(type) && type.includes("null")) ||
    (Array.isArray(values) && values.includes(null)) ||
    (Array.isArray(anyOf) && anyOf.some(isNullable))
  )
}

/** By function, its parameters that have `?` or a default. */
const optionalParameters = (typescript: TypeScript, file: string, text: string): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>()
  const add = (name: string, parameters: ReadonlyArray<ts.ParameterDeclaration>) => {
    const optional = parameters.filter(
      ({ initializer, questionToken }) => initializer !== undefined || questionToken !== undefined
    )
    found.set(name, new Set(optional.flatMap((each) => (typescript.isIdentifier(each.name) ? [each.name.text] : []))))
  }
  for (const statement of typescript.createSourceFile(file, text, typescript.ScriptTarget.ES2022).statements) {
    if (typescript.isFunctionDeclaration(statement) && statement.name !== undefined) {
      add(statement.name.text, statement.parameters)
    }
  }
  return found
}
