/** A page to see and steer what tools do. */

export * as Api from "./Api.js"
export * as Inbox from "./Inbox.js"
export * as Recorder from "./Recorder.js"
export * as Studio from "./Studio.js"
