/** The practical limit: JSON.parse, validators compiled by ajv, the function, JSON.stringify. */
import { Ajv } from "ajv"
import * as schemas from "../task/jsonSchema.js"
import type { Parameters, Task } from "../task/orders.js"
import type { Call } from "./peer.js"

export const limit = "ajv in+out"

const ajv = new Ajv({ useDefaults: true })
export const validateParameters = ajv.compile<Parameters>(schemas.parameters)
export const validateResult = ajv.compile(schemas.result)

/** What it says of arguments that are not valid. */
export const explain = (): string => ajv.errorsText(validateParameters.errors)

export const ajvCalls = (task: Task): ReadonlyArray<Call> => [
  {
    name: "JSON.parse + function + JSON.stringify",
    isSynchronous: true,
    call: () => JSON.stringify(task.handle(JSON.parse(task.arguments) as Parameters))
  },
  {
    name: "ajv in",
    isSynchronous: true,
    call: () => {
      const parameters: unknown = JSON.parse(task.arguments)
      if (!validateParameters(parameters)) throw new Error(explain())
      return JSON.stringify(task.handle(parameters))
    }
  },
  { name: limit, isSynchronous: true, call: () => inAndOut(task.handle, task.arguments) }
]

export const inAndOut = (handle: Task["handle"], text: string): string => {
  const parameters: unknown = JSON.parse(text)
  if (!validateParameters(parameters)) throw new Error(explain())
  const result = handle(parameters)
  if (!validateResult(result)) throw new Error(ajv.errorsText(validateResult.errors))
  return JSON.stringify(result)
}
