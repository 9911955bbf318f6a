const irregular = new Set(
  `begun bought brought built burnt cast caught chosen done drawn driven fallen fed felt found frozen given gone grown
  heard held hidden kept known laid led left lent lost made meant met paid said seen sent shown sought spent spoken stood
  sunk sworn taken taught thrown told understood woken won worn wound written`.split(/\s+/)
)

/** Verbs and adjectives that end as participles do. */
const others = new Set(["embed", "exceed", "feed", "need", "proceed", "red", "seed", "speed", "succeed", "typed"])

/** A name that is a participle, alone or with `All`, `By` and the like behind it: `decoded`, `told`, `joinedBy`. */
export const isParticiple = (name: string): boolean => {
  const [first = "", ...rest] = name.split(/(?=[A-Z])/)
  if (rest.length > 1 || others.has(first)) return false
  if (rest.length === 1 && !/^(All|By|As|In|Of|To|With|From|At)$/.test(rest[0] ?? "")) return false
  return irregular.has(first) || /^[a-z]{2,}ed$/.test(first)
}
