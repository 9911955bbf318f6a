/**
 * Durable runs over one Postgres: what a step costs, how many payments happen twice where the process is killed, and how
 * long it takes until another process goes on.
 */
import type { Group } from "../harness/table.js"
import { measureKills } from "./cluster/kills.js"
import { measureRunners } from "./cluster/runners.js"
import { measureLog, measureSteps } from "./cluster/steps.js"
import { measureTimes } from "./cluster/times.js"

export const groups: ReadonlyArray<Group> = [
  { name: "steps", measure: measureSteps },
  { name: "log", measure: measureLog },
  { name: "kills", measure: measureKills },
  { name: "times", measure: measureTimes },
  { name: "runners", measure: measureRunners }
]
