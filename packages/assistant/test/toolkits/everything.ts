/** All tools in one toolset, and the real services behind them but for the network and a language model, which repeats what it is asked. */
import { Toolkit } from "@effect/ai"
import { NodeContext } from "@effect/platform-node"
import {
  Assistant,
  CodeEditor,
  CodeToolkit,
  DocumentSource,
  LogToolkit,
  type Owner,
  PeopleToolkit,
  RecentLogs,
  ReflectionToolkit,
  WebPage,
  WebSearch,
  WebToolkit,
  Wikipedia
} from "@wield/assistant"
import { Layer } from "effect"
import { echo } from "./echo.js"

/** What a model can be offered. */
export const forModels = Toolkit.merge(
  Assistant.toolkit,
  ReflectionToolkit.toolkit,
  WebToolkit.toolkit,
  CodeToolkit.toolkit,
  LogToolkit.toolkit
)

/** That, and what only people may call. */
export const everything = Toolkit.merge(forModels, PeopleToolkit.toolkit)

/** Nobody listens on port 9: no test of all toolkits goes to the network. */
const nowhere = "http://127.0.0.1:9"

export const layerEverything = (folders: {
  /** Which folder documents are read from. */
  readonly documents: (user: Owner.UserId) => string
  /** The folder that may be edited. */
  readonly code: string
}) =>
  Layer.mergeAll(
    Assistant.layerToolkit,
    ReflectionToolkit.layer,
    WebToolkit.layer,
    CodeToolkit.layer,
    LogToolkit.layer,
    PeopleToolkit.layer
  ).pipe(
    Layer.provide(
      Layer.mergeAll(
        WebSearch.layer({ provider: "searxng", url: nowhere }),
        WebPage.layer(),
        Wikipedia.layer({ url: nowhere }),
        CodeEditor.layer({ roots: { app: folders.code } }),
        DocumentSource.layerFiles({ root: folders.documents })
      ).pipe(Layer.provide(NodeContext.layer))
    ),
    Layer.provideMerge(RecentLogs.layer()),
    Layer.provideMerge(Assistant.layer()),
    Layer.provide(echo)
  )
