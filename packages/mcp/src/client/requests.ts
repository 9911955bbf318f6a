/** What a client asks of its server, one request or many, over whatever connection there is. */
import type * as Json from "@wield/core/Json"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Effect from "effect/Effect"
import type { McpTool } from "../internal/content.js"
import { Drifted, LimitExceeded, type McpError, ProtocolViolation, RemoteError, Unsupported } from "../McpError.js"
import type { RequestOptions } from "./Connection.js"
import { type Asking, withRounds } from "./input.js"
import type { CallResult, Limits, Options } from "./model.js"
import { isUsed, type Offer } from "./offer.js"
import type { Supervisor } from "./supervisor.js"
import { fingerprintOf } from "./tools.js"
import { followTask, repliedTask, resultOf as resultOfTask } from "./tasks.js"

interface Parts {
  readonly server: string
  readonly options: Pick<Options<never>, "logLevel" | "tools">
  readonly limits: Limits
  readonly offer: Offer
  readonly supervisor: Supervisor
  /** How a question of the server is answered where no call can wait. */
  readonly atOnce: Asking
  readonly isLegacy: () => boolean
}

export interface Requests {
  readonly request: (
    method: string,
    params: Json.JsonObject,
    isRepeatable?: boolean,
    given?: RequestOptions
  ) => Effect.Effect<Json.JsonObject, McpError>
  /** Where the server was started again, the tool may be another one by now. */
  readonly callTool: (
    tool: McpTool | string,
    parameters: Json.JsonObject,
    isRepeatable: boolean,
    given: RequestOptions,
    asking: Asking
  ) => Effect.Effect<CallResult, McpError | NeedsInput>
  /** All pages of a list. */
  readonly list: (
    method: string,
    key: string,
    capability: string
  ) => Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
}

export const makeRequests = ({ atOnce, isLegacy, limits, offer, options, server, supervisor }: Parts): Requests => {
  const meta = (): Json.JsonObject =>
    options.logLevel === undefined || isLegacy()
      ? {}
      : { _meta: { "io.modelcontextprotocol/logLevel": options.logLevel } }

  const request: Requests["request"] = (method, params, isRepeatable = true, given = {}) =>
    // Nothing waits that is answered at once.
    Effect.catchTag(exchange(method, params, isRepeatable, given, atOnce), "NeedsInput", Effect.die)

  const exchange = (
    method: string,
    params: Json.JsonObject,
    isRepeatable: boolean,
    given: RequestOptions,
    asking: Asking,
    check: Effect.Effect<void, McpError> = Effect.void
  ): Effect.Effect<Json.JsonObject, McpError | NeedsInput> =>
    supervisor.use(
      (connection) =>
        Effect.zipRight(
          check,
          withRounds(server, (asked) => connection.request(method, asked, given), asking, { ...params, ...meta() })
        ),
      isRepeatable
    )

  const callTool: Requests["callTool"] = (tool, parameters, isRepeatable, given, asking) => {
    const called = typeof tool === "string" ? tool : tool.name
    const check = Effect.suspend((): Effect.Effect<void, Drifted | RemoteError> => {
      const isMisspelt = offer.withheld().some(({ reason, tool }) => tool === called && reason === "misspelt")
      if (!isUsed(options, called) || isMisspelt) {
        return new RemoteError({ server, code: -32602, problem: `Unknown tool: ${called}` })
      }
      const isSame = typeof tool === "string" || sameTool(offer.offered().get(called), tool)
      const refused = offer.withheld().find((one) => one.tool === called && one.reason === "drifted")
      return isSame && refused === undefined
        ? Effect.void
        : new Drifted({
            server,
            tools: [called],
            problem: refused?.problem ?? `the tool ${called} is another one`
          })
    })
    const call = () =>
      exchange("tools/call", { name: called, arguments: parameters }, isRepeatable, given, asking, check)
    const following = { server, limits, request, asking, onProgress: given.onProgress }
    const task = repliedTask(asking)
    const ended =
      task === undefined
        ? Effect.flatMap(call(), (result) => resultOfTask(following, result))
        : Effect.zipRight(check, followTask(following, task.id, {}))
    // The SDK has checked the result.
    return Effect.map(ended, (result) => result as unknown as CallResult)
  }

  const list: Requests["list"] = (method, key, capability) =>
    Effect.gen(function* () {
      const { agreement } = yield* supervisor.get
      if (agreement.capabilities[capability] === undefined) {
        return yield* new Unsupported({ server, capability })
      }
      const items: Array<Json.JsonObject> = []
      const cursors = new Set<unknown>()
      let cursor: Json.Json | undefined
      let size = 0
      do {
        const page: Json.JsonObject = yield* request(method, cursor === undefined ? {} : { cursor })
        const more = page[key]
        // The SDK has checked the items. A list of any length would not fit the stack.
        if (Array.isArray(more)) for (const item of more as ReadonlyArray<Json.JsonObject>) items.push(item)
        cursor = page["nextCursor"]
        size += JSON.stringify(more ?? []).length
        if (size > limits.messageBytes)
          return yield* new LimitExceeded({ server, limit: `${limits.messageBytes} bytes of ${key}` })
        if (items.length > limits.items) return yield* new LimitExceeded({ server, limit: `${limits.items} items` })
        if (cursor !== undefined && cursors.has(cursor)) {
          return yield* new ProtocolViolation({ server, problem: `${method} gave a cursor twice` })
        }
        cursors.add(cursor)
        if (cursors.size > limits.pages) return yield* new LimitExceeded({ server, limit: `${limits.pages} pages` })
      } while (cursor !== undefined)
      return items
    })

  return { request, callTool, list }
}

const sameTool = (left: McpTool | undefined, right: McpTool): boolean =>
  left === right || (left !== undefined && fingerprintOf(left) === fingerprintOf(right))
