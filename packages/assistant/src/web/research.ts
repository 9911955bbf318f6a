/** Several sources on a topic: searched, read at once, and what could be read of them reported. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { BlankQuery, NothingRead, type Unread } from "../WebError.js"
import type { Service as Pages } from "../WebPage.js"
import type { SearchResult, Service as Search } from "../WebSearch.js"
import type { ResearchSettings, Source } from "../WebToolkit.js"
import { sliceText } from "./tidy.js"

/** As many as a search gives; Sapphire's number. */
const candidates = 15

interface Progress {
  readonly waiting: ReadonlyArray<SearchResult>
  readonly sources: ReadonlyArray<{ readonly rank: number; readonly source: Source }>
  readonly failures: ReadonlyArray<typeof Unread.Type>
}

export const research = (search: Search, pages: Pages, topic: string, settings: ResearchSettings) =>
  Effect.gen(function* () {
    if (topic.trim() === "") return yield* new BlankQuery({ parameter: "topic" })
    const wanted = settings.sources ?? 3
    const share = Math.floor((settings.maxCharacters ?? 24_000) / Math.max(wanted, 1))
    const { results } = yield* search.search(topic, candidates)
    const [skipped, waiting] = [results.filter(isSkipped), results.filter((result) => !isSkipped(result))]
    const progress = yield* Ref.make<Progress>({
      waiting,
      sources: [],
      failures: skipped.map((result) => unreadSource(result, "Not read: it is no page of text, by its address"))
    })

    const readOne: Effect.Effect<void> = Effect.suspend(() =>
      Effect.flatMap(
        Ref.modify(progress, (now) => [now.waiting[0], { ...now, waiting: now.waiting.slice(1) }]),
        (next) => (next === undefined ? Effect.void : read(next))
      )
    )

    const read = (result: SearchResult): Effect.Effect<void> =>
      pages.read(result.url, { maxCharacters: share }).pipe(
        Effect.matchEffect({
          onSuccess: ({ isTruncated, text, title, url }) =>
            Ref.update(progress, (now) => ({
              ...now,
              sources: [
                ...now.sources,
                {
                  rank: results.indexOf(result),
                  source: { url, title: title ?? result.title, text: sliceText(text, 0, share), isTruncated }
                }
              ]
            })),
          onFailure: (failure) =>
            Effect.zipRight(
              Ref.update(progress, (now) => ({
                ...now,
                failures: [...now.failures, unreadSource(result, failure.message)]
              })),
              readOne
            )
        })
      )

    const inTime = yield* Effect.replicateEffect(readOne, wanted, { concurrency: 3, discard: true }).pipe(
      Effect.timeoutOption(Duration.decode(settings.timeLimit ?? Duration.seconds(45)))
    )
    const { failures, sources } = yield* Ref.get(progress)
    if (sources.length === 0) return yield* new NothingRead({ topic, failures })
    return {
      topic,
      sources: [...sources].sort((one, other) => one.rank - other.rank).map(({ source }) => source),
      failures,
      isComplete: Option.isSome(inTime) && sources.length >= wanted
    }
  })

const unreadSource = ({ title, url }: SearchResult, reason: string): typeof Unread.Type => ({ url, title, reason })

/** Pictures, films, archives and programs have nothing to quote. */
const isSkipped = ({ url }: SearchResult): boolean =>
  // Text that is not a URL has no address; reading it fails and says so.
  URL.canParse(url) &&
  /\.(7z|avi|bmp|dmg|docx?|exe|gif|gz|ico|iso|jpe?g|mov|mp[34]|ogg|png|pptx?|rar|svg|tar|tgz|wav|web[mp]|xlsx?|zip)$/i.test(
    new URL(url).pathname
  )
