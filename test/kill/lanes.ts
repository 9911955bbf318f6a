/** Processes that are killed side by side, each with conversations of its own, and what does not hold of them after. */
import type { ConversationStore } from "@wield/agent"
import type { Journal } from "@wield/core"
import { Effect, type Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleOf } from "../programs.js"
import type { ChildConfig } from "./childConfig.js"
import { type CallEvidence, evidenceOf } from "./evidence.js"
import { type Killing, killAgainAndAgain } from "./killing.js"
import { isUncertain, violations } from "./laws.js"
import { modelServer } from "./modelServer.js"

export type Lane = Pick<Killing, "approval" | "kills" | "seed">

export interface Outcome {
  /** At which moments processes were killed. */
  readonly moments: ReadonlyArray<string>
  /** Everything that does not hold: of conversations and calls, of effects, of what the model was sent. */
  readonly violations: ReadonlyArray<string>
  readonly uncertain: ReadonlyArray<CallEvidence>
}

/** A store for a child process, and the same for this one. */
export interface Store<E> {
  readonly config: ChildConfig["store"]
  readonly layer: Layer.Layer<ConversationStore.ConversationStore | Journal.Journal, E>
}

/** Two lanes at a time. */
export const killed = <E>(lanes: ReadonlyArray<Lane>, storeOf: (folder: string, seed: string) => Store<E>) =>
  Effect.gen(function* () {
    const file = yield* bundleOf(new URL("child.ts", import.meta.url))
    const server = yield* modelServer
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-kill-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const outcomes = yield* Effect.forEach(
      lanes,
      (lane) =>
        Effect.gen(function* () {
          const { config, layer } = storeOf(folder, lane.seed)
          const killed = yield* killAgainAndAgain({ ...lane, file, folder, store: config, model: server.url })
          const { evidence, unaccounted } = yield* Effect.provide(evidenceOf(killed), layer)
          const wrong = [...evidence.flatMap(violations), ...unaccounted.map((item) => `no call accounts for ${item}`)]
          const calls = evidence.flatMap((one) => one.calls)
          return { moments: killed.moments, violations: wrong, uncertain: calls.filter(isUncertain) }
        }),
      { concurrency: 2 }
    )
    return {
      moments: outcomes.flatMap(({ moments }) => moments),
      violations: [...outcomes.flatMap((outcome) => outcome.violations), ...server.complaints],
      uncertain: outcomes.flatMap(({ uncertain }) => uncertain)
    } satisfies Outcome
  })
