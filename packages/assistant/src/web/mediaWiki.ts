/** The Action API of MediaWiki: https://www.mediawiki.org/wiki/API:Action_API */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SearchUnavailable } from "../WebError.js"
import { askJson } from "./ask.js"

export interface Entry {
  readonly title: string
  /** The text before the first heading; may be empty. */
  readonly extract: string
  readonly url: string
  readonly isDisambiguation: boolean
}

interface Connection {
  readonly client: HttpClient.HttpClient
  readonly url: string
  readonly userAgent: string
  readonly timeLimit: Duration.DurationInput
}

const Renamed = Schema.optional(Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.String })))

/** It tells its errors with status 200. */
const Failed = Schema.optional(Schema.Struct({ code: Schema.String }))

const Pages = Schema.Struct({
  error: Failed,
  query: Schema.optional(
    Schema.Struct({
      normalized: Renamed,
      redirects: Renamed,
      pages: Schema.optional(
        Schema.Array(
          Schema.Struct({
            title: Schema.String,
            index: Schema.optional(Schema.Number),
            extract: Schema.optional(Schema.String),
            fullurl: Schema.optional(Schema.String),
            missing: Schema.optional(Schema.Boolean),
            invalid: Schema.optional(Schema.Boolean),
            pageprops: Schema.optional(Schema.Struct({ disambiguation: Schema.optional(Schema.String) }))
          })
        )
      )
    })
  )
})

const Parsed = Schema.Struct({ error: Failed, parse: Schema.optional(Schema.Struct({ text: Schema.String })) })

/** Extracts of at most 20 pages are given at once. */
const entryParameters = {
  action: "query",
  prop: "extracts|info|pageprops",
  exintro: "1",
  explaintext: "1",
  exlimit: "20",
  inprop: "url",
  ppprop: "disambiguation",
  redirects: "1"
}

export const wikiOf = ({ client, timeLimit, url, userAgent }: Connection) => {
  const origin = url.replace(/\/+$/, "")
  const query = <A extends { readonly error?: { readonly code: string } | undefined }, I>(
    parameters: Record<string, string>,
    schema: Schema.Schema<A, I>
  ) =>
    askJson(
      {
        client,
        timeLimit,
        provider: "wikipedia",
        forbidden: "robot",
        request: HttpClientRequest.get(`${origin}/w/api.php`, {
          urlParams: { ...parameters, format: "json", formatversion: "2" },
          headers: { "user-agent": userAgent },
          acceptJson: true
        })
      },
      schema
    ).pipe(
      Effect.filterOrFail(
        ({ error }) => error === undefined || isAbsence.test(error.code),
        ({ error }) =>
          new SearchUnavailable({
            provider: "wikipedia",
            reason: error?.code === "ratelimited" ? "limit" : "status",
            status: 200
          })
      )
    )
  return {
    /** The pages of these titles, redirects followed, by the title that was asked for. */
    entries: (titles: ReadonlyArray<string>) =>
      titles.length === 0
        ? Effect.succeed(new Map())
        : Effect.map(query({ ...entryParameters, titles: titles.join("|") }, Pages), (answer) => {
            const { normalized = [], redirects = [] } = answer.query ?? {}
            const renamed = new Map([...normalized, ...redirects].map(({ from, to }) => [from, to]))
            const final = (title: string): string => {
              // Normalized first, then redirected: two steps, unless redirects lead on.
              let current = title
              for (let step = 0; step < 4; step++) current = renamed.get(current) ?? current
              return current
            }
            const byTitle = new Map(entriesOf(answer, origin).map((entry) => [entry.title, entry]))
            return new Map(titles.flatMap((title) => pair(title, byTitle.get(final(title)))))
          }),
    search: (words: string) =>
      Effect.map(
        query({ ...entryParameters, generator: "search", gsrsearch: words, gsrlimit: "10", gsrnamespace: "0" }, Pages),
        (answer) => entriesOf(answer, origin)
      ),
    /** The titles that a page of meanings leads to, in its order. */
    meanings: (title: string) =>
      Effect.flatMap(query({ action: "parse", page: title, prop: "text", redirects: "1" }, Parsed), ({ parse }) =>
        linksIn(parse?.text ?? "")
      )
  }
}

/** What is said of a title or words that it cannot look for is no failure to be asked. */
const isAbsence = /^(missingtitle|invalidtitle|pagecannotexist|nosuch|cirrussearch-)/

const pair = (title: string, entry: Entry | undefined): ReadonlyArray<readonly [string, Entry]> =>
  entry === undefined ? [] : [[title, entry]]

const entriesOf = ({ query }: typeof Pages.Type, origin: string): ReadonlyArray<Entry> =>
  [...(query?.pages ?? [])]
    .filter(({ invalid, missing }) => missing !== true && invalid !== true)
    .sort((one, other) => (one.index ?? 0) - (other.index ?? 0))
    .map(({ extract = "", fullurl, pageprops, title }) => ({
      title,
      extract,
      url: fullurl ?? `${origin}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
      isDisambiguation: pageprops?.disambiguation !== undefined
    }))

/** The first link of each line is the meaning; others explain it. Pages about Wikipedia have a colon. */
const linksIn = (html: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    // Most programs never read HTML here, and what does is slow to load.
    const { parsePage } = await import("./dom.js")
    const document = parsePage(`<html><body>${html}</body></html>`)
    const titles = [...(document?.querySelectorAll("li, p") ?? [])].flatMap((line) => {
      const link = line.querySelector('a[href^="/wiki/"][title]:not(.new)')
      const title = link?.getAttribute("title") ?? ""
      return title === "" || /^[^\s:]+:\S/.test(title) || /\(disambiguation\)$/i.test(title) ? [] : [title]
    })
    return [...new Set(titles)]
  })
