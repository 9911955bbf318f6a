/** How well the assistant's search finds what answers a question, and how fast. */
import type { Group } from "../harness/table.js"
import { latency } from "./recall/latency.js"
import { heldOut, memories } from "./recall/memories.js"
import { tools } from "./recall/tools.js"

export const groups: ReadonlyArray<Group> = [
  { name: "memories", measure: memories },
  { name: "held-out", measure: heldOut },
  { name: "tools", measure: tools },
  { name: "latency", measure: latency }
]
