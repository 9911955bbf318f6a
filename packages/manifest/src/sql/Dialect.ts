/** Which database's SQL a statement is written in. */
export type Dialect = "postgres" | "sqlite" | "mysql"

export const dialects: ReadonlyArray<Dialect> = ["postgres", "sqlite", "mysql"]
