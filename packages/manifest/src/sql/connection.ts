/** Where a configuration says that a database is: by a URL of the database's own, or by one of JDBC. */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type { Dialect } from "./tokenize.js"

export interface Configuration {
  readonly url: Redacted.Redacted
  readonly username?: Redacted.Redacted | undefined
  readonly password?: Redacted.Redacted | undefined
}

/** With `mysql` and `postgres` a URL with all that the client needs, with `sqlite` one of a file that is there. */
export interface Target {
  readonly dialect: Dialect
  readonly url: Redacted.Redacted
}

const expected =
  "expected file:data.db, postgres://host/database or mysql://host/database, or the same as jdbc:sqlite:, jdbc:postgresql:// or jdbc:mysql://. For any other database make the executor of a client of @effect/sql (SqlExecutor.make)"

export const targetOf = (
  { password, url, username }: Configuration,
  folder: string | undefined
): Either.Either<Target, string> => {
  const text = Redacted.value(url).replace(/^jdbc:/i, "")
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  switch (scheme) {
    case "file":
    case "sqlite":
      return Either.map(fileUrl(text.slice(scheme.length + 1), folder), (file) => ({
        dialect: "sqlite",
        url: Redacted.make(file)
      }))
    case "postgres":
    case "postgresql":
    case "mysql":
    case "mariadb": {
      const isPostgres = scheme.startsWith("postgres")
      const server = `${isPostgres ? "postgres" : "mysql"}${text.slice(scheme.length)}`
      if (!URL.canParse(server)) return Either.left(`it is no URL: ${expected}`)
      return Either.right({
        dialect: isPostgres ? "postgres" : "mysql",
        url: Redacted.make(withCredentials(new URL(server), username, password))
      })
    }
    default:
      return Either.left(expected)
  }
}

/** A drive's letter is no scheme. */
const isAbsolute = (path: string): boolean => /^(?:[/\\]|[a-z]:[/\\])/i.test(path)

const fileUrl = (rest: string, folder: string | undefined): Either.Either<string, string> => {
  const isUrl = rest.startsWith("//")
  const written = (isUrl ? rest.replace(/^\/\/(?:localhost)?/i, "") : rest).replace(/\?.*$/s, "")
  if (written === "" || written.includes(":memory:")) {
    return Either.left("a database in memory has no tables: give the path of a file")
  }
  // `file:///C:/data.db`
  const path = (isUrl ? Either.getOrElse(Encoding.decodeUriComponent(written), () => written) : written).replace(
    /^\/(?=[a-z]:[/\\])/i,
    ""
  )
  const whole = isAbsolute(path) || folder === undefined ? path : `${folder.replace(/[/\\]$/, "")}/${path}`
  const slashed = whole.replace(/^([a-z]:)/i, "/$1")
  // `mode=rw`: what is not there is not made, for the tables of a file that was just made are not there either.
  return Either.right(`file:${slashed.split(/[/\\]/).map(encodeURIComponent).join("/")}?mode=rw`)
}

/** JDBC has them in the query; what the configuration gives beside the URL goes first. */
const withCredentials = (
  url: URL,
  username: Redacted.Redacted | undefined,
  password: Redacted.Redacted | undefined
): string => {
  const user = username === undefined ? url.searchParams.get("user") : Redacted.value(username)
  const secret = password === undefined ? url.searchParams.get("password") : Redacted.value(password)
  url.searchParams.delete("user")
  url.searchParams.delete("password")
  if (user !== null) url.username = encodeURIComponent(user)
  if (secret !== null) url.password = encodeURIComponent(secret)
  return url.href
}
