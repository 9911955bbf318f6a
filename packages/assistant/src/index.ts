/**
 * Ready-made toolkits: memories, goals, documents, user, web, code, logs.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as Assistant from "./Assistant.js"
/** @since 0.1.0 */
export * as CodeEdit from "./CodeEdit.js"
/** @since 0.1.0 */
export * as CodeEditor from "./CodeEditor.js"
/** @since 0.1.0 */
export * as CodeError from "./CodeError.js"
/** @since 0.1.0 */
export * as CodeToolkit from "./CodeToolkit.js"
/** @since 0.1.0 */
export * as Consolidation from "./Consolidation.js"
/** @since 0.1.0 */
export * as CurrentContext from "./CurrentContext.js"
/** @since 0.1.0 */
export * as Document from "./Document.js"
/** @since 0.1.0 */
export * as DocumentError from "./DocumentError.js"
/** @since 0.1.0 */
export * as Documents from "./Documents.js"
/** @since 0.1.0 */
export * as DocumentSource from "./DocumentSource.js"
/** @since 0.1.0 */
export * as DocumentToolkit from "./DocumentToolkit.js"
/** @since 0.1.0 */
export * as Goal from "./Goal.js"
/** @since 0.1.0 */
export * as GoalError from "./GoalError.js"
/** @since 0.1.0 */
export * as Goals from "./Goals.js"
/** @since 0.1.0 */
export * as GoalToolkit from "./GoalToolkit.js"
/** @since 0.1.0 */
export * as LogToolkit from "./LogToolkit.js"
/** @since 0.1.0 */
export * as Memories from "./Memories.js"
/** @since 0.1.0 */
export * as Memory from "./Memory.js"
/** @since 0.1.0 */
export * as MemoryError from "./MemoryError.js"
/** @since 0.1.0 */
export * as MemoryToolkit from "./MemoryToolkit.js"
/** @since 0.1.0 */
export * as Owner from "./Owner.js"
/** @since 0.1.0 */
export * as PeopleToolkit from "./PeopleToolkit.js"
/** @since 0.1.0 */
export * as Recall from "./Recall.js"
/** @since 0.1.0 */
export * as RecentLogs from "./RecentLogs.js"
/** @since 0.1.0 */
export * as ReflectionToolkit from "./ReflectionToolkit.js"
/** @since 0.1.0 */
export * as SearchIndex from "./SearchIndex.js"
/** @since 0.1.0 */
export * as StoreError from "./StoreError.js"
/** @since 0.1.0 */
export * as Transcript from "./Transcript.js"
/** @since 0.1.0 */
export * as UserExport from "./UserExport.js"
/** @since 0.1.0 */
export * as UserProfile from "./UserProfile.js"
/** @since 0.1.0 */
export * as UserToolkit from "./UserToolkit.js"
/** @since 0.1.0 */
export * as WebError from "./WebError.js"
/** @since 0.1.0 */
export * as WebPage from "./WebPage.js"
/** @since 0.1.0 */
export * as WebSearch from "./WebSearch.js"
/** @since 0.1.0 */
export * as WebToolkit from "./WebToolkit.js"
/** @since 0.1.0 */
export * as Wikipedia from "./Wikipedia.js"
