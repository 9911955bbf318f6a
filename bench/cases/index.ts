/** Every case by its name; each is loaded only in the process that measures it. */
import type { Group } from "../harness/table.js"

interface Case {
  readonly groups: ReadonlyArray<Group>
}

export const cases: { readonly [name: string]: () => Promise<Case> } = {
  call: () => import("./call.js"),
  rejected: () => import("./rejected.js"),
  request: () => import("./request.js"),
  stream: () => import("./stream.js"),
  agent: () => import("./agent.js"),
  interop: () => import("./interop.js"),
  journal: () => import("./journal.js"),
  mcp: () => import("./mcp.js"),
  recorder: () => import("./recorder.js"),
  code: () => import("./code.js"),
  cluster: () => import("./cluster.js"),
  scripts: () => import("./scripts.js"),
  openapi: () => import("./openapi.js"),
  recall: () => import("./recall.js"),
  import: () => import("./import.js"),
  types: () => import("./types.js"),
  memory: () => import("./memory.js")
}
