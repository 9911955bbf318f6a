/** Where secrets stand in a text, in time proportional to it: anyone may have written what is logged. */

/** From the first character to the one behind the last. */
export type Range = readonly [from: number, to: number]

export const secretsIn = (text: string): ReadonlyArray<Range> => [...plainIn(text), ...encodedIn(text)]

const plainIn = (text: string): ReadonlyArray<Range> => [
  ...namedIn(text),
  ...formValuesIn(text),
  ...userInfosIn(text),
  ...forms.flatMap((form) => matchesIn(text, form))
]

/** Base64, of either alphabet, of a text that has a secret, or of `user:password`. */
const encodedIn = (text: string): ReadonlyArray<Range> =>
  [...text.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)].flatMap(({ index, 0: run }): ReadonlyArray<Range> => {
    const decoded = Buffer.from(run, "base64").toString("latin1")
    // Words and hashes are Base64 too, but of no text.
    if (!/^[\t\n\r\x20-\x7e]+$/.test(decoded)) return []
    const isSecret = /^[^\s:]{1,64}:(?!\/\/)\S+$/.test(decoded) || plainIn(decoded).length > 0
    return isSecret ? [[index, index + run.length]] : []
  })

/** What may go over the pieces of a log entry. */
export const blocksIn = (text: string): ReadonlyArray<Range> =>
  // Most texts have none, and the search for one is the slowest.
  text.includes("-----BEGIN ") ? matchesIn(text, privateKey) : []

export const literalsIn = (text: string, literal: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    found.push([at, at + literal.length])
  }
  return found
}

/** What a pattern with the flags `dg` finds: its group `secret` where it has one, else all of it. */
export const matchesIn = (text: string, pattern: RegExp): ReadonlyArray<Range> =>
  [...text.matchAll(pattern)].flatMap(({ indices }): ReadonlyArray<Range> => {
    const range = indices?.groups?.["secret"] ?? indices?.[0]
    return range === undefined ? [] : [range]
  })

/**
 * Whether a text ends in a name whose value is missing, so that what is logged
 * next is the secret: `token`, `Authorization:`, `--password`, `… Bearer`, `sk-`.
 */
export const expectsSecret = (text: string): boolean => {
  const end = text.slice(-200)
  const [, name = "", separator = ""] = /([\w.$-]{1,64})\\?["'`]?\s{0,4}(=>|[:=]?)\s{0,4}$/.exec(end) ?? []
  if (/^(?:bearer|basic|(?:sk|pk|rk)[-_])$/i.test(name)) return true
  // One argument of a command after the other: `-u`, `user:password`.
  if (/^(?:-[uU]|--(?:proxy-)?user)$/.test(text)) return true
  return isSecretName(name) && (separator !== "" || name.startsWith("--") || text.trim() === name)
}

/** `name=value`, `name: value`, `"name": "value"`, `<name>value</name>` and `--name value`. */
const namedIn = (text: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let reached = 0
  const add = (name: string, from: number) => {
    if (from < reached || !isSecretName(name)) return
    const rest = text.slice(from)
    const indent = indentOf(text.slice(Math.max(0, from - longestIndent), from))
    const end = extentOf(rest, indent, isHeaderName(name))
    const start = /^\s{0,4}\\{0,31}["'`]?/.exec(rest)?.[0].length ?? 0
    if (start < end) found.push([from + start, from + end])
    reached = from + end
  }
  for (const { index, 0: separator } of text.matchAll(/=>|[:=]/g)) {
    const name = /([\w.$-]{1,64})\\{0,31}["'`]?\s{0,4}$/.exec(text.slice(Math.max(0, index - 100), index))?.[1]
    if (name !== undefined) add(name, index + separator.length)
  }
  reached = 0
  for (const { index, 0: tag, 1: name = "" } of text.matchAll(/<([\w:.-]{1,64})(?:\s[^<>]{0,200})?>/g)) {
    const from = index + tag.length
    const end = /^[^<]*/.exec(text.slice(from))?.[0].length ?? 0
    if (end > 0 && isSecretName(name)) found.push([from, from + end])
  }
  for (const { index, 0: flag } of text.matchAll(/--[\w-]{1,64}(?=\s)/g)) add(flag, index + flag.length)
  return found
}

const longestIndent = 200

/** The parts of a form: behind the headers and an empty line, up to the next boundary. */
const formValuesIn = (text: string): ReadonlyArray<Range> =>
  [...text.matchAll(/form-data;[^\r\n]{0,200}?\bname=\\?"([^"\\]{1,64})\\?"/gi)].flatMap(
    ({ index, 0: head, 1: name = "" }): ReadonlyArray<Range> => {
      if (!isSecretName(name)) return []
      const rest = text.slice(index + head.length)
      const start = /\r?\n[ \t]*\r?\n[ \t]*|(?:(?:\\r)?\\n){2}/.exec(rest.slice(0, 1000))
      if (start === null) return []
      const from = start.index + start[0].length
      const length = rest.slice(from).search(/(?:\n[ \t]*|\\n)--/)
      return [[index + head.length + from, length === -1 ? text.length : index + head.length + from + length]]
    }
  )

/** `https://user:password@host`: all before the last `@`, for a password may have one itself. */
const userInfosIn = (text: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let reached = 0
  for (const { index } of text.matchAll(/:\/\//g)) {
    if (index < reached) continue
    const from = index + 3
    const run = /^[^\s"'`<>]*/.exec(text.slice(from))?.[0] ?? ""
    reached = from + run.length
    const at = run.lastIndexOf("@")
    const before = run.slice(0, Math.max(at, 0))
    // Without a colon, or behind a port, what stands behind a slash is a path: `https://example.com/@name`.
    if (at > 0 && /^[^/]*$|:/.test(before) && !/^[^:/]+:\d{1,5}\//.test(before)) found.push([from, from + at])
  }
  return found
}

const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----|[\s\S]*)/dg

const forms: ReadonlyArray<RegExp> = [
  /\bbearer\s{1,4}(?<secret>[^\s"'`,;]+)/dgi,
  /\b[Bb](?:asic|ASIC)\s{1,4}(?<secret>(?=[a-z+/_-]{0,64}[A-Z0-9=])[A-Za-z0-9+/=_-]{8,})/dg,
  // OpenAI, Anthropic, Stripe and those who do as they do; then GitHub, GitLab, Slack, npm, Hugging Face, Google, …
  /(?<![A-Za-z0-9])(?:sk|pk|rk|gsk|whsec)[-_][A-Za-z0-9_-]{6,}/dg,
  /(?<![A-Za-z0-9])(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|xapp-|npm_|hf_|pypi-|dop_v1_|ya29\.|shp[a-z]{2}_)[A-Za-z0-9._-]{8,}/dg,
  // Those of models, search and mail: xAI, Perplexity, Tavily, Replicate, NVIDIA, Google, LangSmith, Pinecone, Linear.
  /(?<![A-Za-z0-9])(?:xai-|pplx-|tvly-|r8_|nvapi-|GOCSPX-|lsv2_[a-z]{2}_|pcsk_|lin_api_|SG\.(?=[A-Za-z0-9_-]{8}))[A-Za-z0-9._-]{8,}/dg,
  // Addresses that let in anyone who knows them: webhooks of Slack and Discord, bots of Telegram.
  /\b(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\/(?<secret>[^\s"'`<>]+)/dgi,
  /\bapi\.telegram\.org\/(?:file\/)?bot(?<secret>[^\s"'`<>/]+)/dgi,
  // What curl is given, in quotes or without: `-u user:password`, `--proxy-user "user:password"`.
  /(?<![\w-])(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}\\{0,31}(["'])[^:"'\r\n]{1,64}:(?<secret>[^\r\n]{1,200}?)\\{0,31}\1/dg,
  /(?<![\w-])(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}\\{0,31}["']?[^\s:"'\\]{1,64}:(?<secret>\S+)/dg,
  // `user:password@host` without a scheme. Addresses of mail, of packages and of what a server serves have no password.
  /(?<![\w.+%/-])(?!(?:acct|bcc|cc|e-?mail|from|jsr|mailto|npm|sha\d+|sips?|to|xmpp):)[\w.+%-]{1,64}:(?!\/\/|\d{1,5}\/)(?<secret>[^\s"'`<>]{1,200})(?<!\/)@(?!sha\d+:)(?=[a-z]|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])/dgi,
  // How Go connects to MySQL.
  /(?<![^\s"'`=])[\w.-]{1,64}:(?<secret>[^\s@]{1,200})@(?:tcp|unix)\(/dg,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}/dg,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{20,}/dg,
  // A JSON Web Token.
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){1,4}/dg,
  // A line of a key, if it is logged by itself: base64 in capital and small letters and digits. No hash in hexadecimal is.
  /(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]{0,59}[a-z])(?=[A-Za-z0-9+/]{0,59}[A-Z])(?=[A-Za-z0-9+/]{0,59}[0-9])[A-Za-z0-9+/]{60,}={0,2}/dg
]

/** Characters of a value, from behind the `=` or `:` on. `indent` is that of the line which the name stands in. */
const extentOf = (rest: string, indent: number, isHeader: boolean): number =>
  Math.max(
    // Values of headers have spaces in them.
    (isHeader ? /^\s{0,4}.*/ : untilSpace).exec(rest)?.[0].length ?? 0,
    quoteLength(rest),
    bracketLength(rest),
    blockLength(rest, indent)
  )

/** Also what stands in three quotes, as in TOML. */
const untilSpace = /^\s{0,4}(?:"""(?:(?!""")[\s\S])*|'''(?:(?!''')[\s\S])*|\S*)/

/** A quote and the backslashes before it: the more, the deeper JSON stands in JSON. */
interface Quote {
  readonly sign: string
  readonly escapes: number
}

const quoteOf = (text: string): Quote => ({ sign: text.slice(-1), escapes: text.length - 1 })

const closes = (opened: Quote, { escapes, sign }: Quote): boolean =>
  sign === opened.sign && escapes % ((opened.escapes + 1) * 2) === opened.escapes

/** In quotes. Without an end it goes to the end. */
const quoteLength = (rest: string): number => {
  const [opening, quote] = /^\s{0,4}(\\{0,31}["'`])/.exec(rest) ?? []
  if (opening === undefined || quote === undefined) return 0
  for (const { index, 0: sign } of rest.slice(opening.length).matchAll(/\\*["'`]/g)) {
    if (closes(quoteOf(quote), quoteOf(sign))) return opening.length + index
  }
  return rest.length
}

/** Columns of a line up to its first word, the dashes of lists in YAML among them. */
const indentOf = (before: string): number =>
  /^[ \t]*(?:-[ \t]+)*/.exec(before.split(lineEnd).at(-1) ?? "")?.[0].length ?? 0

/** As it is, or as it stands in a string of JSON. */
const lineEnd = /\r?\n|(?:\\r)?\\n/

/** An object or a list with all that is in it: `{ "user": "ada", "value": "a b" }`. One without an end goes to the end. */
const bracketLength = (rest: string): number => {
  if (!/^\s*[{[]/.test(rest)) return 0
  let depth = 0
  let opened: Quote | undefined
  for (const { index, 0: sign } of rest.matchAll(/\\*["'`]|[{}[\]]/g)) {
    if (opened !== undefined) {
      if (closes(opened, quoteOf(sign))) opened = undefined
    } else if (/["'`]/.test(sign)) opened = quoteOf(sign)
    else depth += sign === "{" || sign === "[" ? 1 : -1
    if (depth === 0) return index + 1 + (/^\S*/.exec(rest.slice(index + 1))?.[0].length ?? 0)
  }
  return rest.length
}

/** What YAML puts below a name: a text behind `|` or `>`, an object, a list, which may stand as far left as the name. */
const blockLength = (rest: string, indent: number): number => {
  const head = /^[ \t]*(?:[|>][-+\d]{0,2}[ \t]*)?(?:#[^\r\n\\]*)?(?:\r?\n|(?:\\r)?\\n)/.exec(rest)?.[0].length
  if (head === undefined) return 0
  let end = head
  for (const { index, 0: line, 1: blanks = "", 2: said = "" } of rest.slice(head).matchAll(lines)) {
    if (said !== "" && blanks.length <= indent && !(blanks.length === indent && /^-\s/.test(said))) break
    if (said !== "") end = head + index + blanks.length + said.length
    if (line === "") break
  }
  return end
}

const lines = /([ \t]*)((?:(?!\r?\n|(?:\\r)?\\n)[\s\S])*)(?:\r?\n|(?:\\r)?\\n)?/g

/** Names whose values are secrets, as they stand before a colon or an equals sign, in objects and annotations. */
export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ""
  return (
    words.some((word) => always.has(word)) ||
    atEnd.has(last) ||
    compound.test(last) ||
    // A personal access token; by itself it is a name.
    (last === "pat" && words.length > 1) ||
    // `tokenValue`, `key_header`.
    (carriers.has(last) && atEnd.has(words.at(-2) ?? ""))
  )
}

/** Names of headers, whose values have spaces in them and go to the end of the line. */
const isHeaderName = (name: string): boolean =>
  wordsOf(name).some((word) => word === "authorization" || word === "cookie")

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    // `secrets` and `apiKeys`, but not `tokens`, which are counted, nor a plain `keys`.
    .map((word, index) => (plural.test(word) || (word === "keys" && index > 0) ? word.slice(0, -1) : word))
    .filter((word) => word !== "")

const plural = /(?:secret|password|cookie|passphrase|apikey|privatekey|accesskey)s$/

const always = new Set(
  "authorization cookie credential credentials jwt otp passcode passphrase passwd password pin pwd secret totp".split(
    " "
  )
)

/** Not anywhere, since `token_count` and `key_type` are no secrets. */
const atEnd = new Set(["auth", "bearer", "dsn", "key", "oauth", "pass", "sig", "signature", "token"])

const carriers = new Set(["data", "header", "string", "text", "value"])

/** Written as one word: `authtoken`, `dbpassword`. `monkey` does not count. */
const compound =
  /(?:authorization|(?<!by|com|tres|sur|over|under)pass|(?:basic|o)auth|password|passwd|passphrase|secret|token|(?:api|access|account|encryption|master|private|secret|shared|signing|ssh|storage)key)$/
