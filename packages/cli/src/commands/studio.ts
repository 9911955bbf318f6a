/** `wield studio`: a page over the project's tools, runs, approvals and conversations. */
import * as Agent from "@wield/agent/Agent"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { codes } from "../ExitCode.js"
import { messageOf, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { buildStore, modelOf } from "./agent.js"
import { type Command, type Common, openProject, readPairs } from "./common.js"

export interface Options extends Common {
  readonly context: ReadonlyArray<string>
  readonly port: number
  readonly host: string
  readonly allInterfaces: boolean
  readonly readOnly: boolean
}

export const studio = (given: Options): Command =>
  Effect.gen(function* () {
    const [Inbox, Recorder, Studio] = yield* Effect.promise(() =>
      Promise.all([import("@wield/studio/Inbox"), import("@wield/studio/Recorder"), import("@wield/studio/Studio")])
    )
    const { policy, problems, project, services, sources, toolset } = yield* openProject(given, "run")
    const { config } = project
    const { journal, store } = yield* buildStore(project)
    const context = { ...config.context, ...(yield* readPairs(given.context)) }
    const refuse = (error: unknown) => (error instanceof Refused ? error : Refused.unusable(messageOf(error)))
    const token = (yield* Shell).environment["WIELD_STUDIO_TOKEN"]
    const recorder = yield* Recorder.make()
    const agent =
      config.model === undefined
        ? undefined
        : yield* Effect.mapError(
            Agent.make({
              model: yield* modelOf(config),
              toolset,
              policy: { ...policy, journal: recorder.journal(journal) },
              instructions: config.instructions
            }),
            refuse
          )
    const { url } = yield* Studio.serve({
      toolset,
      policy,
      context,
      agent,
      recorder,
      inbox: yield* Inbox.make,
      ...(config.store === undefined ? {} : { store }),
      sourceOf: (name) => sources.get(name),
      problems: Effect.succeed(
        problems.map(({ message, severity, source }) => ({
          severity,
          rule: "source",
          message,
          file: source ?? project.file,
          place: undefined,
          subject: undefined
        }))
      ),
      title: project.folder,
      ...(token === undefined || token === "" ? {} : { token: Redacted.make(token) }),
      port: given.port,
      host: given.host,
      isOpenToAllInterfaces: given.allInterfaces,
      isReadOnly: given.readOnly
    }).pipe(
      Effect.provide(services),
      Effect.mapError(({ message }) =>
        Refused.usage(message.replace("isOpenToAllInterfaces", "--allow-all-interfaces"))
      )
    )
    // What is printed may be kept in a log: a token of the caller's own is known to them.
    const shown =
      (token ?? "") === ""
        ? Redacted.value(url)
        : `${new URL(Redacted.value(url)).origin}/#<the token of WIELD_STUDIO_TOKEN>`
    yield* Console.error(`The studio is at ${shown}`)
    return yield* Effect.as(Effect.never, codes.done)
  }).pipe(Effect.scoped)
