import type { FileSystem, Path } from "@effect/platform"
import type { Json, Toolset } from "@wield/core"
import {
  ExecutionError,
  type FunctionFile,
  FunctionFolder,
  type Script,
  ScriptExecutor,
  ScriptFolder,
  type ScriptError
} from "@wield/scripts"
import { Effect, Match, type Scope } from "effect"
import { describe, expectTypeOf, it } from "vitest"

type Success<T> = T extends Effect.Effect<infer A, infer _E, infer _R> ? A : never
type Failure<T> = T extends Effect.Effect<infer _A, infer E, infer _R> ? E : never
type Required<T> = T extends Effect.Effect<infer _A, infer _E, infer R> ? R : never

declare const folder: ScriptFolder.ScriptFolder
declare const executor: ScriptExecutor.ScriptExecutor
declare const script: Script.Script
declare const total: Script.ScriptFunction
declare const file: FunctionFile.FunctionFile

describe("a folder of scripts", () => {
  it("is read from a file system, and fails where it cannot be", () => {
    const loaded = ScriptFolder.load("tools")
    expectTypeOf<Failure<typeof loaded>>().toEqualTypeOf<ScriptError.UnreadableScript>()
    expectTypeOf<Required<typeof loaded>>().toEqualTypeOf<FileSystem.FileSystem | Path.Path>()
  })
  it("is a toolset whose interpreters end with its scope, and whose problems are data, not failures", () => {
    const made = ScriptFolder.toToolset(folder)
    expectTypeOf<Success<typeof made>>().toExtend<Toolset.DynamicToolset>()
    expectTypeOf<Failure<typeof made>>().toEqualTypeOf<never>()
    expectTypeOf<Required<typeof made>>().toEqualTypeOf<Scope.Scope>()
    // @ts-expect-error nothing ends the interpreters
    void Effect.runPromise(made)
    void Effect.runPromise(Effect.scoped(made))
  })
  it("that is live needs a scope, too", () => {
    const live = ScriptFolder.live("tools", { interval: "1 second" })
    expectTypeOf<Required<typeof live>>().toEqualTypeOf<FileSystem.FileSystem | Path.Path | Scope.Scope>()
    // @ts-expect-error an interval is a duration
    ScriptFolder.live("tools", { interval: "soon" })
  })
})

describe("a call of a script", () => {
  it("gives JSON, or one of the failures that have a name", () => {
    const called = executor.run(script, total, { prices: [1, 2] })
    expectTypeOf<Success<typeof called>>().toEqualTypeOf<Json.Json>()
    expectTypeOf<Failure<typeof called>>().toEqualTypeOf<ExecutionError.ExecutionError>()
    expectTypeOf<Required<typeof called>>().toEqualTypeOf<never>()
    // @ts-expect-error a date is no JSON
    executor.run(script, total, { since: new Date() })
  })
  it("fails in ways that a program can tell apart to the last", () => {
    const told = Match.type<ExecutionError.ExecutionError>().pipe(
      Match.tagsExhaustive({
        ScriptExited: ({ exitCode }) => exitCode,
        ScriptRaised: ({ error }) => error,
        FunctionFailed: ({ message }) => message,
        LimitExceeded: ({ limit }) => limit,
        UnreadableOutput: ({ message }) => message,
        ScriptNotStarted: ({ reason }) => reason
      })
    )
    expectTypeOf(told).parameter(0).toEqualTypeOf<ExecutionError.ExecutionError>()
    expectTypeOf(ExecutionError.isExecutionError).guards.toEqualTypeOf<ExecutionError.ExecutionError>()
  })
  it("has limits with units, and an isolation that exists", () => {
    ScriptExecutor.make({ isolation: "process", limits: { time: "10 seconds" }, workers: { size: 2 } })
    // @ts-expect-error there is no such isolation
    ScriptExecutor.make({ isolation: "container" })
    // @ts-expect-error 10 of what?
    ScriptExecutor.make({ limits: { time: "10" } })
    // @ts-expect-error there is no such limit
    ScriptExecutor.make({ limits: { seconds: 10 } })
  })
})

describe("function files", () => {
  it("are tools by an executor", () => {
    const made = FunctionFolder.toToolset({ folders: [], files: [file], problems: [] }, { executor })
    expectTypeOf<Success<typeof made>>().toExtend<Toolset.DynamicToolset>()
    // @ts-expect-error nothing runs the files
    FunctionFolder.toToolset({ folders: [], files: [file], problems: [] })
  })
})
