/**
 * Tools and agents inside workflows of your own (`@effect/workflow`), which run
 * their body again at each resume.
 */
import * as Activity from "@effect/workflow/Activity"
import { WorkflowInstance } from "@effect/workflow/WorkflowEngine"
import type { ToolRunner } from "@wield/core"
import { aName, orThrow } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import type { AgentClient, Prompt } from "./AgentClient.js"
import type { ClusterError, IdReused, RunNotFound } from "./Runs.js"
import type { RunResult } from "./RunResult.js"

/**
 * The calls of a workflow's execution. The runner's journal knows them by the
 * execution: when the body runs again, a call that ended is replayed, one that
 * was begun and is not idempotent comes back as `Uncertain`, and what waited for
 * a person is asked about once. Give the runner's policy a journal that lasts.
 *
 * A call is known by its id, its tool and its arguments: name each call of the
 * body, and make its arguments from what the workflow recorded.
 *
 * @category workflows
 */
export const forExecution = <Tools, R, E>(
  runner: ToolRunner.Runner<Tools, R, E>,
  options: Omit<ToolRunner.RunOptions<Tools>, "id">
): Effect.Effect<ToolRunner.Run<Tools, R, E>, never, WorkflowInstance> =>
  Effect.map(WorkflowInstance, ({ executionId }) =>
    // The options are those of the runner but for the id, which stands here.
    runner.forRun({ ...options, id: `workflow ${executionId}` } as unknown as ToolRunner.RunOptions<Tools>)
  )

/**
 * A prompt to an agent of the cluster, and its result. It may be repeated, as
 * activities are: the id of the prompt comes from the execution and the name, so
 * that it is one run. Use it as the `execute` of an activity.
 *
 * @category workflows
 */
export const prompt = <Context, Output>(
  client: AgentClient<Context, Output>,
  conversation: string,
  { name, ...given }: Omit<Prompt<Context>, "promptId"> & { readonly name: string }
): Effect.Effect<RunResult<Output>, ClusterError | IdReused | RunNotFound, WorkflowInstance> =>
  Effect.gen(function* () {
    orThrow(aName(name), "The name of a prompt")
    const promptId = yield* Activity.idempotencyKey(name)
    // `Omit` forgets that the context goes with its type.
    const run = yield* client.prompt(conversation, { ...given, promptId } as unknown as Prompt<Context>)
    return yield* run.result
  })
