/**
 * A model whose turns are written in a test.
 *
 * @since 0.1.0
 */
import type { Model } from "@wield/agent"

/**
 * @since 0.1.0
 * @category models
 */
export type ScriptedModel = Model.Model
