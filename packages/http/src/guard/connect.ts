/**
 * How connections are made: to an address that was looked at after the name
 * was resolved, and by the very same answer, so that a name which changes its
 * address in between gains nothing.
 */
import * as dns from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import type { Policy } from "../HttpGuard.js"
import { rangeOf } from "./address.js"
import { allowed } from "./allowed.js"
import { AddressRefused } from "../Refusal.js"

export const connector = (policy: Policy): buildConnector.connector => {
  const isAllowed = allowed(policy.allowedHosts ?? [])
  const resolve = policy.lookup ?? systemLookup
  const timeout = policy.connectTimeout ?? 10_000
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80)
    const host = options.hostname.replace(/^\[|\]$/g, "")
    const isFree = isAllowed(host, port)
    // Node asks no resolver for what is an address already.
    const range = isIP(host) === 0 || isFree ? "unicast" : rangeOf(host)
    if (range !== "unicast") {
      queueMicrotask(() => callback(new AddressRefused({ host, address: host, range }), null))
      return
    }
    const lookup: LookupFunction = (hostname, { all }, done) => {
      const answer = async () => {
        const addresses = await resolve(hostname)
        const refused = addresses.find(
          (address) => !isFree && !isAllowed(address, port) && rangeOf(address) !== "unicast"
        )
        if (refused !== undefined) {
          throw new AddressRefused({ host: hostname, address: refused, range: rangeOf(refused) })
        }
        const found = addresses
          .map((address) => ({ address, family: isIP(address) }))
          .filter(({ family }) => family !== 0)
        const [first] = found
        if (first === undefined) throw new AddressRefused({ host: hostname, range: "a name without an address" })
        return { first, found }
      }
      answer().then(
        ({ first, found }) => (all === true ? done(null, found) : done(null, first.address, first.family)),
        // Node hands the error on as it is; the addresses beside it are not read.
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), [])
      )
    }
    buildConnector({ timeout, lookup })(options, callback)
  }
}

const systemLookup = async (hostname: string): Promise<ReadonlyArray<string>> =>
  (await dns.lookup(hostname, { all: true })).map(({ address }) => address)
