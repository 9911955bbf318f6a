/** What keeps memories and goals, over a file. */
import * as FileStore from "@wield/agent/FileStore"
import * as CurrentContext from "@wield/assistant/CurrentContext"
import * as Goals from "@wield/assistant/Goals"
import * as Memories from "@wield/assistant/Memories"
import * as SearchIndex from "@wield/assistant/SearchIndex"
import { Layer } from "effect"

export const layerIn = (path: string) =>
  Layer.mergeAll(Memories.layer, Goals.layer, CurrentContext.layer).pipe(
    Layer.provideMerge(SearchIndex.layer()),
    Layer.provideMerge(FileStore.layerClient({ path, synchronous: "normal" }))
  )
