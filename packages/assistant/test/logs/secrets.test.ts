/** Whatever secret is logged in whatever form and place, no line has it. */
import { describe, expect, it } from "@effect/vitest"
import { RecentLogs } from "@wield/assistant"
import { Cause, Effect, FastCheck, Layer, Logger, Redacted } from "effect"
import { inspect } from "node:util"
import { runs } from "../../../../test/sizes.js"

const characters = [..."ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"]
const of = (alphabet: ReadonlyArray<string>, minLength: number, maxLength: number) =>
  FastCheck.string({ unit: FastCheck.constantFrom(...alphabet), minLength, maxLength })

/** Begins as nothing else does, so that it is not in a line by chance. */
const token = of(characters, 12, 60).map((text) => `Zq7${text}`)
/** With all that a password may have and a URL or a space does not end. */
const password = of([...characters, ..."!#$%^*()-_+.:@/?~|{}[]"], 8, 30).map((text) => `Zq7${text}Q`)

interface Written {
  /** What must not be in any line. */
  readonly secret: string
  readonly text: string
}

const withSpace = FastCheck.constantFrom("", " ")
const secretName = FastCheck.constantFrom(
  "key",
  "token",
  "api_key",
  "apiKey",
  "X-Api-Key",
  "access_token",
  "GITHUB_TOKEN",
  "DB_PASSWORD",
  "password",
  "client_secret",
  "clientSecret",
  "refreshToken",
  "authtoken",
  "passphrase",
  "passwords",
  "clientSecrets",
  "apiKeys",
  "session_cookies",
  "aws.secret.key",
  "token2",
  "pin",
  "card_pin",
  "GITHUB_PAT",
  "SENTRY_DSN",
  "DBPASS",
  "signature"
)

const shapes: Record<string, FastCheck.Arbitrary<Written>> = {
  "authorization header": FastCheck.tuple(
    token,
    FastCheck.constantFrom("Authorization", "authorization", "Proxy-Authorization", "AUTHORIZATION"),
    FastCheck.constantFrom("Bearer ", "Basic ", "Token ", "token ", "AWS4-HMAC-SHA256 Credential=", ""),
    withSpace
  ).map(([secret, name, scheme, space]) => ({ secret, text: `${name}:${space}${scheme}${secret}` })),
  "cookie header": FastCheck.tuple(token, FastCheck.constantFrom("Cookie", "Set-Cookie")).map(([secret, name]) => ({
    secret,
    text: `${name}: theme=dark; session=${secret}; Path=/`
  })),
  "name and value": FastCheck.tuple(password, secretName, FastCheck.constantFrom("=", ": ", ":", " = ", "=>")).map(
    ([secret, name, separator]) => ({ secret, text: `${name}${separator}${secret}` })
  ),
  "name and quoted value": FastCheck.tuple(password, secretName, FastCheck.constantFrom('"', "'", "`")).map(
    ([secret, name, quote]) => ({ secret: `${secret} ${secret}`, text: `${name}=${quote}${secret} ${secret}${quote}` })
  ),
  "JSON in a text": FastCheck.tuple(password, secretName).map(([secret, name]) => ({
    secret,
    text: JSON.stringify({ user: "ada", [name]: secret, page: 2 })
  })),
  "JSON in JSON in a text": FastCheck.tuple(password, secretName).map(([secret, name]) => ({
    secret,
    text: JSON.stringify({ body: JSON.stringify({ [name]: secret }) })
  })),
  "JSON below the name": FastCheck.tuple(password, secretName, FastCheck.constantFrom(0, 2), FastCheck.nat(2)).map(
    ([secret, name, indent, depth]) => {
      const value = { user: 'a "quote"} and ]', path: "ends in \\", list: ["it's", { inner: `${secret} ${secret}` }] }
      const json = JSON.stringify({ page: 1, [name]: value }, undefined, indent)
      return { secret, text: Array.from({ length: depth }).reduce<string>((text) => JSON.stringify({ text }), json) }
    }
  ),
  "object as Node prints it": FastCheck.tuple(password, secretName).map(([secret, name]) => ({
    secret,
    text: inspect({ page: 1, [name]: { user: "} or ]", value: `it's ${secret}` } }, { breakLength: 40 })
  })),
  "block of YAML": FastCheck.tuple(
    token,
    FastCheck.constantFrom("password", "client_secret", "credentials"),
    FastCheck.constantFrom("|", ">-", "|2", "", "# of the shop"),
    FastCheck.constantFrom("", "  ", "- ", "  - "),
    FastCheck.constantFrom("first line\n\n", "- one\n", "user: ada\n", "")
  ).map(([secret, name, sign, indent, first]) => {
    const below = " ".repeat(indent.length + 2)
    const value = `${first}value ${secret} and ${secret}`.split("\n").map((line) => (line === "" ? "" : below + line))
    return { secret, text: `${indent}${name}: ${sign}\n${value.join("\n")}\n${" ".repeat(indent.length)}page: 2` }
  }),
  "list of YAML": FastCheck.tuple(token, FastCheck.constantFrom("", "  ")).map(([secret, indent]) => ({
    secret,
    text: `passwords:\n${indent}- first\n${indent}- ${secret} second\npage: 2`
  })),
  "block of TOML": FastCheck.tuple(token, FastCheck.constantFrom('"""', "'''")).map(([secret, quote]) => ({
    secret,
    text: `password = ${quote}\nfirst "line"\n${secret}\n${quote}\npage = 2`
  })),
  "part of a form": FastCheck.tuple(
    password,
    FastCheck.constantFrom("password", "api_key", "access_token"),
    FastCheck.constantFrom("\r\n", "\n"),
    FastCheck.boolean()
  ).map(([secret, name, end, isInJson]) => {
    const part = (name: string, type: string, value: string) =>
      ["--x7", `Content-Disposition: form-data; name="${name}"`, ...(type === "" ? [] : [type]), "", value].join(end)
    const form = [part("user", "", "ada"), part(name, "Content-Type: text/plain", `${secret} ${secret}`), "--x7--"]
    return { secret, text: isInJson ? JSON.stringify({ body: form.join(end) }) : form.join(end) }
  }),
  "element of XML": FastCheck.tuple(token, FastCheck.constantFrom("password", "wsse:Password", "apiKey")).map(
    ([secret, name]) => ({ secret, text: `<user>ada</user><${name} Type="text">${secret}</${name}><page>2</page>` })
  ),
  "address of a webhook or bot": FastCheck.tuple(
    token,
    FastCheck.constantFrom(
      "https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/",
      "https://discord.com/api/webhooks/123456789012345678/",
      "https://api.telegram.org/bot123456789:"
    )
  ).map(([secret, address]) => ({ secret, text: `POST ${address}${secret} answered 400` })),
  "connection string without a scheme": token.map((secret) => ({
    secret,
    text: `dial ada:${secret}@tcp(db.example.com:3306)/shop`
  })),
  "query of a URL": FastCheck.tuple(token, FastCheck.constantFrom("key", "token", "access_token", "sig")).map(
    ([secret, name]) => ({ secret, text: `https://example.com/a?page=2&${name}=${secret}` })
  ),
  "URL with a password": FastCheck.tuple(
    password.map((text) => text.replaceAll(/[()[\]{}|]/g, "x")),
    FastCheck.constantFrom("https", "postgres", "redis", "mongodb+srv", "amqp")
  ).map(([secret, scheme]) => ({ secret, text: `${scheme}://ada:${secret}@db.example.com:5432/shop` })),
  "user and password before a host": FastCheck.tuple(
    password,
    FastCheck.constantFrom("db.example.com:5432/shop", "localhost", "10.0.0.7:6379", "[::1]:27017")
  ).map(([secret, host]) => ({ secret, text: `connected to ada:${secret}@${host}` })),
  "user and password for curl": FastCheck.tuple(
    password,
    FastCheck.constantFrom("-u ", "-u", "--user ", "--user=", "-U ", "--proxy-user "),
    FastCheck.constantFrom("", '"', "'")
  ).map(([secret, option, quote]) => ({
    secret,
    text: `ran curl ${option}${quote}ada:${secret}${quote} https://example.com`
  })),
  "user and password in Base64": FastCheck.tuple(
    password,
    FastCheck.constantFrom("base64" as const, "base64url" as const)
  ).map(([secret, encoding]) => ({
    secret: Buffer.from(`ada:${secret}`).toString(encoding),
    text: `sent ${Buffer.from(`ada:${secret}`).toString(encoding)} to the server`
  })),
  "text with a secret in Base64": FastCheck.tuple(password, secretName).map(([secret, name]) => {
    const encoded = Buffer.from(JSON.stringify({ user: "ada", [name]: secret })).toString("base64")
    return { secret: encoded, text: `data:application/json;base64,${encoded}` }
  }),
  "URL with a token": token.map((secret) => ({ secret, text: `git clone https://${secret}@example.com/a.git` })),
  "bearer token": FastCheck.tuple(token, FastCheck.constantFrom("Bearer", "bearer", "BEARER")).map(
    ([secret, name]) => ({
      secret,
      text: `sent ${name} ${secret}`
    })
  ),
  "prefixed key": FastCheck.tuple(
    token,
    FastCheck.constantFrom(
      "sk-",
      "sk-proj-",
      "sk-ant-api03-",
      "sk_live_",
      "rk_test_",
      "ghp_",
      "github_pat_",
      "glpat-",
      "xoxb-",
      "hf_",
      "npm_",
      "xai-",
      "pplx-",
      "tvly-",
      "r8_",
      "nvapi-",
      "SG.",
      "GOCSPX-",
      "lsv2_pt_",
      "pcsk_",
      "lin_api_"
    )
  ).map(([secret, prefix]) => ({ secret, text: `key in use (${prefix}${secret})` })),
  "JSON Web Token": FastCheck.tuple(token, token, token).map(([header, payload, secret]) => ({
    secret,
    text: `got eyJ${header}.eyJ${payload}.${secret} back`
  })),
  "option of a command": FastCheck.tuple(password, FastCheck.constantFrom("--password", "--api-key", "--token")).map(
    ([secret, name]) => ({ secret, text: `ran deploy ${name} ${secret} --verbose` })
  ),
  "private key": FastCheck.tuple(
    FastCheck.array(of([...characters, "+", "/"], 20, 64), { minLength: 1, maxLength: 6 }),
    token,
    FastCheck.constantFrom("RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED ")
  ).map(([lines, secret, kind]) => ({
    secret,
    text: `-----BEGIN ${kind}PRIVATE KEY-----\n${[...lines, secret, ...lines].join("\n")}\n-----END ${kind}PRIVATE KEY-----`
  })),
  "private key without an end": token.map((secret) => ({ secret, text: `-----BEGIN PRIVATE KEY-----\n${secret}\n` })),
  "line of a private key": FastCheck.tuple(token, of(characters, 57, 57)).map(([secret, rest]) => ({
    secret,
    text: `${secret}${rest}`
  }))
}

const places: Record<string, (text: string) => Effect.Effect<void>> = {
  "a message": (text) => Effect.logInfo(text),
  "the middle of a message": (text) => Effect.logInfo(`The request failed (${text}`),
  "the end of a long message": (text) => Effect.logInfo(`${"word ".repeat(400)}${text}`),
  "the bound of a very long message": (text) => Effect.logInfo(`${"word ".repeat(3260)}${text}${" word".repeat(3000)}`),
  "a line of a message": (text) => Effect.logInfo(`first\n${text}\nlast`),
  "an object": (text) => Effect.logInfo("Sent", { request: { headers: [text], url: "/" } }),
  "a name in an object": (text) => Effect.logInfo({ [text]: true }),
  "an annotation": (text) => Effect.logInfo("Sent").pipe(Effect.annotateLogs("detail", text)),
  "an annotation with structure": (text) =>
    Effect.logInfo("Sent").pipe(Effect.annotateLogs("detail", { list: [text] })),
  "a span": (text) => Effect.logInfo("Sent").pipe(Effect.withLogSpan(text)),
  "an error": (text) => Effect.logError("Failed", new Error(text)),
  "a cause": (text) => Effect.logError("Failed", Cause.fail(new Error("outer", { cause: new Error(text) }))),
  "a defect": (text) => Effect.logError(Cause.die(text)),
  "two annotations": (text) =>
    Effect.logInfo("Sent").pipe(Effect.annotateLogs("first", text), Effect.annotateLogs("second", text))
}

const noSecretIn = (program: Effect.Effect<void>, secret: string, options: RecentLogs.Options) =>
  Effect.gen(function* () {
    // Thousands of runs in one go would let vitest's own messages wait.
    yield* Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))
    yield* program
    const logs = yield* RecentLogs.RecentLogs
    const entries = yield* logs.last(10)
    const text = entries.map(({ line }) => line).join("\n")
    expect(entries).toHaveLength(1)
    expect(text).not.toContain(secret)
    // Nor as it stands in a string of JSON, once or twice.
    const inJson = JSON.stringify(secret).slice(1, -1)
    expect(text).not.toContain(inJson)
    expect(text).not.toContain(JSON.stringify(inJson).slice(1, -1))
    // Behind the bound of a long text nothing is kept.
    expect(text).toMatch(/<redacted>|…/)
  }).pipe(Effect.provide(Layer.provideMerge(RecentLogs.layer(options), Logger.remove(Logger.defaultLogger))))

const formats = FastCheck.constantFrom("logfmt" as const, "json" as const)

describe("no line of the log has a secret", () => {
  for (const [shape, written] of Object.entries(shapes)) {
    it.effect.prop(
      `in the form of a ${shape}, in any place`,
      [written, FastCheck.constantFrom(...Object.entries(places)), formats],
      ([{ secret, text }, [, log], format]) =>
        noSecretIn(log(text), secret, { format, lineBytes: 60_000, stackTraces: true }),
      { fastCheck: { numRuns: runs(25) } }
    )
  }

  it.effect.prop(
    "that stands under its name: in an object, an annotation, a pair, or logged after it",
    [password, secretName, formats, FastCheck.nat(7)],
    ([secret, name, format, place]) => {
      const log = [
        Effect.logInfo({ user: "ada", [name]: secret }),
        Effect.logInfo({ [name]: { value: [secret] } }),
        Effect.logInfo("Sent").pipe(Effect.annotateLogs(name, secret)),
        Effect.logInfo("Sent").pipe(Effect.annotateLogs({ [name]: { inner: secret } })),
        Effect.logInfo("Headers", [
          [name, secret],
          ["host", "example.com"]
        ]),
        Effect.logInfo(name, secret),
        Effect.logInfo(`${name}:`).pipe(Effect.annotateLogs("value", secret)),
        Effect.logInfo(new Map([[name, secret]]))
      ][place]
      return noSecretIn(log ?? Effect.die("no such place"), secret, { format })
    },
    { fastCheck: { numRuns: runs(40) } }
  )

  it.effect.prop(
    "that is cut in two, behind its name or in the middle of one the application has given",
    [token, token, formats, FastCheck.nat(5), FastCheck.integer({ min: 1, max: 12 })],
    ([given, secret, format, place, at]) => {
      const [head, tail] = [given.slice(0, at), given.slice(at)]
      const [log, absent] = (
        [
          [Effect.logInfo("Authorization:", "Bearer", secret), secret],
          [Effect.logInfo("Authorization: Bearer").pipe(Effect.annotateLogs("rest", secret)), secret],
          [Effect.logInfo("sk-", secret), secret],
          [Effect.logInfo(`-----BEGIN PRIVATE KEY-----`).pipe(Effect.annotateLogs("rest", `\n${secret}\n`)), secret],
          [Effect.logInfo(`a ${head}`, `${tail} b`), tail],
          [Effect.logInfo(`a ${head}`).pipe(Effect.annotateLogs("rest", tail)), tail]
        ] as const
      )[place] ?? [Effect.die("no such place"), ""]
      return noSecretIn(log, absent, { format, secrets: [Redacted.make(given)] })
    },
    { fastCheck: { numRuns: runs(40) } }
  )
})
