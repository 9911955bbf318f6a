/** All toolkits of `@wield/assistant`, and what they need. */
import { Toolkit } from "@effect/ai"
import { NodeContext } from "@effect/platform-node"
import {
  Assistant,
  CodeEditor,
  CodeToolkit,
  Consolidation,
  DocumentSource,
  LogToolkit,
  PeopleToolkit,
  RecentLogs,
  ReflectionToolkit,
  Transcript,
  WebPage,
  type WebSearch,
  WebToolkit,
  Wikipedia
} from "@wield/assistant"
import { type Duration, Layer } from "effect"

/** What the model is offered. `PeopleToolkit` is not among it: its tools are commands of the user. */
export const tools = Toolkit.merge(
  Assistant.toolkit,
  ReflectionToolkit.toolkit,
  WebToolkit.toolkit,
  CodeToolkit.toolkit,
  LogToolkit.toolkit
)

export interface Settings<E> {
  /** The folder whose documents can be ingested, and whose files can be edited. */
  readonly folder: string
  readonly search: Layer.Layer<WebSearch.WebSearch, E>
  readonly consolidation: { readonly every?: number; readonly interval?: Duration.DurationInput }
}

/** Over a database, a store of conversations and a language model. */
export const toolsIn = <E>({ consolidation, folder, search }: Settings<E>) =>
  Layer.mergeAll(
    Assistant.layerToolkit,
    ReflectionToolkit.layer,
    WebToolkit.layer,
    CodeToolkit.layer,
    LogToolkit.layer,
    PeopleToolkit.layer
  ).pipe(
    Layer.provide([search, WebPage.layer(), Wikipedia.layer()]),
    Layer.provide(DocumentSource.layerFiles({ root: folder }).pipe(Layer.provide(NodeContext.layer))),
    Layer.provideMerge(CodeEditor.layer({ roots: { project: folder } })),
    Layer.provide(Transcript.layerConversations),
    Layer.provideMerge(Consolidation.layer(consolidation)),
    Layer.provideMerge(Assistant.layer()),
    Layer.provideMerge(RecentLogs.layer())
  )
