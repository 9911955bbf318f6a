/** Classifies IP addresses. */
import ipaddr from "ipaddr.js"

/** `unicast` for a public address, the name of its range for another, `invalid` for other text. */
export const rangeOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return "invalid"
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range()
  const range = parsed.range()
  // The request ends up at the IPv4 address inside.
  if (range === "ipv4Mapped") return embeddedRange(parsed, 6)
  if (range === "rfc6052" && parsed.match(wellKnownPrefix, 96)) return embeddedRange(parsed, 6)
  if (range === "6to4") return embeddedRange(parsed, 1)
  // All assigned addresses are in 2000::/3. ipaddr.js takes every unknown range for public.
  return range === "unicast" && !parsed.match(global, 3) ? "reserved" : range
}

const wellKnownPrefix = ipaddr.IPv6.parse("64:ff9b::")

const global = ipaddr.IPv6.parse("2000::")

const embeddedRange = (address: ipaddr.IPv6, index: number): string => {
  const [high = 0, low = 0] = address.parts.slice(index, index + 2)
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]).range()
}
