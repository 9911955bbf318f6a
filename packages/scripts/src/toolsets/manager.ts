/**
 * A manager from its parts.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ActiveToolsets } from "../ActiveToolsets.js"
import type { Event, Options, Service } from "../ToolsetManager.js"
import type { InvalidToolsetFile, ToolsetFileFailed } from "../ToolsetManagerError.js"
import { activate, custom, reset } from "./activate.js"
import { announceSets } from "./announce.js"
import { makeFiles } from "./files.js"
import { makeInside } from "./inside.js"
import { active, inactive, list, preview } from "./look.js"
import { offeredToolset } from "./offer.js"
import { problemsNow } from "./problems.js"
import { exported, imported, remove, rename, save } from "./save.js"
import { changesOfFiles } from "./watch.js"

export const makeManager = <Tools, R, E>(
  options: Options<Tools, R, E>
): Effect.Effect<
  Service<Tools, R, E>,
  InvalidToolsetFile | ToolsetFileFailed,
  ActiveToolsets | FileSystem.FileSystem | Path.Path | Scope.Scope
> =>
  Effect.gen(function* () {
    const events = yield* PubSub.unbounded<Event>()
    const files = yield* makeFiles({ user: options.userFile, core: options.coreFile }, (found) =>
      PubSub.publish(events, found)
    )
    const inside = yield* makeInside(options, files, yield* ActiveToolsets, events)

    const reload = Effect.flatMap(inside.sets, (sets) => Effect.ensuring(files.reload, announceSets(inside, sets)))

    if (options.isWatched === true) {
      yield* changesOfFiles([options.userFile, options.coreFile]).pipe(
        // What fails is told as an event, and stays among the problems.
        Stream.runForEach(() => Effect.ignore(reload)),
        Effect.forkScoped
      )
    }

    return {
      toolset: offeredToolset(options, inside),
      list: list(inside),
      preview: (set) => preview(inside, set),
      activate: (conversation, name) => activate(inside, conversation, name),
      custom: (conversation, functions) => custom(inside, conversation, functions),
      active: (conversation) => active(inside, conversation),
      reset: (conversation) => reset(inside, conversation),
      inactive: (conversation) => inactive(inside, conversation),
      save: (name, functions, saving) => save(inside, name, functions, saving),
      rename: (name, to) => rename(inside, name, to),
      delete: (name) => remove(inside, name),
      export: (name) => exported(inside, name),
      import: (given, importing) => imported(inside, given, importing),
      reload,
      problems: problemsNow(inside),
      events: Stream.fromPubSub(events)
    }
  })
