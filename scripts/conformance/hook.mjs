/** The suite is written for Node 22. It imports `globSync`, which Node 20 lacks, and needs it for no server. */
import * as fs from "node:fs"
import { register } from "node:module"

if (!("globSync" in fs)) {
  const shim = 'data:text/javascript,export*from"node:fs";export const globSync=()=>[];'
  register(
    `data:text/javascript,${encodeURIComponent(
      `export const resolve = (name, context, next) =>
        name === "fs" && context.parentURL?.includes("/conformance/")
          ? { url: ${JSON.stringify(shim)}, shortCircuit: true }
          : next(name, context)`
    )}`
  )
}
