import type { AskOptions } from "@wield/interop/approval"

/** Of a host without approvals: the program asks, and waits for the answer. */
export const asking = (reply: "approve" | "deny" | undefined): AskOptions =>
  reply === undefined ? {} : { ask: () => (reply === "approve" ? "approve" : { deny: "not today" }) }

/** The guide says of this sign: no approvals of its own. */
const own = "–"

export const laterByAsking = {
  "approved in another process": own,
  "approved, then altered": own,
  "approved for another account": own
}
