/** Zod's own parsing of arguments and result, without a tool library around it. */
import type { Task } from "../task/orders.js"
import * as schemas from "../task/zodSchema.js"
import type { Call } from "./peer.js"

export const zodCalls = (task: Task): ReadonlyArray<Call> => [
  {
    name: "zod in+out",
    isSynchronous: true,
    call: () => JSON.stringify(schemas.result.parse(task.handle(schemas.parameters.parse(JSON.parse(task.arguments)))))
  }
]
