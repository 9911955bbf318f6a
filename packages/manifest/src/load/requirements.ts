/** What binding a manifest requires, and how it can fail, by the options that a program gives. */
import type * as Effect from "effect/Effect"
import type { Requirements } from "../ExecutorFactory.js"
import type { Handler, LocalTool } from "../Manifest.js"
import type { InvalidManifest } from "../ManifestError.js"

type Factories<Options> = Options extends { readonly factories: ReadonlyArray<infer Factory> } ? Factory : never
type Given<Options> = Options extends { readonly executors: infer Executors } ? Executors[keyof Executors] : never
type Handlers<Options> = Options extends { readonly handlers: infer All } ? All[keyof All] : never

export type ExecutorRequirements<Options> =
  | Requirements<Factories<Options>>
  | (Given<Options> extends infer One ? (One extends Effect.Effect<unknown, unknown, infer R> ? R : never) : never)

export type ExecutorErrors<Options> =
  Given<Options> extends infer One ? (One extends Effect.Effect<unknown, infer E, unknown> ? E : never) : never

export type HandlerRequirements<Options> =
  Handlers<Options> extends infer One
    ? One extends Handler<infer R>
      ? R
      : One extends LocalTool<infer R>
        ? R
        : never
    : never

export type Bound<A, Options, E = never> = Effect.Effect<
  A,
  InvalidManifest | E | ExecutorErrors<Options>,
  ExecutorRequirements<Options>
>
