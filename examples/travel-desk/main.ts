/**
 * A travel desk in three forms: the AI SDK alone, Wield's tools in its loop, Wield's agent. Each hears the same story.
 * Of what goes wrong in each, the README has a table.
 */
import * as assert from "node:assert"
import * as aiSdk from "./aiSdk.js"
import type { Desk } from "./desk.js"
import { modelOf } from "./model.js"
import { openTravel, type Travel } from "./travel.js"
import * as wieldAgent from "./wieldAgent.js"
import * as wieldTools from "./wieldTools.js"

const script = () =>
  modelOf([
    ["search", { from: "Berlin", to: "Lisbon" }],
    ["weather", { city: "Lisbon" }],
    ["hold", { flight: "W1" }],
    "W1 leaves for Lisbon, where it is 21°. I have held a seat.",
    ["book", { flight: "W1", price: 90 }],
    ["receipt", { booking: "b1" }],
    ["show_map", { city: "Lisbon" }],
    "You fly! Here is your receipt, and the map shows where you go."
  ])

const visit = async (name: string, desk: Desk) => {
  const found = await desk.say("I need a flight from Berlin to Lisbon")
  const asked = await desk.say("Book it", found.session)
  const [booking] = asked.waiting
  const booked = await desk.reply(asked.session, { [booking!.id]: { approved: true } })
  const [map] = booked.waiting
  const shown = await desk.reply(booked.session, { [map!.id]: { result: "shown" } })
  console.log(
    `${name}\n  ${found.text}\n  ${booking!.tool} ${JSON.stringify(booking!.input)}: approved\n  ${shown.text}`
  )
}

type Open = (travel: Travel, model: ReturnType<typeof modelOf>, traveller: string) => Desk | Promise<Desk>

const forms: { readonly [name: string]: Open } = {
  "The AI SDK alone": aiSdk.openDesk,
  "Wield's tools in its loop": wieldTools.openDesk,
  "Wield's agent": wieldAgent.openDesk
}
for (const [name, openDesk] of Object.entries(forms)) {
  const travel = openTravel()
  await visit(name, await openDesk(travel, script(), "Ada"))
  assert.deepStrictEqual(travel.bookings, [{ flight: "W1", price: 90, traveller: "Ada" }])
}
