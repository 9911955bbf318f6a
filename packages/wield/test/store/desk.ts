/** A program that pays and talks over a store, until it is killed, and what of it must be there after. */
import { PGlite } from "@electric-sql/pglite"
import { ScriptedModel } from "@wield/testing"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type LogLine, tool, wield } from "wield"
import { fileStore } from "wield/file"
import { postgresStore } from "wield/postgres"
import { storeOf } from "wield/store"
import { z } from "zod"
import { folderRecords } from "./folder.js"

export type Store = NonNullable<Parameters<typeof wield>[0]["store"]>

/** Stores on the disk, in a folder. */
export const stores: {
  readonly [kind: string]: (folder: string) => Promise<{ store: Store; close?: () => Promise<void> }>
} = {
  "a file": async (folder) => ({ store: fileStore({ path: join(folder, "desk.db") }) }),
  "a folder of files": async (folder) => ({ store: storeOf(await folderRecords(join(folder, "records"))) }),
  PGlite: async (folder) => {
    const client = new PGlite(join(folder, "postgres"))
    return { store: postgresStore(client), close: () => client.close() }
  }
}

export const responseTo = (order: number) => {
  const call = { id: "call_1", type: "function", function: { name: "pay", arguments: `{"order":${order}}` } }
  return { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] } }] }
}

interface Options {
  readonly onPaying?: (order: number) => Promise<void>
  readonly logger?: (line: LogLine) => void
}

/** The desk: its payments are lines of a file, which no store knows of. */
export const openDesk = async (store: Store, paidFile: string, { logger = () => {}, onPaying }: Options = {}) => {
  const pay = tool("pay", {
    parameters: z.object({ order: z.number() }),
    execute: async ({ order }) => {
      appendFileSync(paidFile, `${order}\n`)
      await onPaying?.(order)
      return `payment of ${order}`
    }
  })
  const desk = await wield({ tools: [pay], store, logger })
  const model = () =>
    ScriptedModel.make([
      ScriptedModel.call("pay", { order: -1 }, { id: crypto.randomUUID() }),
      ScriptedModel.text("Done.")
    ])
  return {
    close: desk.close,
    pay: async (order: number) =>
      (await desk.run({ id: `order ${order}` }).answer("openai-chat", responseTo(order))).outcomes[0]!,
    ask: (text?: string) => desk.agent({ model: model() }).ask(text, { conversation: "the desk" }),
    /** What was said, and by whom. */
    read: async () =>
      (await desk.conversations.read("the desk")).entries.map(({ message }) =>
        message._tag === "User" ? JSON.stringify(message.content) : message._tag
      )
  }
}

export const paymentsIn = (paidFile: string): ReadonlyArray<string> =>
  existsSync(paidFile) ? readFileSync(paidFile, "utf8").trim().split("\n") : []
