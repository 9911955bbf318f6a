import { describe, expect, it } from "@effect/vitest"
import { makeRedaction, noRedaction } from "./redaction.js"

describe("which values are secret", () => {
  it("is told by the names of variables: those that say so, or those that are given", () => {
    const variables = { API_KEY: "abcdef1", my_token: "abcdef2", HOME: "abcdef3" }
    const byName = makeRedaction(variables, undefined)
    expect(byName.text("abcdef1 abcdef2 abcdef3")).toBe("<redacted> <redacted> abcdef3")
    expect(makeRedaction(variables, ["HOME"]).text("abcdef1 abcdef2 abcdef3")).toBe("abcdef1 abcdef2 <redacted>")
    expect(makeRedaction(variables, [])).toBe(noRedaction)
  })

  it("is told by names that end in an abbreviation, and by the passwords in addresses", () => {
    const variables = {
      DB_PASS: "abcdef1",
      FTP_PASSWD: "abcdef2",
      SENTRY_DSN: "abcdef3",
      NPM_AUTH: "abcdef4",
      GITHUB_PAT: "abcdef5",
      DATABASE_URL: "postgres://app:abcdef6@db/shop",
      PWD: "/abcdef7",
      GIT_AUTHOR_NAME: "abcdef8"
    }
    const { text } = makeRedaction(variables, undefined)
    for (const value of ["abcdef1", "abcdef2", "abcdef3", "abcdef4", "abcdef5", "abcdef6"]) {
      expect(text(value)).toBe("<redacted>")
    }
    for (const value of ["/abcdef7", "abcdef8", "postgres://app"]) expect(text(value)).toBe(value)
    expect(makeRedaction(variables, ["PWD"]).text("/abcdef7 abcdef1 abcdef6")).toBe("<redacted> abcdef1 abcdef6")
  })

  it("begins at values of 6 characters", () => {
    expect(makeRedaction({ A_KEY: "abcdef" }, undefined).text("-abcdef-")).toBe("-<redacted>-")
    expect(makeRedaction({ A_KEY: "abcde" }, undefined)).toBe(noRedaction)
  })

  it("includes lines of 16 characters of a value that has several, in any line ends", () => {
    const sixteen = "x".repeat(8) + "y".repeat(8)
    const fifteen = "z".repeat(15)
    for (const end of ["\n", "\r\n"]) {
      const { text } = makeRedaction({ A_KEY: [sixteen, fifteen].join(end) }, undefined)
      expect(text(`${sixteen} ${fifteen}`)).toBe(`<redacted> ${fifteen}`)
      expect(text(sixteen + end + fifteen)).toBe("<redacted>")
    }
  })
})

describe("secrets in a text", () => {
  it("are replaced whole where one is part of another, whichever was given first", () => {
    const [short, long] = ["secret", "my secret thing"]
    for (const variables of [
      { A_KEY: short, B_KEY: long },
      { A_KEY: long, B_KEY: short }
    ]) {
      expect(makeRedaction(variables, undefined).text(`${long}, ${short}, ${short}`)).toBe(
        "<redacted>, <redacted>, <redacted>"
      )
    }
  })

  it("are found as JSON, repr and escapes of all but ASCII write them", () => {
    const secret = `a"b/c\\d'é\n`
    const redaction = makeRedaction({ A_KEY: secret }, undefined)
    const json = JSON.stringify(secret).slice(1, -1)
    const forms = [
      secret,
      json,
      json.replaceAll('\\"', '"'),
      json.replaceAll("/", "\\/"),
      json.replace("é", "\\u00e9"),
      json.replaceAll("/", "\\/").replace("é", "\\u00e9"),
      Buffer.from(secret).toString("base64url"),
      encodeURIComponent(secret).toLowerCase()
    ]
    for (const form of forms) {
      expect(redaction.isIn(`<${form}>`)).toBe(true)
      expect(redaction.text(`<${form}>`)).toBe("<<redacted>>")
    }
    expect(redaction.isIn(secret.slice(0, -1))).toBe(false)
  })

  it("are replaced in names, members, elements and numbers of a value, and nothing else is changed", () => {
    const { json } = makeRedaction({ A_KEY: "abcdef", A_TOKEN: "123456" }, undefined)
    expect(json({ abcdef: ["xabcdef", { deep: "abcdef" }], n: 123456, m: 1234567, b: true, z: null })).toEqual({
      "<redacted>": ["x<redacted>", { deep: "<redacted>" }],
      n: "<redacted>",
      m: 1234567,
      b: true,
      z: null
    })
  })
})

describe("a secret that is cut", () => {
  const { beginning, ending } = makeRedaction({ A_KEY: "abcdef", B_KEY: "cdcdcdcd" }, undefined)

  it("is told by how many characters at the end of a text may begin it", () => {
    expect(beginning("nothing")).toBe(0)
    expect(beginning("x a")).toBe(1)
    expect(beginning("x abcde")).toBe(5)
    // What is there whole is replaced, and need not wait.
    expect(beginning("x abcdef")).toBe(0)
    // Of several the longest.
    expect(beginning("abcdcd")).toBe(4)
    expect(beginning("")).toBe(0)
  })

  it("is told by how many characters at the beginning of a text may end it", () => {
    expect(ending("nothing")).toBe(0)
    expect(ending("f x")).toBe(1)
    expect(ending("bcdef x")).toBe(5)
    expect(ending("abcdef")).toBe(0)
    expect(ending("")).toBe(0)
  })
})
