/** An `HttpClient` that records exchanges in a file, without secrets, and replays them. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { Json } from "@wield/core"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import { aFunction, aName, aSecret, type Checks, fields, holds, list, oneOf, orThrow, texts } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { type Exchange, requestLine, read as readFile, write as writeFile } from "./recorded/exchange.js"
import { match, type Matching } from "./recorded/match.js"
import {
  type Received,
  encodeRequest,
  encodeResponse,
  piecesOf,
  secretsOfRequest,
  secretsOfResponse,
  webResponse
} from "./recorded/encode.js"
import { redactionOf, type Rules, rulesOf } from "./recorded/secrets.js"
import { readRequest, type Sent } from "./recorded/sent.js"
import {
  type RecordingError,
  type RecordingFailed,
  RecordingInvalid,
  RecordingMismatch,
  RecordingNotFound,
  RecordingUnused
} from "./RecordingError.js"

/**
 * `replay` uses the recording only. `record` sends everything and writes a
 * new file. `auto` replays if there is a file and records otherwise.
 *
 * @category models
 */
export type Mode = "replay" | "record" | "auto"

/**
 * Your secrets, beside the known ones: authorization and API key headers,
 * cookies, query parameters such as `key` and `access_token`, fields of bodies
 * such as `client_secret`. A value of at least 8 characters found there is
 * removed everywhere.
 *
 * @category models
 */
export interface Secrets {
  /** Header names, in requests and responses. */
  readonly headers?: ReadonlyArray<string> | undefined
  /** Names of query parameters. */
  readonly query?: ReadonlyArray<string> | undefined
  /** Fields of JSON and form bodies: a name, at any depth, or a path such as `$.auth.token` or `$.users[*].email`. */
  readonly body?: ReadonlyArray<string> | undefined
  /** Values to remove everywhere. */
  readonly values?: ReadonlyArray<Redacted.Redacted> | undefined
}

/**
 * Options of the recording.
 *
 * @category models
 */
export interface Options {
  /** The JSON file with the exchanges of one test. */
  readonly file: string
  /** Default `replay`. The variable WIELD_RECORD overrides it. With CI set, nothing is recorded. */
  readonly mode?: Mode | undefined
  readonly secrets?: Secrets | undefined
  /** `any`, the default, answers with the first unused exchange that matches. `strict` takes the next exchange only. */
  readonly order?: "any" | "strict" | undefined
  /** Changes both JSON bodies before they are compared, to remove what differs each time. */
  readonly normalise?: ((body: Json.Json) => Json.Json) | undefined
  /** Request headers to record and compare. Default none. */
  readonly matchHeaders?: ReadonlyArray<string> | undefined
  /** More headers to record, in requests and responses. Secret ones are never recorded. */
  readonly keepHeaders?: ReadonlyArray<string> | undefined
  /** The client that sends requests while recording. Default `FetchHttpClient.layer`. */
  readonly client?: Layer.Layer<HttpClient.HttpClient> | undefined
}

/**
 * The recording in use.
 *
 * @category services
 */
export class Recording extends Context.Tag("@wield/testing/Recording")<
  Recording,
  {
    readonly file: string
    readonly isRecording: boolean
    /** Method and address of the unused exchanges. */
    readonly unused: Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/**
 * Fails with `RecordingUnused` if exchanges of the recording were not used.
 *
 * @category assertions
 */
export const assertDone: Effect.Effect<void, RecordingUnused, Recording> = Effect.flatMap(Recording, (recording) =>
  Effect.flatMap(recording.unused, (left) =>
    left.length === 0 ? Effect.void : new RecordingUnused({ file: recording.file, left })
  )
)

/**
 * An `HttpClient` that replays the exchanges of a file, or records them.
 *
 * A request matches by method, address, query and body, without secrets; the
 * order of JSON keys does not count. A request without a match dies with
 * `RecordingMismatch`, whose message shows the first difference to the nearest
 * exchange. It is a defect so that no retry hides it.
 *
 * The recording is written when the Layer's scope closes. A failed write is a
 * defect. While recording, a response is read to its end before the program gets
 * it. A streamed body is recorded and replayed in its pieces.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FileSystem, HttpClient } from "@effect/platform"
 * import { Recorded } from "@wield/testing"
 * import { Effect, Layer } from "effect"
 *
 * const recording = JSON.stringify([
 *   {
 *     request: { method: "GET", url: "https://api.example.com/time?key=REDACTED", headers: {} },
 *     response: { status: 200, headers: { "content-type": "application/json" }, body: { text: "{\"hour\":12}" } }
 *   }
 * ])
 * // In a test: NodeFileSystem.layer, and a file of the repository.
 * const files = FileSystem.layerNoop({ readFileString: () => Effect.succeed(recording) })
 *
 * const program = Effect.gen(function* () {
 *   const response = yield* HttpClient.get("https://api.example.com/time?key=another-key")
 *   yield* Recorded.assertDone
 *   return yield* response.json
 * })
 * const live = Recorded.layer({ file: "test/recordings/time.json" }).pipe(Layer.provide(files))
 * Effect.runPromise(program.pipe(Effect.provide(live))).then((body) => assert.deepStrictEqual(body, { hour: 12 }))
 * ```
 *
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<HttpClient.HttpClient | Recording, RecordingError | ConfigError.ConfigError, FileSystem.FileSystem> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      orThrow(checkOptions(options), "How exchanges are recorded")
      const mode = yield* modeOf(options.mode)
      const known = mode === "record" ? undefined : yield* readFile(options.file)
      const setup = setupOf(options)
      if (known !== undefined) return yield* replayLayer(setup, known)
      if (mode === "replay") return yield* new RecordingNotFound({ file: options.file })
      return Layer.provide(recordingLayer(setup), options.client ?? FetchHttpClient.layer)
    })
  )

// Of a name that is misspelt, a secret would stand in the file.
const checkOptions = fields(
  {
    file: aName,
    mode: oneOf("replay", "record", "auto"),
    secrets: fields({ headers: texts, query: texts, body: texts, values: list(aSecret) } satisfies Checks<Secrets>),
    order: oneOf("any", "strict"),
    normalise: aFunction,
    matchHeaders: texts,
    keepHeaders: texts,
    client: holds("a layer, such as FetchHttpClient.layer", Layer.isLayer)
  } satisfies Checks<Options>,
  ["file"]
)

type Services = HttpClient.HttpClient | Recording

interface Setup {
  readonly file: string
  readonly rules: Rules
  readonly matching: Matching
  readonly keepHeaders: ReadonlySet<string>
}

/** The headers that programs choose. Clients add the others. */
const usualHeaders = ["accept", "content-type", "anthropic-version", "anthropic-beta", "openai-beta"]

const setupOf = (options: Options): Setup => {
  const lower = (names: ReadonlyArray<string> = []) => names.map((name) => name.toLowerCase())
  return {
    file: options.file,
    rules: rulesOf(options.secrets ?? {}),
    matching: {
      order: options.order ?? "any",
      normalise: options.normalise ?? ((body) => body),
      headers: new Set(lower(options.matchHeaders))
    },
    keepHeaders: new Set([...usualHeaders, ...lower(options.matchHeaders), ...lower(options.keepHeaders)])
  }
}

const replayLayer = (
  setup: Setup,
  exchanges: ReadonlyArray<Exchange>
): Effect.Effect<Layer.Layer<Services>, RecordingInvalid> =>
  Effect.gen(function* () {
    const { file, keepHeaders, matching, rules } = setup
    const responses = yield* Effect.forEach(exchanges, ({ response }, index) =>
      Either.mapBoth(piecesOf(response.body), {
        onLeft: (error) => new RecordingInvalid({ file, detail: `$[${index}].response.body: ${error.message}` }),
        onRight: (pieces): Received => ({ status: response.status, headers: response.headers, pieces })
      })
    )
    const state = yield* Ref.make<{ readonly used: ReadonlySet<number>; readonly asked: number }>({
      used: new Set(),
      asked: 0
    })
    const client = HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const { sent } = yield* readRequest(request, url)
        const asked = encodeRequest(sent, redactionOf(secretsOfRequest(sent, rules), rules), keepHeaders)
        const received = yield* Ref.modify(state, (before) => {
          const number = before.asked + 1
          const found = match(exchanges, before.used, asked, matching)
          const response = found._tag === "Found" ? responses[found.index] : undefined
          if (found._tag === "Found" && response !== undefined) {
            return [Effect.succeed(response), { used: new Set([...before.used, found.index]), asked: number }]
          }
          const difference = found._tag === "None" ? found.difference : "it has no response"
          const mismatch = new RecordingMismatch({ file, request: requestLine(asked), number, difference })
          return [Effect.die(mismatch), { ...before, asked: number }]
        }).pipe(Effect.flatten)
        return HttpClientResponse.fromWeb(request, webResponse(received))
      })
    )
    const unused = Effect.map(state, ({ used }) =>
      exchanges.flatMap(({ request }, index) => (used.has(index) ? [] : [requestLine(request)]))
    )
    return Layer.merge(
      Layer.succeed(HttpClient.HttpClient, client),
      Layer.succeed(Recording, { file, isRecording: false, unused })
    )
  })

interface Slot {
  readonly sent: Sent
  readonly received: Received | undefined
}

const recordingLayer = (setup: Setup): Layer.Layer<Services, never, HttpClient.HttpClient | FileSystem.FileSystem> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const upstream = yield* HttpClient.HttpClient
      // In the order of the requests, not of the responses.
      const slots = yield* Ref.make<ReadonlyArray<Slot>>([])
      yield* Effect.addFinalizer(() => Effect.orDie(Effect.flatMap(slots, (all) => writeSlots(setup, all))))
      const client = HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const { request: again, sent } = yield* readRequest(request, url)
          const place = yield* Ref.modify(slots, (all) => [all.length, [...all, { sent, received: undefined }]])
          const response = yield* upstream.execute(again)
          const pieces = yield* Stream.runCollect(response.stream).pipe(
            // An answer without a body.
            Effect.catchIf(
              ({ reason }) => reason === "EmptyBody",
              () => Effect.succeed(Chunk.empty())
            )
          )
          const received: Received = { status: response.status, headers: response.headers, pieces: [...pieces] }
          yield* Ref.update(slots, (all) => all.map((slot, index) => (index === place ? { sent, received } : slot)))
          return HttpClientResponse.fromWeb(
            request,
            webResponse({ ...received, headers: withoutEncoding(received.headers) })
          )
        })
      )
      return Context.make(HttpClient.HttpClient, client).pipe(
        Context.add(Recording, { file: setup.file, isRecording: true, unused: Effect.succeed([]) })
      )
    })
  )

/** The pieces are decompressed already. */
const withoutEncoding = (headers: Received["headers"]): Received["headers"] =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== "content-encoding" && name !== "content-length")
  )

/** Skips a request without a response: it failed or was interrupted. */
const writeSlots = (
  { file: path, keepHeaders, rules }: Setup,
  slots: ReadonlyArray<Slot>
): Effect.Effect<void, RecordingFailed, FileSystem.FileSystem> => {
  const whole = slots.flatMap(({ received, sent }) => (received === undefined ? [] : [{ received, sent }]))
  if (whole.length === 0) return Effect.void
  // A secret of one exchange is removed from all: a request sends the token of an earlier response.
  const redaction = redactionOf(
    slots.flatMap(({ received, sent }) => [
      ...secretsOfRequest(sent, rules),
      ...(received === undefined ? [] : secretsOfResponse(received, rules))
    ]),
    rules
  )
  const exchanges = whole.map(({ received, sent }): Exchange => ({
    request: encodeRequest(sent, redaction, keepHeaders),
    response: encodeResponse(received, redaction, keepHeaders)
  }))
  return writeFile(path, exchanges, redaction.literals)
}

const isMode = (text: string): text is Mode => text === "replay" || text === "record" || text === "auto"

const variable = Config.mapOrFail(Config.nonEmptyString("WIELD_RECORD"), (text) =>
  isMode(text)
    ? Either.right(text)
    : Either.left(ConfigError.InvalidData([], `expected replay, record or auto, received ${JSON.stringify(text)}`))
)

/** The variable overrides the test's mode. Continuous integration never records. */
const modeOf = (stated: Mode | undefined): Effect.Effect<Mode, ConfigError.ConfigError> =>
  Effect.gen(function* () {
    const asked = yield* Config.withDefault(variable, stated ?? "replay")
    const ci = yield* Config.withDefault(Config.string("CI"), "")
    return ["", "0", "false"].includes(ci.toLowerCase()) ? asked : "replay"
  })
