const irregular = new Set(
  `begun bound bought brought built burnt cast caught chosen cut done drawn driven fallen fed felt found frozen given gone
  grown heard held hidden kept known laid led left lent lost made meant met paid put read said seen sent shown shut sought
  spent split spoken stood sunk sworn taken taught thrown told understood woken won worn wound written`.split(/\s+/)
)

/** Verbs, nouns and adjectives that only look like participles. */
const others = new Set([
  "embed",
  "exceed",
  "feed",
  "need",
  "proceed",
  "red",
  "seed",
  "speed",
  "succeed",
  "cut",
  "put",
  "read",
  "split",
  "shut"
])

/** A name that is a participle, alone or with `All`, `By` and the like behind it: `decoded`, `told`, `joinedBy`. */
export const isParticiple = (name: string): boolean => {
  const [first = "", ...rest] = name.split(/(?=[A-Z])/)
  if (rest.length > 1 || others.has(first)) return false
  if (rest.length === 1 && !/^(All|By|As|In|Of|To|With|From|At)$/.test(rest[0] ?? "")) return false
  return irregular.has(first) || /^[a-z]{2,}ed$/.test(first)
}
