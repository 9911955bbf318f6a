/**
 * What is wrong with the configurations of APIs, as far as it can be known
 * without their environment, and without asking them.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type { ExecutorFactory } from "../ExecutorFactory.js"
import * as GraphQlExecutor from "../GraphQlExecutor.js"
import { interpolated, variablesOf } from "../load/environment.js"
import { inConfiguration, invalidConfiguration } from "../load/executors.js"
import type { ApiDeclaration, Manifest } from "../load/Manifest.js"
import type { Problem } from "../Problem.js"
import * as RestExecutor from "../RestExecutor.js"

/** Those that need no more than a client, which making them does not use. */
export const own: ReadonlyArray<ExecutorFactory<HttpClient.HttpClient>> = [
  RestExecutor.factory,
  GraphQlExecutor.factory
]

export const configurationProblems = (
  manifest: Manifest,
  factories: ReadonlyArray<ExecutorFactory<unknown>>
): Effect.Effect<ReadonlyArray<Problem>> =>
  Effect.map(
    Effect.forEach(manifest.apis, (api) => problemsOf(api, factories)),
    (all) => all.flat()
  )

const problemsOf = (
  api: ApiDeclaration,
  factories: ReadonlyArray<ExecutorFactory<unknown>>
): Effect.Effect<ReadonlyArray<Problem>> => {
  const { configuration } = api
  const variables = variablesOf(configuration)
  return interpolated(configuration).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(variables.map((name) => [name, name])))),
    Effect.matchEffect({
      onFailure: (faults) => Effect.succeed(faults.map((fault) => inConfiguration(api, fault))),
      onSuccess: (filled) => {
        const factory = own.find(({ types }) => types.includes(api.type))
        const other = factories.find(({ types }) => types.includes(api.type))
        // What the environment says of an address is not known here.
        return factory === undefined || variables.length > 0
          ? Effect.sync(() =>
              (other?.checkConfiguration?.(filled) ?? []).map((fault) => invalidConfiguration(api, fault))
            )
          : made(api, factory)
      }
    })
  )
}

const made = (
  api: ApiDeclaration,
  factory: ExecutorFactory<HttpClient.HttpClient>
): Effect.Effect<ReadonlyArray<Problem>> => {
  // Linting asks no API for its schema.
  const { introspect: _introspect, ...configuration } = api.configuration
  return factory.make(configuration, { name: api.name, type: api.type, folder: undefined }).pipe(
    Effect.provideService(HttpClient.HttpClient, client),
    Effect.match({
      onFailure: ({ faults }) => faults.map((fault) => invalidConfiguration(api, fault)),
      onSuccess: () => []
    })
  )
}

const client = HttpClient.make(() => Effect.dieMessage("The linter sends nothing"))
