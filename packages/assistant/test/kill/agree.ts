/** What does not agree in a database: rows, what the search has of them, and what refers to what. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Each gives the rows that should not be. */
const complaints: { readonly [complaint: string]: string } = {
  "a memory that is active and cannot be found": `SELECT id FROM wield_assistant_memories WHERE state = 'active'
    AND id NOT IN (SELECT id FROM wield_assistant_items WHERE type = 'memory')`,
  "a goal that is active and cannot be found": `SELECT id FROM wield_assistant_goals WHERE state = 'active'
    AND id NOT IN (SELECT id FROM wield_assistant_items WHERE type = 'goal')`,
  "an item of a memory that is not active": `SELECT id FROM wield_assistant_items WHERE type = 'memory'
    AND id NOT IN (SELECT id FROM wield_assistant_memories WHERE state = 'active')`,
  "an item of a goal that is not active": `SELECT id FROM wield_assistant_items WHERE type = 'goal'
    AND id NOT IN (SELECT id FROM wield_assistant_goals WHERE state = 'active')`,
  "an item that says something else than its memory": `SELECT i.id FROM wield_assistant_items i
    JOIN wield_assistant_memories m ON m.id = i.id
    WHERE i.title <> m.name OR SUBSTR(i.body, 1, LENGTH(m.text)) <> m.text`,
  "a source of no memory": `SELECT memory_id FROM wield_assistant_sources
    WHERE memory_id NOT IN (SELECT id FROM wield_assistant_memories)`,
  "an update of no goal": `SELECT goal_id FROM wield_assistant_goal_updates
    WHERE goal_id NOT IN (SELECT id FROM wield_assistant_goals)`,
  "something in the context that is gone": `SELECT item_id FROM wield_assistant_context
    WHERE item_id NOT IN (SELECT id FROM wield_assistant_items)`,
  "a number that was counted less than given": `SELECT MAX(number) AS number FROM wield_assistant_memories
    HAVING MAX(number) > (SELECT MAX(value) FROM wield_assistant_counters WHERE name = 'memories')`
}

const complaintsOfSqlite: typeof complaints = {
  "an item without its words": `SELECT item FROM wield_assistant_items
    WHERE item NOT IN (SELECT rowid FROM wield_assistant_words)`,
  "words without an item": `SELECT rowid FROM wield_assistant_words
    WHERE rowid NOT IN (SELECT item FROM wield_assistant_items)`,
  "a file that SQLite finds broken": `SELECT integrity_check FROM pragma_integrity_check
    WHERE integrity_check <> 'ok'`
}

const complaintsOf = (sql: SqlClient): typeof complaints =>
  sql.onDialectOrElse({ pg: () => complaints, orElse: () => ({ ...complaints, ...complaintsOfSqlite }) })

export const disagreements = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    Effect.forEach(Object.entries(complaintsOf(sql)), ([complaint, query]) =>
      Effect.map(sql.unsafe(query), (rows) => rows.map((row) => `${complaint}: ${JSON.stringify(row)}`))
    ),
    (found) => found.flat()
  )
)
