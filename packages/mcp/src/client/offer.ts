/**
 * What a client offers of a server's tools: what the last list said, held
 * against what was accepted before.
 */
import type { Toolset } from "@wield/core"
import type * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { McpTool } from "../internal/content.js"
import type { CallResult, Limits, OnDrift, Options, Withheld } from "./model.js"
import { ConnectFailed, type McpError } from "../McpError.js"
import type * as Pins from "../Pins.js"
import type { RequestOptions } from "./Connection.js"
import { dynamicTool, fingerprintOf, offeredNames, prefixOf, review, withoutDuplicates } from "./tools.js"

export interface Parts {
  readonly server: string
  readonly options: Pick<Options, "prefix" | "trust" | "outputSchemas" | "onDrift" | "tools">
  readonly limits: Limits
  readonly pins: Pins.Service
  readonly toolset: Toolset.DynamicToolset
  readonly call: (
    tool: McpTool,
    parameters: Json.JsonObject,
    isRepeatable: boolean,
    options: RequestOptions
  ) => Effect.Effect<CallResult, McpError | NeedsInput>
}

export interface Offer {
  /**
   * Takes over a list: no tool of it can be called before. `accepted` are tools that a person has accepted as they are,
   * `unread` those that cannot be understood.
   */
  readonly takeOver: (
    tools: ReadonlyArray<McpTool>,
    instructions: string | undefined,
    accepted: ReadonlySet<string> | "all" | undefined,
    unread: ReadonlyArray<Withheld>
  ) => Effect.Effect<void, ConnectFailed>
  /** What was accepted before, of which tools can be offered before the server runs. */
  readonly pinned: Effect.Effect<Pins.Pinned | undefined, ConnectFailed>
  readonly offerPinned: (pinned: Pins.Pinned) => Effect.Effect<void>
  readonly listed: () => ReadonlyArray<McpTool>
  readonly offered: () => ReadonlyMap<string, McpTool>
  readonly withheld: () => ReadonlyArray<Withheld>
  readonly instructions: () => string | undefined
}

/** Whether the program uses a tool at all. */
export const isUsed = ({ tools }: Pick<Options, "tools">, name: string): boolean =>
  (tools?.only?.includes(name) ?? true) && tools?.except?.includes(name) !== true

/** The server checks what it gets: a pattern that no engine runs safely costs no tool. */
const withDescribed = (tool: Toolset.DynamicTool): Effect.Effect<Toolset.DynamicTool | undefined> =>
  // It brings the parser of expressions along.
  Effect.promise(() => import("@wield/core/Pattern")).pipe(
    Effect.flatMap(({ describeUnsafe }) => describeUnsafe(tool.inputSchema ?? {})),
    Effect.match({ onFailure: () => undefined, onSuccess: (inputSchema) => ({ ...tool, inputSchema }) })
  )

interface Misspelt {
  readonly problem: string
  /** The tool that `except` takes out by it: a slip must not let one through. */
  readonly meant: string | undefined
}

/** The names of `except` and `only` that no tool has: the offered one in place of the server's own, or a slip. */
const misspeltIn = (
  { tools }: Pick<Options, "tools">,
  offeredAs: ReadonlyMap<string, string>
): ReadonlyArray<Misspelt> => {
  const names = [...offeredAs.keys()]
  return (["except", "only"] as const).flatMap((option) =>
    (tools?.[option] ?? [])
      .filter((name) => !offeredAs.has(name))
      .map((name): Misspelt => {
        const own = names.find((own) => offeredAs.get(own) === name) ?? NearestNames.nearest(name, names)
        const meant = option === "except" ? own : undefined
        const advice = own === undefined ? NearestNames.hint(name, names) : ` (did you mean ${JSON.stringify(own)}?)`
        const left = meant === undefined ? "" : `. Until it is spelt right, ${JSON.stringify(meant)} is left out`
        const problem = `its option tools.${option} names ${JSON.stringify(name)}, but no tool has that name now${advice}${left}`
        return { problem, meant }
      })
  )
}

const isMeant = (misspelt: ReadonlyArray<Misspelt>, name: string): boolean =>
  misspelt.some(({ meant }) => meant === name)

export const makeOffer = ({ call, limits, options, pins, server, toolset }: Parts): Offer => {
  const namesOf = (tools: ReadonlyArray<{ readonly name: string }>) => offeredNames(tools, prefixOf(server, options))
  /** What the last list has said. */
  let listed: ReadonlyArray<McpTool> = []
  let offered: ReadonlyMap<string, McpTool> = new Map()
  let withheld: ReadonlyArray<Withheld> = []
  let instructions: string | undefined
  const made = new Map<string, Toolset.DynamicTool>()
  /** Misspelt names are said once, not with each list. */
  const reported = new Set<string>()

  /** Offers these tools, without those with a schema that cannot be read. */
  const replace = (tools: ReadonlyArray<McpTool>): Effect.Effect<ReadonlyArray<Withheld>> =>
    Effect.gen(function* () {
      const names = namesOf(tools)
      const invalid: Array<Withheld> = []
      let all = tools.map((tool) => [tool, toolOf(tool, names.get(tool.name) ?? tool.name)] as const)
      const retried = new Set<string>()
      while (true) {
        const problem = yield* Effect.option(Effect.flip(toolset.replace(all.map(([, dynamic]) => dynamic))))
        if (Option.isNone(problem)) break
        const error = problem.value
        const bad = new Set(error._tag === "InvalidTool" ? [error.tool] : error.names)
        const usable: typeof all = []
        for (const [tool, dynamic] of all) {
          const isBad = bad.has(dynamic.name)
          const described = isBad && !retried.has(tool.name) ? yield* withDescribed(dynamic) : undefined
          if (isBad) retried.add(tool.name)
          if (!isBad || described !== undefined) usable.push([tool, described ?? dynamic])
          else invalid.push({ tool: tool.name, reason: "invalid", problem: error.message })
        }
        all = usable
      }
      offered = new Map(all.map(([tool]) => [tool.name, tool]))
      return invalid
    })

  const takeOver: Offer["takeOver"] = (tools, said, accepted, unread) =>
    Effect.gen(function* () {
      const misspelt = misspeltIn(options, namesOf([...tools, ...unread.map(({ tool }) => ({ name: tool }))]))
      for (const { problem } of misspelt) {
        if (!reported.has(problem)) yield* Effect.logError(`MCP server ${server}: ${problem}`)
        reported.add(problem)
      }
      const known = yield* pins.load(server)
      const onDrift: OnDrift =
        accepted === undefined
          ? (options.onDrift ?? "withhold")
          : (drift) => Effect.succeed(accepted === "all" || accepted.has(drift.tool))
      const single = withoutDuplicates(tools.filter(({ name }) => isUsed(options, name) && !isMeant(misspelt, name)))
      const { drifts, isNew, offered: next, pinned } = yield* review(known, onDrift, single.tools, said)
      if (isNew) yield* pins.save(server, pinned)
      const invalid = yield* replace(next)
      listed = tools
      instructions = pinned.instructions
      const leftOut = misspelt.flatMap(({ meant, problem }): ReadonlyArray<Withheld> =>
        meant === undefined ? [] : [{ tool: meant, reason: "misspelt", problem }]
      )
      withheld = [...unread, ...leftOut, ...single.withheld, ...invalid, ...drifts.map(withheldBy)]
    }).pipe(Effect.mapError(pinsFailed))

  const pinsFailed = ({ message }: Pins.PinsError) => new ConnectFailed({ server, reason: message })

  const offerPinned = ({ tools }: Pins.Pinned) => {
    // Pins hold tools as a server listed them.
    const pinned = Object.values(tools).map(({ tool }) => tool as unknown as McpTool)
    const misspelt = misspeltIn(options, namesOf(pinned))
    return replace(pinned.filter(({ name }) => isUsed(options, name) && !isMeant(misspelt, name)))
  }

  /** The same object for the same tool, so that its schema is not compiled again. */
  const toolOf = (tool: McpTool, offeredName: string): Toolset.DynamicTool => {
    const key = `${offeredName}:${fingerprintOf(tool)}`
    const before = made.get(key)
    if (before !== undefined) return before
    const dynamic = dynamicTool(tool, offeredName, {
      isTrusted: options.trust === "hints",
      check: options.outputSchemas ?? "note",
      call: (parameters, isRepeatable, given) => call(tool, parameters, isRepeatable, given)
    })
    made.set(key, dynamic)
    if (made.size > 2 * limits.items) made.clear()
    return dynamic
  }

  return {
    takeOver,
    pinned: Effect.mapError(pins.load(server), pinsFailed),
    offerPinned,
    listed: () => listed,
    offered: () => offered,
    withheld: () => withheld,
    instructions: () => instructions
  }
}

const withheldBy = (drift: Pins.Drift): Withheld => ({
  tool: drift.tool,
  reason: "drifted",
  problem:
    drift.kind === "added"
      ? `the tool ${drift.tool} is new`
      : `${drift.kind === "altered" ? `the tool ${drift.tool}` : "the instructions"} changed at ${drift.differences
          .map(({ path }) => path || "/")
          .join(", ")}`,
  drift
})
