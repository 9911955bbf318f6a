/** How scripts are run, with what is not stated filled in. */
import * as Duration from "effect/Duration"
import * as Options from "@wield/core/Options"
import type { Environment, ExecutionOptions, Isolation, Limits, Workers } from "../ExecutionOptions.js"
import type { Mode } from "./Program.js"
import type { Kind } from "../process/interpreter.js"

const mebibyte = 1024 * 1024

export const makeSettings = (options: ExecutionOptions) => {
  const { environment = {}, interpreters = {}, limits = {}, workers = {} } = options
  return {
    isolation: options.isolation ?? ("worker" as const),
    time: Duration.decode(limits.time ?? "2 minutes"),
    loading: Duration.decode(limits.loading ?? "30 seconds"),
    output: limits.output ?? 16 * mebibyte,
    processes: limits.processes ?? 64,
    memory: limits.memory,
    workersPer: workers.per ?? "script",
    workers: Math.max(1, workers.size ?? 4),
    workerCalls: Math.max(1, workers.calls ?? 1000),
    workerMemory: workers.memory ?? 512 * mebibyte,
    workerIdle: Duration.decode(workers.idle ?? "5 minutes"),
    environment,
    root: options.root,
    cache: options.cache,
    workingDirectory: options.workingDirectory ?? process.cwd(),
    interpreters
  }
}

const { aDuration, aDurationOrZero, aFlag, aNumber, aText, fields, oneOf, record, texts } = Options

/** Without a compiler, a limit of another name would limit nothing. */
export const checkOptions = fields({
  isolation: oneOf("worker", "process", "shared"),
  limits: fields({
    time: aDuration,
    loading: aDuration,
    output: aNumber,
    processes: aNumber,
    memory: aNumber
  } satisfies Options.Checks<Limits>),
  workers: fields({
    per: oneOf("script", "language"),
    size: aNumber,
    calls: aNumber,
    memory: aNumber,
    idle: aDurationOrZero
  } satisfies Options.Checks<Workers>),
  environment: fields({
    pass: texts,
    set: record(aText),
    isEnvFileRead: aFlag,
    secrets: texts
  } satisfies Options.Checks<Environment>),
  root: aText,
  cache: aText,
  workingDirectory: aText,
  interpreters: fields({ python: aText, bash: aText, node: aText } satisfies Options.Checks<
    NonNullable<ExecutionOptions["interpreters"]>
  >)
} satisfies Options.Checks<ExecutionOptions>)

export interface Settings extends ReturnType<typeof makeSettings> {}

const worker: { readonly [kind in Kind]: Mode } = { python: "fork", bash: "fork", node: "reset" }

/** How a program of scripts serves its calls. */
export const modeOf = (isolation: Isolation, kind: Kind): Mode => {
  switch (isolation) {
    case "worker":
      return worker[kind]
    case "process":
      return "once"
    case "shared":
      return kind === "bash" ? "fork" : "keep"
  }
}
