/** The desk's tools as `wield` declares them, for the forms 2 and 3. */
import { image, tool, wield } from "wield"
import { z } from "zod"
import { descriptions, inputs, type Travel } from "./travel.js"

// No model sees or sets who travels.
const traveller = z.string()

export const openTools = (travel: Travel) =>
  wield({
    tools: [
      tool("search", {
        description: descriptions.search,
        parameters: inputs.search,
        facts: { isReadOnly: true },
        execute: travel.search
      }),
      tool("hold", {
        description: descriptions.hold,
        parameters: inputs.hold.extend({ traveller }),
        hidden: ["traveller"],
        execute: ({ flight, traveller }) => travel.hold(flight, traveller)
      }),
      tool("book", {
        description: descriptions.book,
        parameters: inputs.book.extend({ traveller }),
        hidden: ["traveller"],
        execute: travel.book
      }),
      tool("weather", {
        description: descriptions.weather,
        parameters: inputs.weather,
        facts: { isReadOnly: true },
        execute: travel.weather
      }),
      tool("receipt", {
        description: descriptions.receipt,
        parameters: inputs.receipt,
        facts: { isReadOnly: true },
        execute: async () => image("image/png", await travel.receipt())
      }),
      // The page runs it.
      tool("show_map", { description: descriptions.showMap, parameters: inputs.showMap })
    ],
    approval: { book: ({ flight, price }) => ({ ask: `${flight} costs ${price}` }) },
    // The log has the errors that no model reads.
    logger: () => {}
    // store: fileStore({ path: "travel.db" }) of wield/file keeps calls and conversations beyond the process.
  })
