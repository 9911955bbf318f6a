/** Ingests the second version of a document into a file, says so in the middle of it, and waits to be killed. */
import * as FileStore from "@wield/agent/FileStore"
import { Documents, Owner, SearchIndex } from "@wield/assistant"
import { Effect, Layer } from "effect"

const [path = "", address = "", content = ""] = process.argv.slice(2)

const interrupted = Layer.effect(
  SearchIndex.SearchIndex,
  Effect.map(SearchIndex.SearchIndex, (index) => ({
    ...index,
    put: (user: Owner.UserId, items: ReadonlyArray<SearchIndex.Item>) =>
      Effect.zipRight(
        index.put(user, items),
        Effect.zipRight(
          Effect.sync(() => process.stdout.write("reached\n")),
          Effect.never
        )
      )
  }))
).pipe(Layer.provide(SearchIndex.layer()))

await Effect.runPromise(
  Effect.flatMap(Documents.Documents, ({ ingest }) => ingest(Owner.UserId.make("ada"), { address, content })).pipe(
    Effect.provide(Documents.layer().pipe(Layer.provide(interrupted), Layer.provide(FileStore.layerClient({ path }))))
  )
)
