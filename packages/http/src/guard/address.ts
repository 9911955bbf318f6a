/** What kind of address an address is. */
import ipaddr from "ipaddr.js"

/** `unicast` for a public address; what it is otherwise, `invalid` if it is none. */
export const rangeOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return "invalid"
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range()
  const range = parsed.range()
  // These carry an IPv4 address: the request ends up there.
  if (range === "ipv4Mapped") return embedded(parsed, 6)
  if (range === "rfc6052" && parsed.match(wellKnownPrefix, 96)) return embedded(parsed, 6)
  if (range === "6to4") return embedded(parsed, 1)
  // All that is handed out begins with 2000::/3; ipaddr.js takes what it does not know for public.
  return range === "unicast" && !parsed.match(global, 3) ? "reserved" : range
}

const wellKnownPrefix = ipaddr.IPv6.parse("64:ff9b::")

const global = ipaddr.IPv6.parse("2000::")

const embedded = (address: ipaddr.IPv6, index: number): string => {
  const [high = 0, low = 0] = address.parts.slice(index, index + 2)
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]).range()
}
