/** How reading the web can fail. A model reads the fields; no error has a private address, or a key. */
import * as Schema from "effect/Schema"
import { adviceField } from "./store/advice.js"

/**
 * What was to be searched for says nothing.
 *
 * @category errors
 */
export class BlankQuery extends Schema.TaggedError<BlankQuery>("@wield/assistant/BlankQuery")("BlankQuery", {
  parameter: Schema.String,
  advice: adviceField("Say in a few words what to look for")
}) {
  override get message(): string {
    return `${this.parameter} is blank. ${this.advice}`
  }
}

/**
 * A text that is not the URL of a web page.
 *
 * @category errors
 */
export class UnusableUrl extends Schema.TaggedError<UnusableUrl>("@wield/assistant/UnusableUrl")("UnusableUrl", {
  /** As it was given, at most 200 characters. */
  url: Schema.String,
  /** `syntax`: no URL; `protocol`: neither http nor https; `credentials`: a name or password stands in it. */
  reason: Schema.Literal("syntax", "protocol", "credentials"),
  advice: adviceField("Give a whole URL that begins with https:// or http://, without a name or password in it")
}) {
  override get message(): string {
    return `${JSON.stringify(this.url)} is not the URL of a page (${this.reason}). ${this.advice}`
  }
}

/**
 * The server has not given the page: another status than success, or no answer.
 *
 * @category errors
 */
export class PageUnavailable extends Schema.TaggedError<PageUnavailable>("@wield/assistant/PageUnavailable")(
  "PageUnavailable",
  {
    url: Schema.String,
    /** The status of HTTP; absent where there was no answer. */
    status: Schema.optional(Schema.Int),
    /** Why there was no answer. `name`: its host was not found; `connection`: it was, but gave none. */
    reason: Schema.optional(Schema.Literal("name", "connection")),
    advice: adviceField("Check the URL, search for another one, or try again later")
  }
) {
  override get message(): string {
    const none = this.reason === "name" ? "was not found: no address is known for its name" : "did not answer"
    const what = this.status === undefined ? none : `answered with status ${this.status}`
    return `The server of ${this.url} ${what}. ${this.advice}`
  }
}

/**
 * There is an answer, but no text in it that could be read.
 *
 * @category errors
 */
export class NotReadable extends Schema.TaggedError<NotReadable>("@wield/assistant/NotReadable")("NotReadable", {
  url: Schema.String,
  contentType: Schema.String,
  /**
   * `contentType`: of a kind that is not text, such as an image; `script`: the
   * page is made by scripts in a browser; `empty`: it has no text; `damaged`:
   * it is not what its content type says; `elsewhere`: it only shows other
   * pages, in frames, or has moved to another one.
   */
  reason: Schema.Literal("contentType", "script", "empty", "damaged", "elsewhere"),
  /** What it shows or where it has moved, at most 10; with the reason `elsewhere` only. */
  leadsTo: Schema.optional(Schema.Array(Schema.String)),
  advice: adviceField("Read another source: this one has no text that can be read here")
}) {
  override get message(): string {
    const what = {
      contentType: "is not text",
      script: "is made by scripts, which are not run",
      empty: "has no text",
      damaged: "cannot be read as what it says it is",
      elsewhere: `has no text but leads to ${(this.leadsTo ?? []).join(", ")}`
    }[this.reason]
    return `${this.url} (${this.contentType}) ${what}. ${this.advice}`
  }
}

/**
 * The page may not be read from here.
 *
 * @category errors
 */
export class Refused extends Schema.TaggedError<Refused>("@wield/assistant/Refused")("Refused", {
  url: Schema.String,
  /**
   * `address`: it, or where it redirects to, is not a public address; `robots`:
   * the site's robots.txt asks not to read it; `redirects`: too many, or to what
   * is no URL; `answer`: not as HTTP has it.
   */
  reason: Schema.Literal("address", "robots", "redirects", "answer"),
  advice: adviceField("Do not try it again; use another source")
}) {
  override get message(): string {
    const what = {
      address: "is not a public address, or leads to one that is not",
      robots: "is not to be read, by the robots.txt of its site",
      redirects: "redirects too often, or to something that is not a URL",
      answer: "answers in a way that HTTP does not have"
    }[this.reason]
    return `${this.url} ${what}. ${this.advice}`
  }
}

/**
 * The page is larger than is read.
 *
 * @category errors
 */
export class TooLarge extends Schema.TaggedError<TooLarge>("@wield/assistant/TooLarge")("TooLarge", {
  url: Schema.String,
  /** Bytes, after decompression. */
  limit: Schema.Int,
  advice: adviceField("Read a smaller page, such as one about a part of it")
}) {
  override get message(): string {
    return `${this.url} has more than ${this.limit} bytes. ${this.advice}`
  }
}

/**
 * The page has not come in time.
 *
 * @category errors
 */
export class TimedOut extends Schema.TaggedError<TimedOut>("@wield/assistant/TimedOut")("TimedOut", {
  url: Schema.String,
  /** Milliseconds. */
  limit: Schema.Number,
  advice: adviceField("Use another source, or try again later")
}) {
  override get message(): string {
    return `${this.url} has not come within ${this.limit} ms. ${this.advice}`
  }
}

/**
 * There is no text from where it was to be read on.
 *
 * @category errors
 */
export class PastEnd extends Schema.TaggedError<PastEnd>("@wield/assistant/PastEnd")("PastEnd", {
  url: Schema.String,
  start: Schema.Number,
  /** How many characters the text has. */
  length: Schema.Int,
  advice: adviceField("Give a start of 0 or more that is less than length, or none")
}) {
  override get message(): string {
    return `The text of ${this.url} has ${this.length} characters and cannot be read from ${this.start}. ${this.advice}`
  }
}

/**
 * How reading a page can fail.
 *
 * @category errors
 */
export const PageError = Schema.Union(UnusableUrl, PageUnavailable, NotReadable, Refused, TooLarge, TimedOut, PastEnd)
export type PageError = typeof PageError.Type

/**
 * The search went well and found nothing.
 *
 * @category errors
 */
export class NoResults extends Schema.TaggedError<NoResults>("@wield/assistant/NoResults")("NoResults", {
  query: Schema.String,
  advice: adviceField("Search with fewer or other words")
}) {
  override get message(): string {
    return `Nothing was found for ${JSON.stringify(this.query)}. ${this.advice}`
  }
}

/**
 * A search engine or Wikipedia cannot be asked now.
 *
 * @category errors
 */
export class SearchUnavailable extends Schema.TaggedError<SearchUnavailable>("@wield/assistant/SearchUnavailable")(
  "SearchUnavailable",
  {
    /** Who was asked, such as `searxng` or `wikipedia`. */
    provider: Schema.String,
    /**
     * `key`: it does not take the key; `format`: its settings do not allow JSON;
     * `limit`: it was asked too often; `robot`: it wants to see a person; `status`: it answered with an error;
     * `answer`: it answered with something else than results; `engines`: none of
     * the engines that it asks has answered; `unreachable`: it did not answer; `timeout`: not in time.
     */
    reason: Schema.Literal("key", "format", "limit", "robot", "status", "answer", "engines", "unreachable", "timeout"),
    status: Schema.optional(Schema.Int),
    advice: adviceField("Go on without it, or try again later; if it stays so, tell the user")
  }
) {
  override get message(): string {
    const status = this.status === undefined ? "" : `, status ${this.status}`
    return `${this.provider} cannot be asked now (${this.reason}${status}). ${this.advice}`
  }
}

/**
 * Wikipedia has no article on the topic.
 *
 * @category errors
 */
export class ArticleNotFound extends Schema.TaggedError<ArticleNotFound>("@wield/assistant/ArticleNotFound")(
  "ArticleNotFound",
  {
    topic: Schema.String,
    /** Titles that are near, at most 10. */
    near: Schema.Array(Schema.String),
    advice: adviceField("Ask for one of the titles in near, or in other words")
  }
) {
  override get message(): string {
    const near =
      this.near.length === 0 ? "" : ` Near are: ${this.near.map((title) => JSON.stringify(title)).join(", ")}.`
    return `There is no article on ${JSON.stringify(this.topic)}.${near} ${this.advice}`
  }
}

/**
 * A page that could not be read, as research tells of it.
 *
 * @category models
 */
export const Unread = Schema.Struct({
  url: Schema.String,
  title: Schema.String,
  /** Why it could not be read. */
  reason: Schema.String
})

/**
 * Of all that a search found, nothing could be read.
 *
 * @category errors
 */
export class NothingRead extends Schema.TaggedError<NothingRead>("@wield/assistant/NothingRead")("NothingRead", {
  topic: Schema.String,
  failures: Schema.Array(Unread),
  advice: adviceField("Research it in other words, or search and read pages one by one")
}) {
  override get message(): string {
    return `None of ${this.failures.length} pages on ${JSON.stringify(this.topic)} could be read. ${this.advice}`
  }
}
