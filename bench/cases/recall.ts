/** How well the assistant's search finds what answers a question, and how fast. */
import type { Group } from "../harness/table.js"
import { latency } from "./recall/latency.js"
import { memories } from "./recall/memories.js"
import { tools } from "./recall/tools.js"

export const groups: ReadonlyArray<Group> = [
  { name: "memories", measure: memories },
  { name: "tools", measure: tools },
  { name: "latency", measure: latency }
]
