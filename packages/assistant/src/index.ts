/**
 * Ready-made toolkits: memories, goals, documents, user, web, code, logs.
 *
 * @since 0.1.0
 */
export * as Assistant from "./Assistant.js"
export * as CodeEdit from "./CodeEdit.js"
export * as CodeEditor from "./CodeEditor.js"
export * as CodeError from "./CodeError.js"
export * as CodeToolkit from "./CodeToolkit.js"
export * as Consolidation from "./Consolidation.js"
export * as CurrentContext from "./CurrentContext.js"
export * as Goal from "./Goal.js"
export * as GoalError from "./GoalError.js"
export * as Goals from "./Goals.js"
export * as GoalToolkit from "./GoalToolkit.js"
export * as Memories from "./Memories.js"
export * as Memory from "./Memory.js"
export * as MemoryError from "./MemoryError.js"
export * as MemoryToolkit from "./MemoryToolkit.js"
export * as Owner from "./Owner.js"
export * as Recall from "./Recall.js"
export * as ReflectionToolkit from "./ReflectionToolkit.js"
export * as SearchIndex from "./SearchIndex.js"
export * as StoreError from "./StoreError.js"
export * as Transcript from "./Transcript.js"
export * as UserProfile from "./UserProfile.js"
export * as UserToolkit from "./UserToolkit.js"
