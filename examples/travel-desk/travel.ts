/** What the desk can do, without a word of any SDK: the same in all three forms. */
import { z } from "zod"

export const inputs = {
  search: z.object({ from: z.string(), to: z.string() }),
  hold: z.object({ flight: z.string() }),
  book: z.object({ flight: z.string(), price: z.number().positive() }),
  weather: z.object({ city: z.string() }),
  receipt: z.object({ booking: z.string() }),
  showMap: z.object({ city: z.string() })
}

export const descriptions = {
  search: "The flights between two cities",
  hold: "Keeps a seat for an hour",
  book: "Books a flight, and charges its price",
  weather: "The weather in a city",
  receipt: "Draws the receipt of a booking",
  showMap: "Shows a city on the map beside the chat"
}

export interface Booking {
  readonly flight: string
  readonly price: number
  readonly traveller: string
}

export type Travel = ReturnType<typeof openTravel>

export const openTravel = () => {
  const bookings: Array<Booking> = []
  return {
    bookings,
    search: async ({ from, to }: { readonly from: string; readonly to: string }) => {
      // A careless query: of anywhere there are more flights than a model can read.
      const count = to === "anywhere" ? 100_000 : 2
      return Array.from({ length: count }, (_, index) => ({ flight: `W${index + 1}`, from, to, price: 90 + index }))
    },
    hold: async (flight: string, traveller: string) => `${flight} is held for ${traveller}`,
    book: async (booking: Booking) => `booking b${bookings.push(booking)}`,
    weather: async ({ city }: { readonly city: string }) => {
      if (city === "Atlantis") throw new Error("connect ECONNREFUSED weather.internal, key=hunter2")
      return `${city}: 21°, a light wind`
    },
    /** A PNG in Base64, the same of each booking. */
    receipt: async () =>
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  }
}
