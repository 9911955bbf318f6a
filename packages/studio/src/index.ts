/** A page to see and steer what tools do. */

export * as Api from "./Api.js"
