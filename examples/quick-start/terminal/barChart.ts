/** The client's part of `show_chart`: bars in a terminal. */
import type { Tool } from "@effect/ai"
import type { Shop } from "../shop/toolkit.js"
import { colours } from "./style.js"

const longestBar = 40

export const barChart = ({ bars, title }: Tool.Parameters<typeof Shop.tools.show_chart>): string => {
  const greatest = Math.max(1, ...bars.map(({ value }) => value))
  const labelWidth = Math.max(0, ...bars.map(({ label }) => label.length))
  const lines = bars.map(({ label, value }) => {
    const bar = "█".repeat(Math.max(0, Math.round((value / greatest) * longestBar)))
    return `  ${label.padEnd(labelWidth)}  ${colours.cyan(bar)} ${value}`
  })
  return [`  ${colours.bold(title)}`, ...lines].join("\n")
}
