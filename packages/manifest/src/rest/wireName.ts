/**
 * Names of queries, forms and headers as those servers compare them that are
 * loosest: without regard to case, and PHP takes spaces before a name away and
 * a space or a dot in it for an underscore.
 */
export const wireName = (name: string): string =>
  name.normalize("NFKC").toUpperCase().toLowerCase().trimStart().replace(/[ .]/g, "_")

/** What stands before the brackets: `filter` of `filter[state]`. A zero byte ends a name, too. */
export const wireBase = (name: string): string => wireName(name).split(/[[\0]/, 1)[0] ?? ""
