/** A client for one SQLite file: one connection has everything in turn. */
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Fibers from "@wield/core/Fibers"
import * as Time from "@wield/core/Time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type Database from "libsql"
import { StoreError } from "../ConversationError.js"
import { attempt, isTransient, reasonOf, storeErrors } from "./attempt.js"
import { tryStatement, type Bound, type FileConnection, openConnection } from "./fileConnection.js"
import { commitTogether, type Write } from "./write.js"

/** How a file is opened. */
export interface FileOptions {
  readonly path: string
  readonly synchronous: "full" | "normal"
}

interface FileTransaction {
  readonly _: unique symbol
}

/** How many statements, each of which may wait for the disk, run in one turn of the event loop. */
const mostInTurn = 4

const spanAttributes = [["db.system.name", "sqlite"]] as const

/** Native code: only a program that opens a file loads it. */
const loadLibsql = async (): Promise<Either.Either<typeof Database, StoreError>> => {
  // Where an import is tried, bundlers leave outside what is not installed.
  try {
    return Either.right((await import("libsql")).default)
  } catch (cause) {
    const detail = `libsql cannot be loaded (${cause instanceof Error ? cause.message : String(cause)}): npm install libsql@0.4.7`
    return Either.left(new StoreError({ operation: "open", detail, cause }))
  }
}

const connect = ({ path, synchronous }: FileOptions) =>
  Effect.gen(function* () {
    const Libsql = yield* yield* Effect.promise(loadLibsql)
    const connection = yield* Effect.acquireRelease(
      Effect.mapError(
        // Another process may be making the file.
        attempt(openConnection(Libsql, path)),
        (cause) => {
          const reason = reasonOf(cause)
          const detail = /not a database/.test(reason)
            ? `${path} holds something else than a database of SQLite: give another path`
            : `${reason}: give the path of a file that may be written to, in a folder that exists`
          return new StoreError({ operation: "open", detail, cause })
        }
      ),
      ({ close }) => close
    )
    const pragma = (text: string) => connection.executeUnprepared(`PRAGMA ${text}`, [], undefined)
    yield* storeErrors("open")(
      Effect.gen(function* () {
        // A wait in SQLite stops the whole process, also the fiber it may be waiting for. `attempt` waits instead.
        yield* pragma("busy_timeout = 0")
        yield* pragma("journal_mode = WAL")
        yield* pragma(`synchronous = ${synchronous === "full" ? "FULL" : "NORMAL"}`)
        yield* pragma("foreign_keys = ON")
      })
    )
    return connection
  })

export const openFile = (
  options: FileOptions
): Effect.Effect<SqlClient.SqlClient, StoreError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const connection = yield* connect(options)
    const turn = yield* Effect.makeSemaphore(1)
    let statementCount = 0
    // libsql answers at once, so that a fiber after the other could go on here without end.
    const breath = Effect.suspend(() => (++statementCount % mostInTurn === 0 ? Time.nextTurn : Effect.void))
    const inTurn = Effect.uninterruptibleMask((restore) =>
      restore(turn.take(1)).pipe(
        Effect.zipRight(Effect.addFinalizer(() => turn.release(1))),
        Effect.zipRight(breath),
        Effect.as(connection)
      )
    )

    // A tag of its own: by the one that all clients share, a transaction of the application on another database would
    // be sent what is meant for the file.
    const transactionTag = Context.GenericTag<FileTransaction, readonly [FileConnection, number]>(
      `@wield/agent/FileTransaction/${options.path}`
    )
    const compiler = Statement.makeCompilerSqlite()
    const acquirer = Effect.flatMap(
      Effect.serviceOption(transactionTag),
      Option.match({ onNone: () => inTurn, onSome: ([open]) => Effect.as(breath, open) })
    )
    const client = yield* SqlClient.make({ acquirer, compiler, spanAttributes })

    // `make` would roll back a transaction that cannot begin, and lose its error.
    const withTransaction = SqlClient.makeWithTransaction({
      transactionTag,
      spanAttributes,
      acquireConnection: Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          yield* restore(Scope.extend(inTurn, scope)).pipe(
            Effect.zipRight(connection.begin),
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
          )
          return [scope, connection] as const
        })
      ),
      begin: () => Effect.void,
      savepoint: (_, id) => connection.executeUnprepared(`SAVEPOINT wield_${id}`, [], undefined),
      commit: () => connection.commit,
      rollback: () => connection.rollback,
      rollbackSavepoint: (_, id) => connection.executeUnprepared(`ROLLBACK TO SAVEPOINT wield_${id}`, [], undefined)
    })
    const statements = Statement.make(acquirer, compiler, spanAttributes, undefined)
    const own: SqlClient.SqlClient = Object.assign(statements, {
      ...client,
      ...statements,
      withTransaction,
      withoutTransforms: () => own
    })
    const group = makeGroupCommit(connection, (effect) => turn.withPermits(1)(effect))
    commitTogether(own, (statement, parameters) =>
      Fibers.withFiber((fiber) =>
        // What belongs to a transaction is committed with it.
        Fibers.peek(Fibers.contextOf(fiber), transactionTag) !== undefined
          ? Effect.zipRight(breath, connection.execute(statement.text, parameters, undefined))
          : group(statement, parameters)
      )
    )
    return Object.assign(own, { safe: own })
  })

interface Waiting extends Bound {
  readonly resume: (effect: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => void
}

/**
 * How many fibers a group may wake at once. A batch begins 64 calls in a turn of
 * the event loop, and each has to be begun and ended: fewer than twice as many,
 * and the calls that wait would grow in number, and their memory with them.
 */
const most = 256

const makeGroupCommit = (
  connection: FileConnection,
  inTurn: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Write => {
  const queue: Array<Waiting> = []
  let isDraining = false

  const commit = (group: ReadonlyArray<Waiting>) =>
    attempt(tryStatement(() => connection.together(group))).pipe(
      Effect.either,
      Effect.map((ended) => {
        if (Either.isRight(ended)) {
          ended.right.forEach((rows, index) => group[index]?.resume(Effect.succeed(rows)))
          return ended.right.length
        }
        // Where one of them is wrong, it is wrong for itself: each goes by itself. A lock is in the way of all.
        const isOfAll = group.length === 1 || isTransient(ended.left)
        for (const one of group) one.resume(isOfAll ? Effect.fail(ended.left) : alone(one))
        return group.length
      })
    )

  const alone = (one: Waiting): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
    inTurn(
      attempt(
        Effect.map(
          tryStatement(() => connection.together([one])),
          ([rows]) => rows ?? []
        )
      )
    )

  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (queue.length === 0) {
      isDraining = false
      return Effect.void
    }
    const done = inTurn(
      Effect.suspend(() => {
        const group = queue.slice(0, most)
        return Effect.map(commit(group), (count) => void queue.splice(0, count))
      })
    )
    return Effect.zipRight(Effect.zipRight(Time.nextTurn, done), drain)
  })

  return (statement, parameters) =>
    Effect.async((resume) => {
      const waiting: Waiting = { statement, parameters, resume }
      queue.push(waiting)
      if (!isDraining) {
        isDraining = true
        Effect.runFork(drain)
      }
    })
}
