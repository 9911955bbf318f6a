/**
 * Calls that go on after their request (`io.modelcontextprotocol/tasks`): the
 * client asks how a task is, answers its questions, and can cancel it. A task
 * runs in the process that took its call, and belongs to the principal that made
 * it. With a store, other processes answer about it.
 */
import type { Json, ToolDefinition } from "@wield/core"
import * as Fibers from "@wield/core/Fibers"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { tasksExtension } from "../internal/content.js"
import type { Question } from "../McpRequest.js"
import type { Answers, Incoming, Questions } from "./incoming.js"
import type { CallResult } from "./results.js"
import { isModern } from "./revision.js"
import { internalError, invalidParams, orInternalError, RpcError } from "./rpc.js"
import type { TaskStore } from "./taskStore.js"

export interface TaskOptions {
  readonly support: (definition: ToolDefinition.ToolDefinition) => "optional" | "required" | undefined
  /** In milliseconds. */
  readonly keep: number
  /** In milliseconds. */
  readonly poll: number
  readonly max: number
  readonly store: TaskStore | undefined
}

/** What the client reads instead of a result. */
export interface TaskCreated extends Head {
  readonly resultType: "task"
}

interface Head {
  readonly taskId: string
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled"
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

interface Asked {
  readonly question: Question<unknown>
  readonly answer: Deferred.Deferred<unknown>
}

/** A call that can become a task, and the task that it is then. */
export class Task {
  readonly id = crypto.randomUUID()
  /** Completed when the call has become a task. */
  readonly started = Deferred.unsafeMake<void>(FiberId.none)
  #isStarted = false
  #created = Date.now()
  #updated = this.#created
  #message: string | undefined
  #end: Exit.Exit<CallResult, RpcError> | undefined
  #fiber: Fibers.Running | undefined
  readonly #asked = new Map<string, Asked>()
  /** The keys of all that it has asked. */
  readonly asked: Array<string> = []
  #looked = Deferred.unsafeMake<void>(FiberId.none)

  constructor(
    readonly principal: string | undefined,
    private readonly options: TaskOptions,
    private readonly tasks: Tasks
  ) {}

  get expires(): number {
    return this.#created + this.options.keep
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Completes when no one can ask about the task any more. */
  forgotten = Deferred.unsafeMake<void>(FiberId.none)

  /** Completes when the task has ended. */
  readonly over: Effect.Effect<void> = Effect.suspend(() =>
    this.#fiber === undefined ? Effect.never : Effect.asVoid(Fiber.await(this.#fiber))
  )

  /** Completes when the call has ended in its request. */
  readonly overUnlessStarted: Effect.Effect<void> = Effect.zipRight(
    this.over,
    Effect.suspend(() => (this.#isStarted ? Effect.never : Effect.void))
  )

  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** The call goes on as a task from here. Fails where there are too many, or it cannot be stored. */
  readonly startOrFail: Effect.Effect<void, RpcError> = Effect.suspend(() => {
    if (this.#isStarted) return Effect.void
    this.#created = this.#updated = Date.now()
    this.forgotten = Deferred.unsafeMake(FiberId.none)
    if (!this.tasks.add(this)) {
      return new RpcError({ code: -32603, message: "Too many tasks are open; call again later" })
    }
    const begin = Effect.sync(() => {
      this.#isStarted = true
      Deferred.unsafeDone(this.started, Exit.void)
    })
    const { store } = this.options
    return store === undefined
      ? begin
      : Effect.matchCauseEffect(store.write(this), {
          onFailure: (cause) => {
            this.tasks.remove(this)
            return Effect.flatMap(internalError("A task of MCP could not be stored", cause), Effect.fail)
          },
          onSuccess: () => begin
        })
  })

  /** The same where it can: otherwise the call ends in its request. */
  readonly start: Effect.Effect<void> = Effect.ignore(this.startOrFail)

  /** What people read while the task works. */
  say(message: string): void {
    this.#message = message
    this.#updated = Date.now()
  }

  follow(fiber: Fiber.RuntimeFiber<CallResult, RpcError>): void {
    this.#fiber = fiber
    Fibers.onEnd(fiber, (exit) => {
      this.#end = exit
      this.#message = undefined
      this.#updated = Date.now()
      this.#asked.clear()
    })
  }

  readonly cancel: Effect.Effect<void> = Effect.suspend(() =>
    this.#fiber === undefined ? Effect.void : Fiber.interruptFork(this.#fiber)
  )

  /** Asks the client, and waits for all answers. */
  readonly ask = (questions: Questions): Effect.Effect<Answers> =>
    Effect.suspend(() => {
      const asked = Object.entries(questions).map(([name, question]) => {
        // No key comes twice, so that a late answer answers nothing new.
        const key = this.asked.length === 0 ? name : `${name}#${this.asked.length + 1}`
        this.asked.push(key)
        const answer = Deferred.unsafeMake<unknown>(FiberId.none)
        this.#asked.set(key, { question, answer })
        return { answer, key, name }
      })
      this.#updated = Date.now()
      return Effect.forEach(asked, ({ answer, name }) =>
        Effect.map(Deferred.await(answer), (value) => [name, value] as const)
      ).pipe(
        Effect.map((answers): Answers => Object.fromEntries(answers)),
        Effect.ensuring(Effect.sync(() => asked.forEach(({ key }) => this.#asked.delete(key))))
      )
    })

  /** Takes the answers that fit a question of this task. */
  update(answers: Answers): void {
    for (const [key, given] of Object.entries(answers)) {
      const asked = this.#asked.get(key)
      const decoded = asked?.question.decode(given) ?? Option.none()
      if (asked === undefined || Option.isNone(decoded)) continue
      this.#asked.delete(key)
      this.#updated = Date.now()
      Deferred.unsafeDone(asked.answer, Exit.succeed(decoded.value))
    }
    this.look()
  }

  /** Waits until the client asks about the task again. */
  readonly nextLook: Effect.Effect<void> = Effect.suspend(() => Deferred.await(this.#looked))

  look(): void {
    Deferred.unsafeDone(this.#looked, Exit.void)
    this.#looked = Deferred.unsafeMake<void>(FiberId.none)
  }

  /** The keys of what it asks now. */
  get questions(): ReadonlyArray<string> {
    return [...this.#asked.keys()]
  }

  get #failure(): RpcError | undefined {
    return this.#end === undefined || Exit.isSuccess(this.#end)
      ? undefined
      : Option.getOrUndefined(Cause.failureOption(this.#end.cause))
  }

  get #status(): Head["status"] {
    if (this.#end === undefined) return this.#asked.size === 0 ? "working" : "input_required"
    if (Exit.isSuccess(this.#end)) return "completed"
    return this.#failure === undefined ? "cancelled" : "failed"
  }

  get #head(): Head {
    return {
      taskId: this.id,
      status: this.#status,
      ...(this.#message === undefined ? {} : { statusMessage: this.#message }),
      createdAt: new Date(this.#created).toISOString(),
      lastUpdatedAt: new Date(this.#updated).toISOString(),
      ttlMs: this.options.keep,
      pollIntervalMs: this.options.poll
    }
  }

  get created(): TaskCreated {
    return { resultType: "task", ...this.#head }
  }

  /** The task with what it asks for, or with its end. */
  get details(): object {
    const questions = Array.from(
      this.#asked,
      ([key, { question }]) => [key, { method: question.method, params: question.params }] as const
    )
    const failure = this.#failure
    return {
      ...this.#head,
      ...(questions.length === 0 ? {} : { inputRequests: Object.fromEntries(questions) }),
      ...(this.#end !== undefined && Exit.isSuccess(this.#end)
        ? { result: { resultType: "complete", ...this.#end.value } }
        : {}),
      ...(failure === undefined ? {} : { error: errorOf(failure) })
    }
  }
}

const errorOf = ({ code, data, message }: RpcError): Json.JsonObject => ({
  code,
  message,
  ...(data === undefined ? {} : { data })
})

export class Tasks {
  readonly #tasks = new Map<string, Task>()

  constructor(
    private readonly options: TaskOptions,
    private readonly scope: Scope.Scope
  ) {}

  /** Tells the other processes how the task is, and does what they have taken for it. */
  #share(task: Task, store: TaskStore): Effect.Effect<void> {
    let written = ""
    let at = 0
    const write = Effect.suspend(() => {
      const details = JSON.stringify(task.details)
      if (details === written && Date.now() - at < heartbeat) return Effect.void
      return Effect.map(store.write(task), () => {
        written = details
        at = Date.now()
      })
    })
    const succeeds = (step: Effect.Effect<void, unknown>) =>
      Effect.matchCauseEffect(step, {
        onFailure: (cause) => Effect.as(Effect.logWarning("The store of MCP tasks failed", cause), false),
        onSuccess: () => Effect.succeed(true)
      })
    // What is removed is not written behind that.
    const end = Effect.repeat(succeeds(Effect.uninterruptible(store.write(task))), {
      schedule: Schedule.spaced(this.options.poll),
      until: (isWritten) => isWritten
    })
    return succeeds(Effect.zipRight(store.followOrders(task), write)).pipe(
      Effect.zipLeft(Effect.raceFirst(task.over, Effect.sleep(this.options.poll))),
      Effect.repeat({ until: () => task.isOver }),
      // Its end, which is kept until it expires. No other process knows it otherwise.
      Effect.zipRight(
        Effect.suspend(() =>
          Effect.zipRight(end, Effect.never).pipe(
            Effect.raceFirst(Deferred.await(task.forgotten)),
            Effect.raceFirst(Effect.sleep(Math.max(0, task.expires - Date.now())))
          )
        )
      ),
      Effect.ensuring(Effect.suspend(() => Effect.ignoreLogged(store.remove(task.id, task.asked))))
    )
  }

  /** Whether there is room for it. Of its principal's tasks, those that have ended give way. */
  add(task: Task): boolean {
    const now = Date.now()
    // All live equally long, so the oldest expires first.
    for (const oldest of this.#tasks.values()) {
      if (oldest.expires > now) break
      this.remove(oldest)
    }
    const own = [...this.#tasks.values()].filter(({ principal }) => principal === task.principal)
    if (own.length >= this.options.max) {
      const oldest = own.find(({ isOver }) => isOver)
      if (oldest === undefined) return false
      this.remove(oldest)
    }
    this.#tasks.set(task.id, task)
    return true
  }

  remove(task: Task): void {
    this.#tasks.delete(task.id)
    Deferred.unsafeDone(task.forgotten, Exit.void)
  }

  /** Runs a call, until it ends or becomes a task. */
  run<A extends object>(
    definition: ToolDefinition.ToolDefinition,
    incoming: Incoming,
    call: (task: Task | undefined) => Effect.Effect<CallResult | A, RpcError>
  ): Effect.Effect<CallResult | A | TaskCreated, RpcError> {
    const { keep, support } = this.options
    const wanted = support(definition)
    if (!hasTasks(incoming)) return wanted === "required" ? Effect.fail(tasksMissing()) : call(undefined)
    const task = new Task(incoming.caller.principal?.id, this.options, this)
    const expiry = Deferred.await(task.started).pipe(
      Effect.zipRight(Effect.sleep(keep)),
      Effect.zipRight(Effect.sync(() => this.remove(task))),
      Effect.zipRight(Effect.interrupt)
    )
    const whole = call(task).pipe(
      Effect.raceFirst(expiry),
      Effect.catchAllDefect((defect) => Effect.flatMap(internalError("An MCP request failed", defect), Effect.fail))
    )
    const begin = Effect.gen(this, function* () {
      if (wanted !== undefined) yield* wanted === "required" ? task.startOrFail : task.start
      const fiber = yield* Effect.forkIn(Effect.interruptible(whole), this.scope)
      // A task ends with a result: it waits for its answers.
      task.follow(fiber as Fiber.RuntimeFiber<CallResult, RpcError>)
      const { store } = this.options
      if (store !== undefined) {
        const shared = Effect.zipRight(Deferred.await(task.started), this.#share(task, store))
        // A call that never becomes a task is not shared.
        yield* Effect.forkIn(Effect.interruptible(Effect.raceFirst(shared, task.overUnlessStarted)), this.scope)
      }
      return fiber
    })
    return Effect.gen(function* () {
      const fiber = yield* Effect.uninterruptible(begin)
      yield* Effect.raceFirst(Fiber.await(fiber), Deferred.await(task.started)).pipe(
        Effect.onInterrupt(() => (task.isStarted ? Effect.void : Fiber.interrupt(fiber)))
      )
      return task.isStarted ? task.created : yield* Fiber.join(fiber)
    })
  }

  /** Answers a request about a task. */
  answer(method: "get" | "update" | "cancel", taskId: string, incoming: Incoming): Effect.Effect<object, RpcError> {
    if (!hasTasks(incoming)) return Effect.fail(tasksMissing())
    const task = this.#tasks.get(taskId)
    const { store } = this.options
    if (task === undefined && store !== undefined) return answerFromStore(store, method, taskId, incoming)
    // Another principal learns nothing of it.
    if (task === undefined || task.expires <= Date.now() || task.principal !== incoming.caller.principal?.id) {
      return Effect.fail(invalidParams("Unknown task"))
    }
    if (method === "cancel") return Effect.as(task.cancel, {})
    return Effect.sync(() => {
      if (method === "update") {
        task.update(incoming.answers ?? {})
        return {}
      }
      task.look()
      return task.details
    })
  }
}

/** Of a task that another process runs. */
const answerFromStore = (
  store: TaskStore,
  method: "get" | "update" | "cancel",
  taskId: string,
  incoming: Incoming
): Effect.Effect<object, RpcError> =>
  Effect.gen(function* () {
    const stored = yield* store.read(taskId)
    if (stored === undefined || stored.principal !== (incoming.caller.principal?.id ?? null)) {
      return yield* invalidParams("Unknown task")
    }
    if (method === "get") return stored.details
    yield* method === "cancel" ? store.cancel(taskId) : store.answer(taskId, stored, incoming.answers ?? {})
    return {}
  }).pipe(orInternalError("The store of MCP tasks failed"))

/** How often a process writes that it is at a task, in milliseconds. */
const heartbeat = 5000

const hasTasks = ({ caller, capabilities }: Incoming): boolean => {
  const extensions = capabilities["extensions"]
  return (
    isModern(caller.revision) && typeof extensions === "object" && extensions !== null && tasksExtension in extensions
  )
}

const tasksMissing = (): RpcError =>
  new RpcError({
    code: -32021,
    message: "The client does not support tasks",
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } }
  })
