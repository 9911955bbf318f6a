/**
 * An `HttpClient` that replays recorded exchanges from a file, and makes the
 * recording when it is allowed to. Secrets do not get into the file.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { Json } from "@wield/core"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { type Exchange, shownRequest } from "./recorded/exchange.js"
import * as file from "./recorded/file.js"
import { match, type Matching } from "./recorded/match.js"
import { type Mode, modeOf } from "./recorded/mode.js"
import { recordedRequest, secretsOfRequest } from "./recorded/recordedRequest.js"
import {
  piecesOf,
  type Received,
  recordedResponse,
  secretsOfResponse,
  webResponse
} from "./recorded/recordedResponse.js"
import { literalsOf, type Rules, rulesOf, type Secrets } from "./recorded/secrets.js"
import { readRequest, type Sent } from "./recorded/sent.js"
import {
  type RecordingError,
  type RecordingFailed,
  RecordingInvalid,
  RecordingMismatch,
  RecordingNotFound,
  RecordingUnused
} from "./RecordingError.js"

export type {
  /**
   * `replay`: only what is recorded. `record`: everything is sent, and the file
   * written anew. `auto`: replays where there is a file and records where there
   * is none.
   *
   * @category models
   */
  Mode
} from "./recorded/mode.js"

export type {
  /**
   * What is secret besides what is known to be: authorization and API key
   * headers, cookies, query parameters such as `key` and `access_token`, fields
   * of bodies such as `client_secret`. The values found there are taken out
   * wherever else they stand, if they have at least 8 characters.
   *
   * @category models
   */
  Secrets
} from "./recorded/secrets.js"

/**
 * Which file, and how.
 *
 * @category models
 */
export interface Options {
  /** One JSON file for the exchanges of one test. */
  readonly file: string
  /** `replay` unless given. The variable WIELD_RECORD goes before it; where CI is set nothing is recorded. */
  readonly mode?: Mode | undefined
  readonly secrets?: Secrets | undefined
  /**
   * `any`, unless given: a request is answered by the first exchange that
   * matches it and was not used. `strict`: by the next one only.
   */
  readonly order?: "any" | "strict" | undefined
  /** What is compared of a JSON body, applied to the recorded one and the one sent: take out what differs each time. */
  readonly normalise?: ((body: Json.Json) => Json.Json) | undefined
  /** Headers of requests that are recorded and compared; none unless given. */
  readonly matchHeaders?: ReadonlyArray<string> | undefined
  /** Headers that are recorded beside the usual ones, in requests and responses; never a secret one. */
  readonly keepHeaders?: ReadonlyArray<string> | undefined
  /** What sends requests while recording; `FetchHttpClient.layer` unless given. */
  readonly client?: Layer.Layer<HttpClient.HttpClient> | undefined
}

/**
 * What is known of the recording in use.
 *
 * @category services
 */
export class Recording extends Context.Tag("@wield/testing/Recording")<
  Recording,
  {
    readonly file: string
    readonly isRecording: boolean
    /** Method and address of the exchanges that no request came for. */
    readonly unused: Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/**
 * Fails with `RecordingUnused` when exchanges of the recording were not asked
 * for.
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
 * A request matches by method, address, query, and body: JSON whatever the
 * order of its keys, secrets left out. One that is not recorded dies with
 * `RecordingMismatch`, whose message shows the first difference to the nearest
 * exchange: as an error it would be sent again by whatever retries, until the
 * test ran out of time.
 *
 * A recording is written when the Layer's scope closes, sorted, as a whole; a
 * write that fails is a defect. While recording, a response is read to its end
 * before it is handed on; a body that streams is recorded in its pieces and
 * replayed in them.
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
): Layer.Layer<HttpClient.HttpClient | Recording, RecordingError | ConfigError, FileSystem.FileSystem> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const mode = yield* modeOf(options.mode)
      const known = mode === "record" ? undefined : yield* file.read(options.file)
      const setup = setupOf(options)
      if (known !== undefined) return yield* replaying(setup, known)
      if (mode === "replay") return yield* new RecordingNotFound({ file: options.file })
      return Layer.provide(recordingLayer(setup), options.client ?? FetchHttpClient.layer)
    })
  )

type Services = HttpClient.HttpClient | Recording

interface Setup {
  readonly file: string
  readonly rules: Rules
  readonly matching: Matching
  readonly keepHeaders: ReadonlySet<string>
}

/** What programs choose in a request beside its body. Others are of the client. */
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

const replaying = (
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
        const asked = recordedRequest(sent, rules, literalsOf(secretsOfRequest(sent, rules), rules), keepHeaders)
        const received = yield* Ref.modify(state, (before) => {
          const number = before.asked + 1
          const found = match(exchanges, before.used, asked, matching)
          const response = found._tag === "Found" ? responses[found.index] : undefined
          if (found._tag === "Found" && response !== undefined) {
            return [Effect.succeed(response), { used: new Set([...before.used, found.index]), asked: number }]
          }
          const difference = found._tag === "None" ? found.difference : "it has no response"
          const mismatch = new RecordingMismatch({ file, request: shownRequest(asked), number, difference })
          return [Effect.die(mismatch), { ...before, asked: number }]
        }).pipe(Effect.flatten)
        return HttpClientResponse.fromWeb(request, webResponse(received))
      })
    )
    const unused = Effect.map(state, ({ used }) =>
      exchanges.flatMap(({ request }, index) => (used.has(index) ? [] : [shownRequest(request)]))
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
      // In the order in which the requests were made, whichever response came first.
      const slots = yield* Ref.make<ReadonlyArray<Slot>>([])
      yield* Effect.addFinalizer(() => Effect.orDie(Effect.flatMap(slots, (all) => written(setup, all))))
      const client = HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const { request: again, sent } = yield* readRequest(request, url)
          const place = yield* Ref.modify(slots, (all) => [all.length, [...all, { sent, received: undefined }]])
          const response = yield* upstream.execute(again)
          const pieces = yield* Stream.runCollect(response.stream)
          const received: Received = { status: response.status, headers: response.headers, pieces: [...pieces] }
          yield* Ref.update(slots, (all) => all.map((slot, index) => (index === place ? { sent, received } : slot)))
          return HttpClientResponse.fromWeb(request, webResponse({ ...received, headers: undecoded(received.headers) }))
        })
      )
      return Context.make(HttpClient.HttpClient, client).pipe(
        Context.add(Recording, { file: setup.file, isRecording: true, unused: Effect.succeed([]) })
      )
    })
  )

/** The pieces are decoded already. */
const undecoded = (headers: Received["headers"]): Received["headers"] =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== "content-encoding" && name !== "content-length")
  )

/** A request without a response, since it failed or was interrupted, is no exchange. */
const written = (
  { file: path, keepHeaders, rules }: Setup,
  slots: ReadonlyArray<Slot>
): Effect.Effect<void, RecordingFailed, FileSystem.FileSystem> => {
  const whole = slots.flatMap(({ received, sent }) => (received === undefined ? [] : [{ received, sent }]))
  if (whole.length === 0) return Effect.void
  // What is secret in one exchange is so in all: the token that one response gives, the next request sends.
  const literals = literalsOf(
    slots.flatMap(({ received, sent }) => [
      ...secretsOfRequest(sent, rules),
      ...(received === undefined ? [] : secretsOfResponse(received, rules))
    ]),
    rules
  )
  const exchanges = whole.map(({ received, sent }): Exchange => ({
    request: recordedRequest(sent, rules, literals, keepHeaders),
    response: recordedResponse(received, rules, literals, keepHeaders)
  }))
  return file.write(path, exchanges, literals)
}
