/** Whether exchanges are replayed or recorded. */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

export type Mode = "replay" | "record" | "auto"

const isMode = (text: string): text is Mode => text === "replay" || text === "record" || text === "auto"

/**
 * The environment's word goes before the test's, since it is said for one run;
 * a continuous integration never records.
 */
export const modeOf = (stated: Mode | undefined): Effect.Effect<Mode, ConfigError.ConfigError> =>
  Effect.gen(function* () {
    const variable = yield* Config.option(Config.nonEmptyString("WIELD_RECORD"))
    const asked = yield* Option.match(variable, {
      onNone: () => Either.right(stated ?? "replay"),
      onSome: (text) =>
        isMode(text)
          ? Either.right(text)
          : Either.left(
              ConfigError.InvalidData(
                ["WIELD_RECORD"],
                `expected replay, record or auto, received ${JSON.stringify(text)}`
              )
            )
    })
    const ci = yield* Config.withDefault(Config.string("CI"), "")
    return ["", "0", "false"].includes(ci.toLowerCase()) ? asked : "replay"
  })
