import type { AskOptions } from "@wield/interop/approval"

/** Of a host without approvals: the program asks, and waits for the answer. */
export const asking = (reply: "approve" | "deny" | undefined): AskOptions =>
  reply === undefined ? {} : { ask: () => (reply === "approve" ? "approve" : { deny: "not today" }) }

export const laterByAsking = { "approved in another process": "no approvals of its own" }
