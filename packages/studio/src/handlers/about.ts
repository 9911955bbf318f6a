import * as Json from "@wield/core/Json"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Agent from "@wield/agent/Agent"
import * as WireFormat from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import { Api, type Problem } from "../Api.js"
import type { Parts } from "./parts.js"
import type { Problem as CoreProblem } from "@wield/core/Problem"

/** What the guard says of the request's role. */
export const roleHeader = "x-wield-studio-role"

export const aboutHandlers = (parts: Parts) =>
  HttpApiBuilder.group(Api, "about", (handlers) =>
    handlers
      .handle("about", ({ request }) =>
        Effect.succeed({
          wield: 1 as const,
          title: parts.title,
          isReadOnly: request.headers[roleHeader] === "read-only",
          parts: {
            toolsets: parts.manager !== undefined,
            store: parts.hasStore,
            agent: parts.agent !== undefined
          },
          ...(parts.agent === undefined ? {} : { model: parts.agent[Agent.TypeId].plan.model.id }),
          formats: WireFormat.all.map(({ name, title }) => ({ name, title })),
          recording: parts.recorder.recorded,
          epoch: parts.recorder.epoch
        })
      )
      .handle("problems", () =>
        Effect.gen(function* () {
          const own = yield* parts.problems
          const files = parts.manager === undefined ? [] : yield* parts.manager.problems.get
          return { problems: [...own, ...files].map(problemOf) }
        })
      )
  )

const problemOf = (problem: CoreProblem): Problem => Json.withoutUndefined(problem)
