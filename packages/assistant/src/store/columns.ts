/** The types of columns, as each database calls them. */
import type { SqlClient } from "@effect/sql/SqlClient"

export const columns = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      // Ids are compared by their bytes, in whatever language the database sorts.
      id: sql.literal(`TEXT COLLATE "C"`),
      integer: sql.literal("BIGINT"),
      key: sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
      bytes: sql.literal("BYTEA")
    }),
    orElse: () => ({
      id: sql.literal("TEXT"),
      integer: sql.literal("INTEGER"),
      key: sql.literal("INTEGER PRIMARY KEY AUTOINCREMENT"),
      bytes: sql.literal("BLOB")
    })
  })
