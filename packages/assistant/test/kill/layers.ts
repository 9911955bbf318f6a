/** What keeps memories and goals, over a file, or over the Postgres of a URL. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as FileStore from "@wield/agent/FileStore"
import * as CurrentContext from "@wield/assistant/CurrentContext"
import * as Goals from "@wield/assistant/Goals"
import * as Memories from "@wield/assistant/Memories"
import * as SearchIndex from "@wield/assistant/SearchIndex"
import { Layer, Redacted } from "effect"
import { lazyClient } from "../../../../test/postgres/lazyClient.js"

/** By which Postgres tells the connections of processes that are killed. */
export const killedName = "to be killed"

const clientIn = (place: string, applicationName: string): Layer.Layer<SqlClient> =>
  place.startsWith("postgres:")
    ? Layer.orDie(lazyClient({ url: Redacted.make(place), applicationName }))
    : Layer.orDie(FileStore.layerClient({ path: place, synchronous: "normal" }))

export const layerIn = (place: string, applicationName = "test") =>
  Layer.mergeAll(Memories.layer, Goals.layer, CurrentContext.layer).pipe(
    Layer.provideMerge(SearchIndex.layer()),
    Layer.provideMerge(clientIn(place, applicationName))
  )
