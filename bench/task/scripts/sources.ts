/**
 * The same small tool in each language, as a script of Wield, and as a program
 * that is started for one call: arguments as JSON on standard input, the result
 * as JSON on standard output. Only Bash takes its arguments in another way, for
 * it has no JSON: on the command line.
 */
export interface Source {
  readonly language: "python" | "bash" | "javascript" | "typescript"
  readonly file: string
  readonly script: string
  /** The program, and how it is started. */
  readonly plain: { readonly file: string; readonly text: string }
}

const typed = `/**
 * Adds a total to positions.
 * @param customer - Who orders
 * @param prices - What each position costs
 */
export function run(customer: string, prices: number[]) {
  return { customer, total: prices.reduce((sum, price) => sum + price, 0) }
}
`

export const parameters = { customer: "Ada", prices: [3, 4, 5] }

export const expected = JSON.stringify({ customer: "Ada", total: 12 })

const nodeProgram = `
import { readFileSync } from "node:fs"
const { customer, prices } = JSON.parse(readFileSync(0, "utf8"))
console.log(JSON.stringify({ customer, total: prices.reduce((sum, price) => sum + price, 0) }))
`

export const sources: ReadonlyArray<Source> = [
  {
    language: "python",
    file: "total.py",
    script: `def run(customer: str, prices: list[float]) -> dict:
    """Adds a total to positions.

    Args:
        customer: Who orders
        prices: What each position costs
    """
    return {"customer": customer, "total": int(sum(prices))}
`,
    plain: {
      file: "plain.py",
      text: `import json, sys
call = json.load(sys.stdin)
print(json.dumps({"customer": call["customer"], "total": int(sum(call["prices"]))}))
`
    }
  },
  {
    language: "bash",
    file: "total.sh",
    script: `#!/usr/bin/env bash
# @describe Adds a total to positions.
# @option --customer! Who orders
# @option --prices+ <NUM> What each position costs
main() {
  local total=0 price
  for price in "\${argc_prices[@]}"; do total=$((total + price)); done
  printf '{"customer":"%s","total":%d}' "$argc_customer" "$total" >> "$LLM_OUTPUT"
}
`,
    plain: {
      file: "plain.sh",
      text: `customer=$1; shift
total=0
for price in "$@"; do total=$((total + price)); done
printf '{"customer":"%s","total":%d}\\n' "$customer" "$total"
`
    }
  },
  {
    language: "javascript",
    file: "total.mjs",
    script: typed
      .replace("customer: string, prices: number[]", "customer, prices")
      .replace("@param customer -", "@param {string} customer")
      .replace("@param prices -", "@param {number[]} prices"),
    plain: { file: "plain.mjs", text: nodeProgram }
  },
  {
    language: "typescript",
    file: "total.ts",
    script: typed,
    plain: {
      file: "plain.ts",
      text: nodeProgram.replace(
        "{ customer, prices } =",
        "{ customer, prices }: { customer: string; prices: number[] } ="
      )
    }
  }
]
