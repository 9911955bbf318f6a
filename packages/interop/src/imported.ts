/** What every importer takes and gives. */
import type { Approval, Loss, Toolset } from "@wield/core"
import type { FailureOf } from "@wield/core/Handler"

/**
 * How tools of another SDK are read.
 *
 * @category models
 */
export interface ImportOptions {
  /**
   * What the model reads of an error that a tool throws. Unless given it reads
   * a reference only, for the text of an error may hold a secret.
   */
  readonly failure?: FailureOf | undefined
}

/**
 * Tools of another SDK, as a toolset.
 *
 * @category models
 */
export interface Imported {
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools>
  /** Asks where the tools themselves want approval. Give it to the runner's policy. */
  readonly approval: Approval.Rule
  /** What the tools have and Wield cannot carry over. */
  readonly losses: ReadonlyArray<Loss.Loss>
}
