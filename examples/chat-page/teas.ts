/** What the shop sells, for its tools and for its page. */
export const teas = [
  { id: "sencha", name: "Sencha", taste: "green, grassy, bright", price: 9.5 },
  { id: "lapsang", name: "Lapsang Souchong", taste: "black, smoky", price: 14 },
  { id: "rooibos", name: "Rooibos", taste: "red, sweet, without caffeine", price: 7 },
  { id: "chamomile", name: "Chamomile", taste: "yellow, mild, for the evening", price: 6.5 }
] as const

/** The customer's orders. */
export const orders: { readonly [id: string]: { readonly tea: string; readonly total: number } } = {
  A1: { tea: "Sencha", total: 19 },
  A2: { tea: "Lapsang Souchong", total: 42 }
}
