/**
 * One connection to a SQLite file, for `@effect/sql`.
 *
 * libsql is used directly, not through `@effect/sql-libsql`, for a statement of
 * libsql that a lock refuses stays in progress until it is garbage: whatever is
 * written on that connection meanwhile reports success and is not committed.
 * Only `exec` ends what it began. So every write here is in a transaction that
 * `exec` began with the lock for writing, or was refused there.
 */
import { SafeIntegers } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Fibers from "@wield/core/Fibers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type Database from "libsql"
import { readable, readRow, readSchema } from "./readable.js"
import type { Many, Statement } from "./write.js"

/** A statement with the values of its placeholders. */
export interface Bound {
  readonly statement: Statement
  readonly parameters: ReadonlyArray<unknown>
}

/** Places of statements, by what runs many of their kind in one: each crossing into the library costs several times what SQLite does in it. */
const kindsOf = (statements: ReadonlyArray<Bound>): ReadonlyMap<Many, Array<number>> => {
  const kinds = new Map<Many, Array<number>>()
  statements.forEach(({ statement: { many } }, place) => {
    const kind = many === undefined ? undefined : kinds.get(many)
    if (kind !== undefined) kind.push(place)
    else if (many !== undefined) kinds.set(many, [place])
  })
  return kinds
}

/** A connection, and how its transactions begin and end. */
export interface FileConnection extends Connection {
  /** Runs statements in one transaction, and gives the rows of each. Throws where none of them is kept. */
  readonly together: (statements: ReadonlyArray<Bound>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly begin: Effect.Effect<void, SqlError>
  readonly commit: Effect.Effect<void, SqlError>
  readonly rollback: Effect.Effect<void, SqlError>
  readonly close: Effect.Effect<void>
}

/** What needs no lock for writing, or allows no transaction around it. */
const isBare = /^\s*(select|pragma|explain|vacuum|attach|detach|savepoint|release|rollback)\b/i

export const tryStatement = <A>(action: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: action,
    catch: (cause) => new SqlError({ cause, message: "Failed to execute statement" })
  })

/** libsql ends the process at a boolean. */
const bound = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value)

type Ask<A> = (parameters: ReadonlyArray<unknown>) => A

/** How many statements a connection keeps. */
const mostKept = 200

/** Statements that were run lately: to prepare one takes longer than to run it, and leaves more to collect. */
class Prepared<A> {
  readonly #kept = new Map<string, Ask<A>>()

  run(key: string, prepare: () => Ask<A>, parameters: ReadonlyArray<unknown>): A {
    const ask = this.#kept.get(key) ?? prepare()
    // One that fails may be in progress still: it is not used again.
    this.#kept.delete(key)
    const answer = ask(parameters)
    this.#kept.set(key, ask)
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? key)
    return answer
  }
}

interface Place {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
}
interface FileSystem {
  readonly realpathSync: (path: string) => string
  readonly statSync: (path: string, options: object) => Place | undefined
}
interface System {
  readonly getBuiltinModule?: (name: string) => FileSystem | undefined
}

/** No import, so that runtimes other than Node's need none. */
const files = (globalThis as { readonly process?: System }).process?.getBuiltinModule?.("node:fs")

/** Throws once the file is no longer what was opened: what is written to one that was deleted is lost, and said to be there. */
const checkPlace = (path: string): (() => void) => {
  try {
    // The program may change its folder.
    const place = files?.realpathSync(path)
    const look = () => (place && files?.statSync(place, { bigint: true, throwIfNoEntry: false })) || undefined
    const opened = look()
    let hadPages = false
    return () => {
      if (opened === undefined) return
      const now = look()
      // A new one is empty until its first write.
      if (now?.ino !== opened.ino || now.dev !== opened.dev || (hadPages && now.size === 0n))
        throw new Error("the file was deleted, replaced or emptied while it was open: open it again")
      hadPages ||= now.size > 0n
    }
  } catch {
    // Such as one in memory.
    return () => {}
  }
}

/** A file whose tables have names that can be read. */
const openWhole = (Libsql: typeof Database, path: string): Database.Database => {
  const database = new Libsql(path)
  try {
    readSchema(database)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

export const openConnection = (Libsql: typeof Database, path: string): Effect.Effect<FileConnection, SqlError> =>
  tryStatement(() => openWhole(Libsql, path)).pipe(
    Effect.map((database) => {
      const check = checkPlace(path)
      const beginWriting = () => {
        check()
        database.exec("BEGIN IMMEDIATE")
      }
      const asking = new Prepared<Array<unknown>>()
      const counting = new Prepared<number>()

      /** What runs the statement with its parameters. */
      const prepare = (text: string, isRaw: boolean, isSafe: boolean): Ask<Array<unknown>> => {
        const statement = database.prepare(text).safeIntegers(isSafe)
        const safe = readable(text, statement)
        if (safe === undefined) {
          // `raw` and `all` are for statements of which rows can come.
          if (!statement.reader) return (parameters) => (statement.run(parameters.map(bound)), [])
          const asked = isRaw ? statement.raw() : statement
          return (parameters) => asked.all(parameters.map(bound))
        }
        const { names } = safe
        const asked = database.prepare(safe.text).safeIntegers(isSafe).raw()
        return (parameters) =>
          asked.all(parameters.map(bound)).map((given) => {
            // Raw rows are arrays.
            const row = readRow(names, given as Array<unknown>)
            return isRaw ? row : Object.fromEntries(names.map((name, index) => [name, row[index]]))
          })
      }

      const rows = (
        text: string,
        parameters: ReadonlyArray<unknown>,
        isRaw: boolean,
        isSafe = false
      ): Array<unknown> => {
        const ask = () => prepare(text, isRaw, isSafe)
        // What `*` stands for changes with its table.
        if (!text.includes("*")) return asking.run(`${isRaw} ${isSafe} ${text}`, ask, parameters)
        try {
          return ask()(parameters)
        } catch (cause) {
          if (!isBare.test(text)) throw cause
          // Another process has changed the table, which is known now.
          return ask()(parameters)
        }
      }

      const countChanges = (text: string, values: string): number =>
        counting.run(text, () => {
          const statement = database.prepare(text)
          return (parameters) => statement.run(parameters).changes
        }, [values])

      const rollback = () => {
        // Some errors have rolled it back already.
        if (database.inTransaction) database.exec("ROLLBACK")
      }

      const all = (
        text: string,
        parameters: ReadonlyArray<unknown>,
        isRaw: boolean,
        isSafe: boolean
      ): Array<unknown> => {
        if (database.inTransaction || isBare.test(text)) return rows(text, parameters, isRaw, isSafe)
        beginWriting()
        try {
          const found = rows(text, parameters, isRaw, isSafe)
          database.exec("COMMIT")
          return found
        } finally {
          rollback()
        }
      }

      /** `undefined`, and nothing is written, where a usual statement does not hold for all of its kind. */
      const inTransaction = (statements: ReadonlyArray<Bound>, usually: boolean) => {
        beginWriting()
        try {
          const found = statements.map(({ parameters, statement: { many, text } }): ReadonlyArray<unknown> =>
            many === undefined ? rows(text, parameters, false) : many.rowsOf(parameters)
          )
          for (const [many, places] of kindsOf(statements)) {
            const values = JSON.stringify(places.map((place) => statements[place]?.parameters))
            if (usually) {
              if (countChanges(many.usual, values) !== places.length) return undefined
            } else {
              const given = rows(many.any, [values], false)
              places.forEach((place, index) => (found[place] = given.slice(index, index + 1)))
            }
          }
          database.exec("COMMIT")
          return found
        } finally {
          rollback()
        }
      }

      const together: FileConnection["together"] = (statements) =>
        inTransaction(statements, true) ?? inTransaction(statements, false) ?? []

      /** Integers beyond 2^53 are rounded unless the fiber asks for bigints. */
      const run = (text: string, parameters: ReadonlyArray<unknown>, isRaw: boolean) =>
        Fibers.withFiber<Array<unknown>, SqlError>((fiber) =>
          tryStatement(() => all(text, parameters, isRaw, Context.get(Fibers.contextOf(fiber), SafeIntegers)))
        )

      const execute: Connection["execute"] = (text, parameters, transformRows) =>
        // Rows that are not raw are objects, by the column.
        Effect.map(run(text, parameters, false) as Effect.Effect<Array<object>, SqlError>, (found) =>
          transformRows === undefined ? found : transformRows(found)
        )

      const commit = () => {
        try {
          database.exec("COMMIT")
        } finally {
          rollback()
        }
      }

      return {
        execute,
        executeUnprepared: execute,
        executeRaw: (text, parameters) => run(text, parameters, false),
        // Raw rows are arrays, in the order of the columns.
        executeValues: (text, parameters) =>
          run(text, parameters, true) as Effect.Effect<Array<Array<unknown>>, SqlError>,
        executeStream: (text, parameters, transformRows) =>
          Stream.unwrap(Effect.map(execute(text, parameters, transformRows), Stream.fromIterable)),
        together,
        begin: tryStatement(beginWriting),
        commit: tryStatement(commit),
        rollback: tryStatement(rollback),
        close: Effect.sync(() => database.close())
      }
    })
  )
