/** How secrets are known by their names, and found however they are written. */
import { assert, describe, it } from "@effect/vitest"
import { Secret } from "@wield/core"
import { Effect, FastCheck, Schema } from "effect"
import { character } from "../../../test/characters.js"

const hideOne = (secret: string) => {
  const spellings = Secret.spellingsOf([secret])
  return (text: string) => Secret.hide(text, spellings)
}

describe("a name", () => {
  it("is secret by what it says, in any case and style", () => {
    const names =
      "API_KEY apiKey X-Api-Key my_token GITHUB_TOKEN_2 CLIENT_SECRET PASSWORD DB_PASSWD DB_PASS dbPass MYSQL_PASS_TEST " +
      "DBPASS PGPASSWORD SSH_PASSPHRASE SENTRY_DSN DSN NPM_AUTH _auth BASICAUTH X-Auth GITHUB_PAT pat MYSQL_PWD " +
      "AWS_ACCESS_KEY_ID AWS_CREDENTIALS SESSION_COOKIE LOGIN_OTP CARD_PIN jwt sig X-Amz-Signature Authorization"
    for (const name of names.split(" ")) assert.isTrue(Secret.isName(name), name)
  })

  it("is not secret because another word has the letters", () => {
    const names =
      "PATH HOME LANG PWD OLDPWD pwd PATTERN PATCH DISPATCH COMPASS NO_PROXY_BYPASS GIT_AUTHOR_NAME AUTHOR AUTH_MODE " +
      "SSH_AUTH_SOCK XAUTHORITY PINNED SPIN SIGNAL DESIGN format limit page"
    for (const name of names.split(" ")) assert.isFalse(Secret.isName(name), name)
  })
})

describe("the credentials within a value", () => {
  const cases: ReadonlyArray<readonly [value: string, parts: ReadonlyArray<string>]> = [
    ["postgres://app:hunter2@db:5432/shop", ["hunter2"]],
    ["postgresql://app:a%40b@db/shop", ["a%40b", "a@b"]],
    ["redis://:hunter2@cache", ["hunter2"]],
    ["amqp://app:p@ss@queue/v", ["p@ss"]],
    ["https://public123@sentry.example/5", ["public123"]],
    ["https://ghp_123:@github.example/a/b", ["ghp_123"]],
    ["app:hunter2@tcp(db:3306)/shop", ["hunter2"]],
    ["app:hunter2@db:3306/shop", ["hunter2"]],
    ["host=db user=app password='hunter 2' dbname=shop", ["hunter 2"]],
    ["Server=db;User Id=app;Password=hunter2;", ["hunter2"]],
    ["jdbc:postgresql://db/shop?user=app&password=hunter2", ["hunter2"]],
    ["Bearer abc.def", ["abc.def"]],
    [`Basic ${btoa("ann:hunter2")}`, [btoa("ann:hunter2"), "hunter2"]],
    ["postgres://postgres@localhost/shop", []],
    ["https://example.com/@name?q=a:b@c", []],
    ["node:20.11.0-alpine@sha256:0123456789abcdef", []],
    ["mailto:ann@example.com", []],
    ["git@github.com:a/b.git", []],
    ["ssh://git@github.com/a/b", []],
    ["a sentence", []],
    ["", []]
  ]
  for (const [value, parts] of cases) {
    it(`are found, and nothing else: ${value}`, () => {
      assert.deepStrictEqual(Secret.partsOf(value), parts)
    })
  }
})

describe("a secret", () => {
  const secret = "s3cr3t/+&=\"'<tök€n>?~!*(x y)"
  const written: ReadonlyArray<readonly [how: string, text: string]> = [
    ["as it is", secret],
    ["JSON", JSON.stringify(secret)],
    ["JSON of PHP", JSON.stringify(secret).replaceAll("/", "\\/")],
    ["JSON within JSON", JSON.stringify(JSON.stringify(secret))],
    ["JSON of ASCII", JSON.stringify(secret).replace("ö", "\\u00f6").replace("€", "\\u20ac")],
    ["JSON of ASCII with large letters", JSON.stringify(secret).replace("ö", "\\u00F6").replace("€", "\\u20AC")],
    ["HTML", secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")],
    [
      "an attribute of HTML",
      secret
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#39;")
    ],
    ["percent-encoding", encodeURIComponent(secret)],
    ["percent-encoding with small letters", encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ["a form", new URLSearchParams({ a: secret }).toString().slice(2)],
    ["base64", Buffer.from(secret).toString("base64")],
    ["base64url", Buffer.from(secret).toString("base64url")]
  ]
  for (const [how, text] of written) {
    it(`is found as ${how}`, () => {
      const hidden = hideOne(secret)(`<<${text}>>`)
      assert.include(hidden, Secret.placeholder)
      assert.strictEqual(hidden.replaceAll('"', "").replaceAll("\\", ""), "<<<redacted>>>")
    })
  }

  it("is found within longer base64, of both alphabets, wherever it begins", () => {
    const hidden = hideOne("s3cr3t-t0ken")
    for (const encoding of ["base64", "base64url"] as const) {
      for (const before of ["", "a", "ab", "abc", "user:"]) {
        for (const after of ["", "z", "zz", "zzz"]) {
          const text = hidden(Buffer.from(before + "s3cr3t-t0ken" + after).toString(encoding))
          assert.include(text, Secret.placeholder)
          // At its ends there may be characters that it shares with its neighbours.
          const left = text.split(Secret.placeholder).join("")
          assert.isAtMost(left.length, Math.ceil((before.length * 4) / 3) + Math.ceil((after.length * 4) / 3) + 6)
        }
      }
    }
  })

  it("of several lines is found line by line, from 16 characters on", () => {
    const [long, short] = ["x".repeat(16), "z".repeat(15)]
    assert.strictEqual(hideOne(`${long}\r\n${short}`)(`${long} ${short}`), `<redacted> ${short}`)
  })

  it("is replaced whole where one is part of another", () => {
    const spellings = Secret.spellingsOf(["secret", "my secret thing"])
    assert.strictEqual(Secret.hide("my secret thing, secret", spellings), "<redacted>, <redacted>")
  })

  it.prop("never changes a text that it is not in", [FastCheck.uuid(), FastCheck.string()], ([one, text]) => {
    assert.strictEqual(hideOne(one)(text), text)
  })

  it.effect.prop(
    "of any characters, broken surrogates too, is found as it is and in JSON",
    [FastCheck.string({ minLength: 4, unit: character }), Schema.String],
    ([one, text]) =>
      Effect.sync(() => {
        const hidden = hideOne(one)
        assert.notInclude(hidden(`${one}`), one)
        assert.isString(hidden(text))
        assert.notInclude(hidden(JSON.stringify([one])), JSON.stringify(one).slice(1, -1))
      })
  )
})

it("a secret is replaced in keys, members, elements and numbers of a value, and nothing else is changed", () => {
  const spellings = Secret.spellingsOf(["abcdef", "123456"])
  assert.deepStrictEqual(
    Secret.hideIn({ abcdef: ["xabcdef", { deep: "abcdef" }], n: 123456, m: 1234567, b: true, z: null }, spellings),
    { "<redacted>": ["x<redacted>", { deep: "<redacted>" }], n: "<redacted>", m: 1234567, b: true, z: null }
  )
})

it("a header's long words are secret by themselves", () => {
  const value = "Key 0123456789abcdef"
  assert.deepStrictEqual(Secret.inHeader(value), [value, "0123456789abcdef"])
})
