/** A receipt as an SVG image, in base64. */
import { orders } from "./teas.js"

export const drawReceipt = (order: string): string => {
  const { tea = "", total = 0 } = orders[order] ?? {}
  const line = (y: number, left: string, right: string) =>
    `<text x="20" y="${y}">${left}</text><text x="240" y="${y}" text-anchor="end">${right}</text>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="260" height="140" font-family="monospace" font-size="13" fill="#222">
  <path d="M0 0H260V130l-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8-13 8-13-8Z" fill="#fff"/>
  <text x="130" y="28" text-anchor="middle" font-size="17">The Tea Shop</text>
  ${line(54, `Order ${order}`, "")}${line(76, tea, total.toFixed(2))}
  <path d="M20 88H240" stroke="#222" stroke-dasharray="4 3"/>
  ${line(110, "Total", `${total.toFixed(2)} €`)}
</svg>`
  return Buffer.from(svg).toString("base64")
}
