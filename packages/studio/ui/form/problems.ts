import type * as Api from "../../src/Api.js"
import { pointerOf } from "../parts/pointer.js"
import type { Problems } from "./SchemaForm.js"

/** Problems by their fields' pointers. */
export const problemsOf = (issues: ReadonlyArray<Api.Issue>): Problems => {
  const problems = new Map<string, ReadonlyArray<string>>()
  for (const { message, path } of issues) {
    const pointer = path.reduce<string>(pointerOf, "")
    problems.set(pointer, [...(problems.get(pointer) ?? []), message])
  }
  return problems
}
