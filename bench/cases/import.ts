/** What importing costs a fresh process: time until the modules are there, and memory; and what the `wield` command takes. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "../harness/folders.js"
import { run, write } from "../harness/processes.js"
import { median, orderOfRound, summarise } from "../harness/statistics.js"
import { type Group, type Measured, times } from "../harness/table.js"

const rounds = 20

/** An import or a re-export; what an example in a comment imports has a star before it. */
const statement = /^(?:import|export)\s+(?:[\w\s*{},$]*?\sfrom\s+)?["']([^"']+)["']/gm

/** The modules that a package's entry reaches by static imports: its own files, and what others it needs. */
const importedBy = (entry: string): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(statement)) {
      if (specifier.startsWith(".")) open.push(join(dirname(file), specifier))
      else packages.add(specifier)
    }
  }
  return packages
}

const core = join(folder, ".build", "packages", "core", "dist", "index.js")

/** What of Effect the core uses, and the tool declarations of @effect/ai: what a program has imported anyway. */
const used = (): ReadonlyArray<string> => {
  if (!existsSync(core)) throw new Error(`${core} is not there: run the bench by \`pnpm bench\``)
  return [...importedBy(core)].filter((specifier) => /^(effect|@effect\/ai)(\/|$)/.test(specifier)).sort()
}

const floor = "the modules of effect that the core uses + @effect/ai/Tool"
const own = "@wield/core"

const libraries = (): { readonly [name: string]: ReadonlyArray<string> } => ({
  "node, empty": [],
  [floor]: [...used(), "@effect/ai/Tool"],
  [own]: ["@wield/core"],
  "@wield/core + OpenAiChat": ["@wield/core", "@wield/providers/OpenAiChat"],
  "@wield/core + @wield/providers": ["@wield/core", "@wield/providers"],
  "effect (index)": ["effect"],
  "@effect/ai (index)": ["@effect/ai"],
  "Effect 4 ai/Tool + ai/Toolkit": ["effect4/ai/Tool", "effect4/ai/Toolkit"],
  ajv: ["ajv"],
  "zod 4": ["zod"],
  "AI SDK 7": ["ai"],
  "LangChain core/tools": ["@langchain/core/tools"],
  "Mastra core/tools": ["@mastra/core/tools"],
  "OpenAI Agents": ["@openai/agents"],
  "@wield/mcp": ["@wield/mcp"],
  "MCP SDK 2 client + server": ["@modelcontextprotocol/client", "@modelcontextprotocol/server"],
  "MCP SDK client + server": ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/server/mcp.js"]
})

interface Start {
  readonly milliseconds: number
  readonly mebibytes: number
}

/** The process tells its own time since its start, so that nothing of the bench's is in it. */
const program = (specifiers: ReadonlyArray<string>): string =>
  [
    ...specifiers.map((specifier) => `import ${JSON.stringify(specifier)}`),
    `import { now } from ${JSON.stringify(new URL("../harness/clock.js", import.meta.url).href)}`,
    "console.log(JSON.stringify({ milliseconds: now() / 1e6, mebibytes: process.memoryUsage().rss / 2 ** 20 }))"
  ].join("\n")

const isStart = (value: unknown): value is Start =>
  typeof value === "object" && value !== null && "milliseconds" in value && "mebibytes" in value

const start = async (): Promise<Measured> => {
  const programs = Object.entries(libraries()).map(([name, specifiers], index) => ({
    name,
    file: write(`import/${index}.mjs`, program(specifiers)),
    starts: new Array<Start>()
  }))
  for (let round = -1; round < rounds; round++) {
    for (const { file, starts } of orderOfRound(programs, round + 1)) {
      const answer = run(file)
      if (!isStart(answer)) throw new Error(`${file} did not tell its time`)
      // The first round brings the files into the memory of the operating system.
      if (round >= 0) starts.push(answer)
    }
  }
  const startsOf = (name: string): ReadonlyArray<number> =>
    programs.find((candidate) => candidate.name === name)?.starts.map(({ milliseconds }) => milliseconds) ?? []
  const fastest = (name: string): number => summarise(startsOf(name)).minimum
  const empty = fastest("node, empty")
  const ratio = fastest(own) / fastest(floor)
  const overNode = (fastest(own) - empty) / (fastest(floor) - empty)
  const floors = startsOf(floor)
  const paired = median(startsOf(own).map((milliseconds, round) => milliseconds / (floors[round] ?? Number.NaN)))
  return {
    tables: [
      {
        _tag: "Figures",
        title: `import, ${rounds} interleaved fresh processes each`,
        columns: ["modules", "min ms", "median ms", "max ms", "min ms over node", "median MiB"],
        rows: programs.map(({ name, starts }) => {
          const { maximum, median: middle, minimum } = summarise(starts.map(({ milliseconds }) => milliseconds))
          return [
            name,
            ...[minimum, middle, maximum, minimum - empty, median(starts.map(({ mebibytes }) => mebibytes))].map(
              (figure) => figure.toFixed(0)
            )
          ]
        })
      }
    ],
    goals: [
      {
        name: "import of core",
        goal: "≤ 1.1x of effect's used modules + @effect/ai/Tool",
        measured: `${times(ratio)} (paired median ${times(paired)}, without node's own start ${times(overNode)})`,
        isMet: ratio <= 1.1
      }
    ],
    notes: [`The core uses ${used().length} modules: ${used().join(", ")}.`]
  }
}

/** A project of 100 tools, and what the shell does there. `list` writes the names that `__complete` reads. */
const commands = async (): Promise<Measured> => {
  const tools = Array.from({ length: 100 }, (_, index) => ({
    type: "local",
    function: {
      name: `tool_${index}`,
      description: `Tool number ${index}`,
      parameters: { type: "object", properties: { id: { type: "string" }, count: { type: "integer" } } }
    }
  }))
  const project = dirname(write("command/tools.json", JSON.stringify({ tools })))
  write("command/wield.config.json", JSON.stringify({ tools: [{ manifest: "tools.json" }] }))
  const report = write(
    "command/report.cjs",
    `process.on("exit", () => {
  const { system, user } = process.cpuUsage()
  require("node:fs").writeSync(2, "\\nPROCESSOR " + (system + user) / 1000)
})`
  )
  const bin = join(folder, ".build", "command", "cli", "bin", "wield.js")
  const library = realpathSync(
    join(folder, ".build", "command", "cli", "node_modules", "effect", "dist", "esm", "index.js")
  )
  const contenders = [
    { name: "node, empty", words: [write("command/empty.mjs", "")] },
    { name: "effect (index)", words: [write("command/effect.mjs", `import ${JSON.stringify(library)}`)] },
    { name: "wield --version", words: [bin, "--version"] },
    { name: "wield list, 100 tools", words: [bin, "list"] },
    { name: "wield __complete, 100 tools", words: [bin, "__complete", "tool_9"] }
  ].map((each) => ({ ...each, taken: new Array<number>() }))
  const env = { ...process.env, XDG_CACHE_HOME: join(project, "cache"), XDG_CONFIG_HOME: join(project, "config") }
  for (let round = -1; round < rounds; round++) {
    for (const { name, taken, words } of orderOfRound(contenders, round + 1)) {
      const { status, stderr } = spawnSync(process.execPath, ["--require", report, ...words], {
        cwd: project,
        encoding: "utf8",
        env
      })
      const milliseconds = Number(/PROCESSOR ([\d.]+)/.exec(stderr)?.[1])
      if (status !== 0 || Number.isNaN(milliseconds)) throw new Error(`${name} ended with ${status}\n${stderr}`)
      if (round >= 0) taken.push(milliseconds)
    }
  }
  const least = (name: string) => Math.min(...(contenders.find((each) => each.name === name)?.taken ?? []))
  const over = (name: string, base: string) => least(name) - least(base)
  const goal = (name: string, base: string, limit: number) => ({
    name,
    goal: `≤ ${limit} ms over ${base}`,
    measured: `${over(name, base).toFixed(0)} ms`,
    isMet: over(name, base) <= limit
  })
  return {
    tables: [
      {
        _tag: "Figures",
        title: `the command, processor time of ${rounds} interleaved fresh processes each`,
        columns: ["command", "min ms", "median ms", "max ms"],
        rows: contenders.map(({ name, taken }) => {
          const { maximum, median: middle, minimum } = summarise(taken)
          return [name, ...[minimum, middle, maximum].map((figure) => figure.toFixed(0))]
        })
      }
    ],
    goals: [
      goal("wield --version", "node, empty", 50),
      goal("wield __complete, 100 tools", "node, empty", 50),
      goal("wield list, 100 tools", "effect (index)", 600)
    ]
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "start", measure: start },
  { name: "command", measure: commands }
]
