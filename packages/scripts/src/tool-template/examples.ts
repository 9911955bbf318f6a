/** The file that each template shows: what it says of itself is what the checker reads, and it runs. */
import type { Kind } from "../ToolFileTemplate.js"

const functionFile = `ENABLED = True

AVAILABLE_FUNCTIONS = ["split_bill"]

TOOLS = [
    {
        "type": "function",
        "network": False,
        "is_local": True,
        "function": {
            "name": "split_bill",
            "description": "Says what each person pays of a bill, tip included. Use it whenever a sum is to be shared; do not work it out yourself.",
            "parameters": {
                "type": "object",
                "properties": {
                    "total": {"type": "number", "description": "What the bill comes to, without the tip"},
                    "people": {"type": "integer", "description": "How many share it"},
                    "tip_percent": {"type": "number", "description": "The tip, in percent of the total", "default": 10},
                },
                "required": ["total", "people"],
            },
        },
    }
]


def execute(function_name, arguments, config):
    if function_name == "split_bill":
        if arguments["people"] < 1:
            return "I need at least one person to split the bill.", False
        tip = arguments.get("tip_percent", 10)
        share = arguments["total"] * (1 + tip / 100) / arguments["people"]
        return f"Each pays {share:.2f}", True

    return f"Unknown function: {function_name}", False
`

const python = `def run(total: float, people: int, tip_percent: float = 10) -> str:
    """Says what each person pays of a bill, tip included. Use it whenever a sum is to be shared.

    Args:
        total: What the bill comes to, without the tip
        people: How many share it
        tip_percent: The tip, in percent of the total
    """
    if people < 1:
        raise ValueError("at least one person has to pay")
    share = total * (1 + tip_percent / 100) / people
    return f"Each pays {share:.2f}"
`

const bash = `#!/usr/bin/env bash
set -e

# @describe Says what each person pays of a bill, tip included. Use it whenever a sum is to be shared.
# @option --total! <NUM>           What the bill comes to, without the tip
# @option --people! <INT>          How many share it
# @option --tip-percent=10 <NUM>   The tip, in percent of the total

main() {
  if ((argc_people < 1)); then
    echo "at least one person has to pay" >&2
    exit 1
  fi
  awk -v total="$argc_total" -v people="$argc_people" -v tip="$argc_tip_percent" \\
    'BEGIN { printf "Each pays %.2f\\n", total * (1 + tip / 100) / people }' >>"$LLM_OUTPUT"
}

eval "$(argc --argc-eval "$0" "$@")"
`

const typescript = `/**
 * Says what each person pays of a bill, tip included. Use it whenever a sum is to be shared.
 * @param total What the bill comes to, without the tip
 * @param people How many share it
 * @param tip_percent The tip, in percent of the total
 */
export function run(total: number, people: number, tip_percent: number = 10): string {
  if (people < 1) throw new Error("at least one person has to pay")
  const share = (total * (1 + tip_percent / 100)) / people
  return \`Each pays \${share.toFixed(2)}\`
}
`

const javascript = `/**
 * Says what each person pays of a bill, tip included. Use it whenever a sum is to be shared.
 * @param {number} total What the bill comes to, without the tip
 * @param {integer} people How many share it
 * @param {number} [tip_percent] The tip, in percent of the total
 */
export function run(total, people, tip_percent = 10) {
  if (people < 1) throw new Error("at least one person has to pay")
  const share = (total * (1 + tip_percent / 100)) / people
  return \`Each pays \${share.toFixed(2)}\`
}
`

export const examples: { readonly [kind in Kind]: string } = {
  "function-file": functionFile,
  python,
  bash,
  typescript,
  javascript
}
