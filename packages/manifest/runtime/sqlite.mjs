/**
 * Runs statements on one SQLite file, in a process of its own: libsql cannot
 * interrupt a statement, so the process that asks ends this one instead. It is
 * started by `src/sql/sqliteFile.ts` and serves one call at a time.
 *
 * Its argument is the file. A message `{ text, kind, isWriting, values,
 * timeout, maxRows, maxBytes }` runs a statement, `{ isCommit: true }` keeps what
 * the one before has written, and `{}` asks whether the file could be opened.
 * Each is answered with `{ answer }` or with `{ error: { code, message } }`;
 * `isSpent` says that a statement is in progress still, so that this process is
 * to be ended.
 */
import process from "node:process"

/** The process that asks is gone, or does not end this one in time. libsql computes on other threads, so `exit` may wait. */
const end = () => process.kill(process.pid, "SIGKILL")
process.on("disconnect", end)

/** Bytes that SQLite may take: a statement can make values of a gigabyte each. */
const mostMemory = 256 * 1024 * 1024

/** Milliseconds that the other process has to end this one itself. */
const grace = 5_000

/** What no timer of Node can wait for ends at once. */
const longestTimer = 2 ** 31 - 1

const open = async (path) => {
  const { default: Database } = await import("libsql/promise")
  const database = new Database(path, {})
  await database.exec("PRAGMA foreign_keys = ON")
  await database.exec(`PRAGMA hard_heap_limit = ${mostMemory}`)
  // Waits are tried again from here.
  await database.exec("PRAGMA busy_timeout = 0")
  return database
}

const opened = open(process.argv[2])
// Each message is answered with the error.
opened.catch(() => undefined)

const isLocked = (error) => /^SQLITE_(?:BUSY|LOCKED)/.test(String(error?.code))

const whileLocked = async (run) => {
  for (let wait = 2; ; wait = Math.min(50, wait * 1.5)) {
    try {
      return await run()
    } catch (error) {
      if (!isLocked(error)) throw error
    }
    await new Promise((resume) => setTimeout(resume, wait * (0.8 + Math.random() * 0.4)))
  }
}

const rollback = (database) => database.exec("ROLLBACK").catch(() => undefined)

/** Locks are taken by `exec`: a prepared statement that one refuses would stay in progress. */
const begin = (database, isWriting) =>
  whileLocked(async () => {
    try {
      await database.exec(`PRAGMA query_only = ${isWriting ? "OFF" : "ON"}`)
      await database.exec(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
      if (!isWriting) await database.exec("SELECT 1 FROM sqlite_schema LIMIT 1")
    } catch (error) {
      await rollback(database)
      throw error
    }
  })

const count = async (database, text) => {
  const statement = await database.prepare(text)
  const [row] = await statement.raw().all([])
  return Number(row?.[0] ?? 0)
}

const sizeOf = (value) => (typeof value === "string" ? value.length : (value?.byteLength ?? 1))

const read = async (statement, { kind, maxBytes, maxRows, values }) => {
  const found = await statement.raw().safeIntegers(true).iterate(values)
  // libsql reads a hundred rows at once, each of which may be as large as all that is allowed: one is asked for.
  const next = () => Object.assign(found, { nextRows: Array(1), nextRowIndex: 100 }).next()
  const rows = []
  let size = 0
  for (let row = next(); !row.done; row = next()) {
    // Up to one row more than the limits, by which it is known that there are more.
    const isFull = rows.length > maxRows || size > maxBytes
    if (isFull && kind === "select") return { rows, isSpent: true }
    // A statement that changes rows is done when it was read to its end.
    if (isFull) continue
    rows.push([...row.value])
    size += row.value.reduce((sum, cell) => sum + sizeOf(cell), 0)
  }
  return { rows, isSpent: false }
}

/**
 * The first step does all the work, on a thread of libsql, so that this one
 * hears that the other process has ended. Rows beyond the limit are not computed.
 */
const materialized = ({ maxRows, text }) =>
  `WITH wield_rows AS MATERIALIZED (SELECT * FROM (\n${text}\n) LIMIT ${maxRows + 1}) SELECT * FROM wield_rows`

/** For rows that are too large to be kept all at once: they are computed as they are read. */
const limited = ({ maxRows, text }) => `SELECT * FROM (\n${text}\n) LIMIT ${maxRows + 1}`

const answer = async (database, call, wrap) => {
  const { isWriting, kind, text, values } = call
  const isCounted = kind === "write"
  await begin(database, isWriting)
  const before = isCounted ? await count(database, "SELECT total_changes()") : 0
  const statement = await database.prepare(text)
  const columns = statement.reader
    ? // Of the statement itself: the one around it has no types.
      statement.columns().map(({ name, type }) => ({ name, type }))
    : []
  const reading = kind === "select" ? await database.prepare(wrap(call)) : statement
  // `raw` is an error where no rows can come.
  const found = statement.reader ? await read(reading, call) : { rows: await statement.all(values), isSpent: false }
  // `changes` tells of the last statement that changed rows, which this one need not be.
  const changed = isCounted && (await count(database, "SELECT total_changes()")) !== before
  const rowsAffected = isCounted ? (changed ? await count(database, "SELECT changes()") : 0) : undefined
  if (!isWriting) await whileLocked(() => database.exec("ROLLBACK"))
  return { ...found, columns, rowsAffected }
}

/** Readers may keep a file that has no write-ahead log from being written: it is asked for again. */
const commit = (database) =>
  database.exec("COMMIT").catch(async (error) => {
    if (!isLocked(error)) await rollback(database)
    throw error
  })

let deadline

const serve = async (message) => {
  const database = await opened
  if (message.isCommit) {
    await commit(database)
    clearTimeout(deadline)
    return undefined
  }
  if (message.text === undefined) return undefined
  deadline = setTimeout(end, Math.min(message.timeout + grace, longestTimer))
  try {
    const found = await answer(database, message, materialized).catch(async (error) => {
      await rollback(database)
      if (message.kind !== "select" || error?.code !== "SQLITE_NOMEM") throw error
      return answer(database, message, limited).catch((other) => rollback(database).then(() => Promise.reject(other)))
    })
    if (!message.isWriting) clearTimeout(deadline)
    return found
  } catch (error) {
    clearTimeout(deadline)
    throw error
  }
}

process.on("message", (message) => {
  serve(message).then(
    (result) => process.send({ answer: result }),
    (error) =>
      process.send({ error: { code: String(error?.code ?? "unknown"), message: String(error?.message ?? "") } })
  )
})
