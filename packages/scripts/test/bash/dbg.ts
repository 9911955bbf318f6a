import { Effect } from "effect"
import { serve } from "./driver.js"
const line = 'eval "$(argc --argc-eval "$0" "$@")"'
for (const main of ["main() { echo called; }", ""]) {
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { call } = yield* serve({
          scripts: {
            "tool.sh": [
              "# @describe A.",
              "# @option --unit[`_units`]",
              "_units() { echo metric; }",
              main,
              `( ${line} ) | cat`,
              ""
            ].join("\n")
          }
        })
        console.log(yield* call({ unit: "furlong" }))
      })
    )
  )
}
