/**
 * What a program gives a manifest, so that its tools can be run.
 */
import type { Json } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { Arguments, Executor } from "../Executor.js"
import type { ExecutorFactory, Requirements } from "../ExecutorFactory.js"
import type { Facts } from "@wield/core"

/** Handles the calls of a local tool: gets the valid arguments, hidden fields included. */
export type Handler<R = never> = (parameters: Arguments) => Effect.Effect<unknown, unknown, R>

/** A local tool whose definition is given in code, for files that have no more than its name. */
export interface LocalTool<R = never> {
  readonly description?: string | undefined
  readonly parameters?: Json.JsonSchema | undefined
  readonly facts?: Partial<Facts.Facts> | undefined
  readonly handle: Handler<R>
}

/** An executor, or an effect that makes it. */
export type GivenExecutor = Executor | Effect.Effect<Executor, unknown, unknown>

export interface ExecutorOptions {
  /** Make executors of the `apis` of the manifest, each of its own types. */
  readonly factories?: ReadonlyArray<ExecutorFactory<unknown>> | undefined
  /** Executors by the names of their APIs, in any case; they come before what `apis` declares. */
  readonly executors?: { readonly [name: string]: GivenExecutor } | undefined
}

export interface Binding extends ExecutorOptions {
  /** What handles local tools, by their names. */
  readonly handlers?: { readonly [name: string]: Handler<unknown> | LocalTool<unknown> } | undefined
}

type Factories<Options> = Options extends { readonly factories: ReadonlyArray<infer Factory> } ? Factory : never
type Given<Options> = Options extends { readonly executors: infer Executors } ? Executors[keyof Executors] : never
type Handlers<Options> = Options extends { readonly handlers: infer All } ? All[keyof All] : never

/** What making the executors requires. */
export type ExecutorRequirements<Options> =
  | Requirements<Factories<Options>>
  | (Given<Options> extends infer One ? (One extends Effect.Effect<unknown, unknown, infer R> ? R : never) : never)

/** How making the executors that are given as effects can fail. */
export type ExecutorErrors<Options> =
  Given<Options> extends infer One ? (One extends Effect.Effect<unknown, infer E, unknown> ? E : never) : never

/** What handling the calls of local tools requires. */
export type HandlerRequirements<Options> =
  Handlers<Options> extends infer One
    ? One extends Handler<infer R>
      ? R
      : One extends LocalTool<infer R>
        ? R
        : never
    : never
