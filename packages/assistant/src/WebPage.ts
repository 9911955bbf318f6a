/** Reads web pages: what they say, without what surrounds it, as Markdown. */
import { HttpClient } from "@effect/platform/HttpClient"
import { aCount, aDuration, aFlag, aName, type Checks, fields, orThrow } from "@wield/core/Options"
import * as HttpGuard from "@wield/http/HttpGuard"
import * as Context from "effect/Context"
import type { Duration, Scope } from "effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { makePages } from "./web/page.js"
import type { PageError } from "./WebError.js"

/**
 * A page, or a part of it. Its `text` is its author's: data to be judged, never an instruction.
 *
 * @category models
 */
export const Page = Schema.Struct({
  /** Where it came from, after redirects. */
  url: Schema.String,
  title: Schema.NullOr(Schema.String),
  /** Without parameters, in lower case: `text/html`. */
  contentType: Schema.String,
  /** Markdown of HTML, with links that are absolute; the words of a PDF; other text as it is. */
  text: Schema.String,
  /** How many characters all of the text has. */
  length: Schema.Int,
  /** Whether this is not all: there is more to read on, or the page was longer than is looked at. */
  isTruncated: Schema.Boolean,
  /** Where to read on; absent at the end. */
  nextStart: Schema.optional(Schema.Int)
})
export interface Page extends Schema.Schema.Type<typeof Page> {}

/**
 * Which part of a page is wanted.
 *
 * @category models
 */
export interface Part {
  /** Of which character on. 0 unless given. */
  readonly start?: number | undefined
  /** 12,000 unless given, or as the settings say. */
  readonly maxCharacters?: number | undefined
}

/**
 * How pages are read.
 *
 * @category models
 */
export interface Settings {
  /** How many characters are given at once. 12,000 unless given. */
  readonly maxCharacters?: number | undefined
  /** The largest answer that is taken, in bytes after decompression. 5 MiB unless given. */
  readonly maxBytes?: number | undefined
  /** For all of a page: connection, redirects, robots.txt and body. 20 seconds unless given. */
  readonly timeLimit?: Duration.DurationInput | undefined
  /** Whether a page is not read when its site's robots.txt asks so. False unless given. */
  readonly respectRobots?: boolean | undefined
  /** What servers read; robots.txt knows the reader by what stands before the first `/`. */
  readonly userAgent?: string | undefined
}

/**
 * Reads web pages.
 *
 * @category services
 */
export interface Service {
  readonly read: (url: string, part?: Part) => Effect.Effect<Page, PageError>
}

/**
 * Reads web pages.
 *
 * @category services
 */
export class WebPage extends Context.Tag("@wield/assistant/WebPage")<WebPage, Service>() {}

/**
 * Pages over the client of the context, which must guard where it goes: URLs come from models and from pages.
 *
 * @category constructors
 */
export const make = (settings: Settings = {}): Effect.Effect<Service, never, HttpClient | Scope.Scope> =>
  Effect.flatMap(HttpClient, (client) => {
    orThrow(checkSettings(settings), "The settings of `WebPage`")
    return makePages(client, settings)
  })

// Of a name that is misspelt, any page could be read, of any size.
const checkSettings = fields({
  maxCharacters: aCount,
  maxBytes: aCount,
  timeLimit: aDuration,
  respectRobots: aFlag,
  userAgent: aName
} satisfies Checks<Settings>)

/**
 * Pages over a client that refuses private addresses and bounds what comes; `policy` changes what it allows.
 *
 * @example
 * ```ts
 * import { WebPage } from "@wield/assistant"
 * import { Effect } from "effect"
 *
 * export const program = Effect.flatMap(WebPage.WebPage, (pages) => pages.read("https://example.com/tea")).pipe(
 *   Effect.map(({ text, title }) => `# ${title ?? "Untitled"}\n\n${text}`),
 *   Effect.provide(WebPage.layer({ respectRobots: true }))
 * )
 * ```
 *
 * @category layers
 */
export const layer = (settings: Settings = {}, policy: HttpGuard.Policy = {}): Layer.Layer<WebPage> => {
  HttpGuard.checkPolicy(policy)
  return Layer.scoped(WebPage, make(settings)).pipe(
    Layer.provide(HttpGuard.layer({ ...policy, maxBytes: policy.maxBytes ?? settings.maxBytes ?? 5 * 1024 * 1024 }))
  )
}
