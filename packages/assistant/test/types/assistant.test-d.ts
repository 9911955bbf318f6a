import type { LanguageModel, Tool, Toolkit } from "@effect/ai"
import type { SqlClient } from "@effect/sql/SqlClient"
import {
  Assistant,
  type CodeEditor,
  type CodeToolkit,
  type CurrentContext,
  type Documents,
  type DocumentSource,
  type DocumentToolkit,
  type Goals,
  GoalToolkit,
  type LogToolkit,
  type Memories,
  type MemoryToolkit,
  type Owner,
  type PeopleToolkit,
  type RecentLogs,
  type ReflectionToolkit,
  type SearchIndex,
  type StoreError,
  type UserProfile,
  type UserToolkit,
  type WebPage,
  type WebSearch,
  type WebToolkit,
  type Wikipedia
} from "@wield/assistant"
import { type Hidden, type ToolRunner, Toolset } from "@wield/core"
import { Effect, type Layer } from "effect"
import { describe, expectTypeOf, it } from "vitest"

type AssistantTools = Toolkit.Tools<typeof Assistant.toolkit>
type Required<L> = L extends Layer.Layer<infer _A, infer _E, infer R> ? R : never
type FailureOf<T extends Tool.Any> = Tool.Failure<T>

describe("the handlers of a toolkit", () => {
  it("show the services that an application can replace", () => {
    expectTypeOf<Required<typeof GoalToolkit.layer>>().toEqualTypeOf<Goals.Goals | CurrentContext.CurrentContext>()
    expectTypeOf<Required<typeof MemoryToolkit.layer>>().toEqualTypeOf<
      Memories.Memories | CurrentContext.CurrentContext
    >()
    expectTypeOf<Required<typeof MemoryToolkit.noteLayer>>().toEqualTypeOf<Memories.Memories>()
    expectTypeOf<Required<typeof DocumentToolkit.layer>>().toEqualTypeOf<Documents.Documents>()
    expectTypeOf<Required<typeof UserToolkit.layer>>().toEqualTypeOf<UserProfile.UserProfile>()
    expectTypeOf<Required<typeof WebToolkit.layer>>().toEqualTypeOf<
      WebSearch.WebSearch | WebPage.WebPage | Wikipedia.Wikipedia
    >()
    expectTypeOf<Required<typeof CodeToolkit.layer>>().toEqualTypeOf<CodeEditor.CodeEditor>()
    expectTypeOf<Required<typeof LogToolkit.layer>>().toEqualTypeOf<RecentLogs.RecentLogs>()
    expectTypeOf<Required<typeof PeopleToolkit.layer>>().toEqualTypeOf<
      Documents.Documents | DocumentSource.DocumentSource
    >()
  })
  it("of reflection want a language model, or say that there is none", () => {
    expectTypeOf<LanguageModel.LanguageModel>().toExtend<Required<typeof ReflectionToolkit.layer>>()
    expectTypeOf<
      Extract<Required<typeof ReflectionToolkit.layerWithoutModel>, LanguageModel.LanguageModel>
    >().toEqualTypeOf<never>()
  })
  it("of all of the assistant's own need its services, and these a database alone", () => {
    const services = Assistant.layer()
    expectTypeOf<Required<typeof services>>().toEqualTypeOf<SqlClient>()
    expectTypeOf<Layer.Layer.Error<typeof services>>().toEqualTypeOf<StoreError.StoreError>()
    expectTypeOf<Assistant.Services>().toExtend<Layer.Layer.Success<typeof services>>()
    expectTypeOf<
      Exclude<Required<typeof Assistant.layerToolkit>, Layer.Layer.Success<typeof services>>
    >().toEqualTypeOf<never>()
    expectTypeOf<SearchIndex.SearchIndex>().toExtend<Layer.Layer.Success<typeof services>>()
  })
  it("do not run without the services", () => {
    const toolset = Toolset.fromToolkit(GoalToolkit.toolkit).pipe(Effect.provide(GoalToolkit.layer))
    expectTypeOf<Effect.Effect.Context<typeof toolset>>().toEqualTypeOf<Goals.Goals | CurrentContext.CurrentContext>()
    // @ts-expect-error goals and the current context are not provided
    void Effect.runPromise(toolset)
  })
})

declare const runner: ToolRunner.Runner<AssistantTools>
declare const userId: Owner.UserId
declare const conversationId: Owner.ConversationId

describe("who the user is", () => {
  it("is no parameter that a model sees, and is asked for in the context of a run", () => {
    expectTypeOf<Hidden.Names<typeof GoalToolkit.toolkit.tools.create_goal>>().toEqualTypeOf<
      "user_id" | "conversation_id"
    >()
    expectTypeOf<
      Extract<
        keyof Hidden.VisibleParameters<typeof GoalToolkit.toolkit.tools.create_goal>,
        "user_id" | "conversation_id"
      >
    >().toEqualTypeOf<never>()
    runner.forRun({ context: { user_id: userId, conversation_id: conversationId } })
    // @ts-expect-error the conversation is missing
    runner.forRun({ context: { user_id: userId } })
    // @ts-expect-error a user has a text for an id
    runner.forRun({ context: { user_id: 7, conversation_id: conversationId } })
    // @ts-expect-error without a context there is no user
    runner.forRun({})
  })
  it("is a hidden field of every tool over what a user owns", () => {
    type WithoutUser = {
      [Name in keyof AssistantTools]: "user_id" extends Hidden.Names<AssistantTools[Name]> ? never : Name
    }[keyof AssistantTools]
    expectTypeOf<WithoutUser>().toEqualTypeOf<never>()
  })
  it("cannot be said by a program that calls a tool by its name", () => {
    // @ts-expect-error the user comes from the context
    runner.call("print_goal", { goal_name: "Rest", user_id: userId })
  })
})

describe("the failures of a tool", () => {
  it("are its schema's, each with its tag", () => {
    expectTypeOf<FailureOf<typeof GoalToolkit.toolkit.tools.create_goal>["_tag"]>().toEqualTypeOf<
      "GoalNameTaken" | "InvalidGoal"
    >()
    expectTypeOf<FailureOf<typeof GoalToolkit.toolkit.tools.print_goal>["_tag"]>().toEqualTypeOf<"GoalNotFound">()
  })
})

describe("tools that only people call", () => {
  it("are in no toolkit that a model is offered", () => {
    type Offered =
      | keyof AssistantTools
      | keyof Toolkit.Tools<typeof WebToolkit.toolkit>
      | keyof Toolkit.Tools<typeof CodeToolkit.toolkit>
      | keyof Toolkit.Tools<typeof LogToolkit.toolkit>
      | keyof Toolkit.Tools<typeof ReflectionToolkit.toolkit>
    expectTypeOf<Extract<keyof Toolkit.Tools<typeof PeopleToolkit.toolkit>, Offered>>().toEqualTypeOf<never>()
  })
})
