/**
 * tau2-bench: the tools of a domain as a toolset, and the calls that its tasks
 * expect, in a response of every wire format: decoded, run, results encoded.
 */
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { mistakeOf } from "./bfcl/mistakeOf.js"
import { wires } from "./bfcl/responses.js"
import { withUnreadable } from "./folder.js"
import { everyNth, type Report, type RunOptions } from "./Report.js"
import { desk } from "./tau2/desk.js"
import { readTasks, readTools } from "./tau2/domain.js"
import { runTask } from "./tau2/runTask.js"
import { firstDifference } from "./wire/firstDifference.js"

export const part = "toolcorpus/tau2"

/** Those that the benchmark has with tasks; the material holds some of them. */
const domains = ["retail", "airline", "telecom", "banking_knowledge"]

/** `only` runs one format, by its name. */
export const run = async (folder: string, { every, only }: RunOptions = {}): Promise<Report> => {
  const material = join(folder, "toolcorpus")
  const present = domains.filter((domain) => existsSync(join(material, "tau2", `${domain}.tasks.jsonl`)))
  const chosen = wires.filter(({ format }) => only === undefined || format.name === only)
  const failures: Array<string> = []
  const invalid: Array<string> = []
  const table: Array<ReadonlyArray<string | number>> = [
    ["domain", "format", "tools", "tasks", "calls", "run", "arguments not allowed", "failed"]
  ]
  let passed = 0
  for (const domain of present) {
    const tools = readTools(material, domain)
    const tasks = everyNth(readTasks(material, domain), every)
    const served = await Effect.runPromise(desk(tools))
    const first = new Map<string, ReadonlyArray<unknown>>()
    for (const wire of chosen) {
      let [ran, refused, failed] = [0, 0, 0]
      for (const task of tasks) {
        const { endings, problems } = await Effect.runPromise(runTask(served, task.actions, wire))
        const mistakes = task.actions.map(({ arguments: given, name }) => {
          const tool = tools.find((each) => each.name === name)
          return tool === undefined ? "no such tool" : mistakeOf(tool.parameters, given)
        })
        const expected = mistakes.map((mistake) => (mistake === undefined ? "Success" : "InvalidArguments"))
        const ends = endings.map((ending) => (ending as { readonly ended: string }).ended)
        const others = first.get(task.id) ?? endings
        first.set(task.id, others)
        const all = [
          ...problems,
          ...(isDeepStrictEqual(ends, expected) ? [] : [`how calls ended: ${firstDifference(expected, ends)}`]),
          ...(isDeepStrictEqual(endings, others)
            ? []
            : [`another format ended otherwise: ${firstDifference(others, endings)}`])
        ]
        ran += ends.filter((ended) => ended === "Success").length
        refused += ends.filter((ended) => ended === "InvalidArguments").length
        if (all.length === 0) passed++
        else {
          failed++
          failures.push(`${domain} ${task.id}, ${wire.format.name}: ${all.join("\n  ")}`)
        }
        if (wire === chosen[0]) {
          mistakes.forEach((mistake, index) => {
            if (mistake !== undefined) invalid.push(`  ${task.id}, ${task.actions[index]?.name}: ${mistake}`)
          })
        }
      }
      const calls = tasks.reduce((count, task) => count + task.actions.length, 0)
      table.push([domain, wire.format.name, tools.length, tasks.length, calls, ran, refused, failed])
    }
  }
  return withUnreadable({ table, notes: notesOf(present, invalid), passed, failures })
}

const notesOf = (present: ReadonlyArray<string>, invalid: ReadonlyArray<string>): ReadonlyArray<string> => [
  `Not in the material, so not run: ${domains.filter((domain) => !present.includes(domain)).join(", ")}.`,
  "All calls of a task stand in one response; reading tools run side by side, the others one after the other. Each",
  "answers with its arguments. Outcomes have to be the same from every format, and the results readable again.",
  "Expected calls whose arguments their own tool does not allow, as a check of the raw schema finds, too:",
  ...(invalid.length === 0 ? ["  none"] : invalid.map((line) => line.slice(0, 160)))
]
