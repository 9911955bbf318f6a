import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../Api.js"
import type { Parts } from "./parts.js"

export const playgroundHandlers = ({ playground }: Parts) =>
  HttpApiBuilder.group(Api, "playground", (handlers) =>
    handlers
      .handle("list", () => Effect.map(playground.sessions, (sessions) => ({ sessions })))
      .handle("start", ({ payload: { conversation, model } }) => playground.start(model, conversation))
      .handle("prompt", ({ path: { id }, payload }) => playground.prompt(id, payload))
      .handle("stop", ({ path: { id } }) => playground.stop(id))
  )
