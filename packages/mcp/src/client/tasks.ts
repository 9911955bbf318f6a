/** Calls that a server goes on with as tasks (`io.modelcontextprotocol/tasks`): asked about until they end. */
import * as Json from "@wield/core/Json"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Limits, Progress } from "./model.js"
import { Disconnected, type McpError, ProtocolViolation, RemoteError, TimedOut } from "../McpError.js"
import { mostQuestions, stateOf, responsesOf } from "./deferral.js"
import { type Asking, answerOrWait } from "./input.js"

/** Where a result has the task that came in its place: the SDK knows no results of tasks. */
export const taskKey = "tools.wield/task"

/** The result that the SDK takes for a task. */
export const asResult = (task: object): { readonly [key: string]: unknown } => ({
  resultType: "complete",
  content: [],
  _meta: { [taskKey]: task }
})

interface Following {
  readonly server: string
  readonly limits: Limits
  /** Opens the connection again where it was lost. */
  readonly request: (method: string, params: Json.JsonObject) => Effect.Effect<Json.JsonObject, McpError>
  readonly asking: Asking
  readonly onProgress: ((progress: Progress) => void) | undefined
}

/** How often a server may ask for answers that it has. */
const mostIdleLooks = 10

/** The task that asked for what the call was replied to, if it was one. */
export const repliedTask = ({ input }: Asking) => (input === undefined ? undefined : stateOf(input).task)

/** The result itself, or that of the task in its place. Interruption cancels the task. */
export const resultOf = (
  following: Following,
  result: Json.JsonObject
): Effect.Effect<Json.JsonObject, McpError | NeedsInput> => {
  const meta = result["_meta"]
  const task = Json.isObject(meta) ? meta[taskKey] : undefined
  if (task === undefined) return Effect.succeed(result)
  const { server } = following
  const id = Json.isObject(task) ? task["taskId"] : undefined
  if (!Json.isObject(task) || typeof id !== "string" || id === "") {
    return Effect.fail(new ProtocolViolation({ server, problem: "its task has no id", hasAnswered: true }))
  }
  return followTask(following, id, task)
}

/** Goes on with a task, with the reply that it waits for, if there is one. */
export const followTask = (
  following: Following,
  id: string,
  task: Json.JsonObject
): Effect.Effect<Json.JsonObject, McpError | NeedsInput> => {
  const { limits, request, server } = following
  const cancel = Effect.ignore(Effect.timeout(request("tasks/cancel", { taskId: id }), "5 seconds"))
  return follow(following, id, task).pipe(
    Effect.timeoutFail({
      duration: limits.total,
      onTimeout: () => new TimedOut({ server, method: "tools/call", limit: limits.total })
    }),
    Effect.tapError(({ _tag }) => (_tag === "TimedOut" || _tag === "ProtocolViolation" ? cancel : Effect.void)),
    // It had begun.
    Effect.mapError((error) =>
      error._tag === "ProtocolViolation"
        ? new ProtocolViolation({ server, problem: error.problem, hasAnswered: true })
        : error
    ),
    Effect.onInterrupt(() => cancel)
  )
}

const follow = (
  { asking, onProgress, request, server }: Following,
  taskId: string,
  created: Json.JsonObject
): Effect.Effect<Json.JsonObject, McpError | NeedsInput> =>
  Effect.gen(function* () {
    const broke = (problem: string) => new ProtocolViolation({ server, problem })
    const ask = (method: string, params: Json.JsonObject) =>
      request(method, params).pipe(
        Effect.retry({ while: isOutage, schedule: Schedule.exponential("500 millis"), times: 6 }),
        // A task that cannot be asked about any more may have had its effect.
        Effect.mapError((error) =>
          error._tag === "ProtocolViolation"
            ? error
            : new Disconnected({ server, wasSent: true, reason: `its task was lost: ${error.message}` })
        )
      )
    const answered = new Set<string>()
    const replied = repliedTask(asking)
    if (asking.input !== undefined && replied?.id === taskId) {
      const inputResponses = responsesOf(asking.input)
      yield* ask("tasks/update", { taskId, inputResponses })
      for (const key of [...replied.answered, ...Object.keys(inputResponses)]) answered.add(key)
    }
    let lastSaid: Json.Json | undefined
    let reports = 0
    let idleLooks = 0
    let task = created
    while (true) {
      yield* Effect.sleep(pauseOf(task))
      task = yield* ask("tasks/get", { taskId })
      const { error, inputRequests, result, status, statusMessage, taskId: answeredFor = taskId } = task
      if (answeredFor !== taskId) return yield* broke("it answered about another task")
      if (typeof statusMessage === "string" && statusMessage !== lastSaid) {
        lastSaid = statusMessage
        onProgress?.({ progress: ++reports, message: statusMessage })
      }
      switch (status) {
        case "working":
          break
        case "completed":
          return Json.isObject(result) && Array.isArray(result["content"])
            ? result
            : yield* broke("a task ended without a result")
        case "failed":
        case "cancelled": {
          const { code, data, message } = Json.isObject(error) ? error : {}
          return yield* new RemoteError({
            server,
            code: typeof code === "number" ? code : -32603,
            problem:
              typeof message === "string" ? message : `the task has ${status === "failed" ? status : "been cancelled"}`,
            ...(data === undefined ? {} : { data })
          })
        }
        case "input_required": {
          const asked = Json.isObject(inputRequests) ? Object.entries(inputRequests) : []
          const open = asked.filter(([key]) => !answered.has(key))
          if (answered.size + open.length > mostQuestions) {
            return yield* broke(`a task asked more than ${mostQuestions} questions`)
          }
          if (open.length === 0) {
            if (++idleLooks > mostIdleLooks) return yield* broke("a task does not take the answers to its questions")
            break
          }
          idleLooks = 0
          const inputResponses = yield* answerOrWait(server, Object.fromEntries(open), asking, (answers) => ({
            answers,
            task: { id: taskId, answered: [...answered] }
          }))
          for (const [key] of open) answered.add(key)
          yield* ask("tasks/update", { taskId, inputResponses })
          break
        }
        default:
          return yield* broke("a task has no status that is known")
      }
    }
  })

const isOutage = (error: McpError): boolean => error._tag === "Disconnected" || error._tag === "ConnectFailed"

/** As often as the server wants to be asked, within reason. */
const pauseOf = ({ pollIntervalMs }: Json.JsonObject): Duration.Duration =>
  Duration.millis(Math.min(60_000, Math.max(100, typeof pollIntervalMs === "number" ? pollIntervalMs : 1000)))
