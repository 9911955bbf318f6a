/** `wield search`: the tools that fit a request, as an agent's `search_tools` finds them. */
import * as Json from "@wield/core/Json"
import * as ToolSearch from "@wield/core/ToolSearch"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { gather } from "../config/gather.js"
import { loadProject } from "../config/load.js"
import { selectToolset } from "../config/toolsets.js"
import { bold, faint, firstLine, plain, print, printProblems, printReport } from "../output/print.js"
import * as Reports from "../output/reports.js"
import { codeOfSources, type Command, type Common } from "./common.js"

export interface Options extends Common {
  readonly limit: number
  readonly request: string
  readonly toolset: Option.Option<string>
}

export const search = (given: Options): Command =>
  Effect.gen(function* () {
    const project = yield* loadProject(given)
    const gathered = yield* gather(project, "describe")
    const chosen = yield* selectToolset(gathered, project, Option.getOrUndefined(given.toolset))
    const index = yield* ToolSearch.make(chosen)
    const hits = yield* index.search(given.request, { limit: given.limit })
    const byName = new Map(chosen.map((definition) => [definition.name, definition]))
    const { problems, sources } = gathered
    const tools = hits.map(({ id: name, score }) =>
      Json.withoutUndefined({ name, description: byName.get(name)?.description, source: sources.get(name), score })
    )
    if (given.json) {
      yield* printReport(Reports.Search, { wield: 1, command: "search", tools, problems })
      return codeOfSources(gathered)
    }
    yield* printProblems(problems)
    const width = Math.min(40, Math.max(0, ...tools.map(({ name }) => name.length)))
    for (const { description, name, score, source = "" } of tools) {
      const about = yield* faint(`(${score.toFixed(1)}, ${source})`)
      yield* print(`${yield* bold(plain(name).padEnd(width))}  ${firstLine(description)} ${about}`)
    }
    if (tools.length === 0) yield* Console.error("No tool fits these words. Say what it should do, and with what.")
    return codeOfSources(gathered)
  }).pipe(Effect.scoped)
