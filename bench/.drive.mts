import * as M from "/work/clones/a/packages/manifest/src/index.js"
import { Manifest, OpenApi } from "/work/clones/a/packages/manifest/src/index.js"
import {
  ConfigProvider,
  Effect,
  Cause,
  Exit,
  Logger,
  LogLevel
} from "/work/clones/a/packages/core/node_modules/effect/dist/esm/index.js"
import * as P from "/work/clones/a/packages/providers/src/index.js"
import { ToolRunner, Toolset } from "/work/clones/a/packages/core/src/index.js"
import { HttpGuard } from "/work/clones/a/packages/http/src/index.js"
import { readFileSync, appendFileSync } from "node:fs"
const [, , listFile, out, from, step] = process.argv as any
const files = readFileSync(listFile, "utf8")
  .trim()
  .split("\n")
  .filter((_, i) => i % Number(step) === Number(from))
const formats = Object.entries(P).filter(([, m]: any) => m && typeof m === "object" && m.format) as any
for (const file of files) {
  const text = readFileSync(file, "utf8")
  const t0 = performance.now()
  let line: any = { file: file.split("/package/")[1], kb: Math.round(text.length / 1024) }
  const exit: any = await Effect.runPromiseExit(
    (OpenApi as any)
      .entries(text, { documentUrl: "https://doc.example/spec.json" })
      .pipe(Effect.provide(HttpGuard.layer())) as any
  )
  line.ms = Math.round(performance.now() - t0)
  if (Exit.isFailure(exit)) {
    line.fail = Cause.pretty(exit.cause).split("\n").slice(0, 2).join(" | ").slice(0, 300)
  } else {
    const { entries, problems } = exit.value as any
    line.tools = entries.length
    const by: any = {}
    for (const p of problems) {
      const k = `${p.severity}:${p.rule}`
      by[k] ??= { n: 0, m: p.message.slice(0, 220) }
      by[k].n++
    }
    line.problems = by
    // toolset
    const t1 = performance.now()
    const made: any = await Effect.runPromiseExit(
      Effect.scoped(
        Effect.gen(function* () {
          const manifest = yield* (Manifest as any).fromOpenApi(text, { documentUrl: "https://doc.example/spec.json" })
          const environment: any = {}
          let tools: any = []
          for (let round = 0; ; round++) {
            const bound: any = yield* Effect.either(
              (Manifest as any)
                .toTools(manifest, { factories: [(M as any).RestExecutor.factory] })
                .pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))) as any)
            )
            if (bound._tag === "Right") {
              tools = bound.right
              break
            }
            const names = [...String(bound.left.message).matchAll(/environment variable (\S+) is not set/g)].map(
              ([, n]) => n
            )
            if (names.length === 0 || round > 3) {
              return yield* bound
            }
            for (const n of names) environment[n!] = "x"
          }
          let whole: any = yield* Effect.either((Toolset as any).dynamic(tools))
          const withheld: any[] = []
          if (whole._tag === "Left") {
            const good: any[] = []
            for (const t of tools) {
              const one: any = yield* Effect.either((Toolset as any).dynamic([t]))
              if (one._tag === "Left") withheld.push(String(one.left).slice(0, 300))
              else good.push(t)
            }
            whole = yield* Effect.either((Toolset as any).dynamic(good))
          }
          line.withheld = withheld
          const runner = yield* ToolRunner.make(whole.right, {})
          const definitions = yield* runner.definitions
          const bad: any[] = []
          for (const [name, m] of formats)
            for (const isStrict of [false, true]) {
              try {
                JSON.stringify(m.format.encodeTools(definitions, { isStrict }))
              } catch (e) {
                bad.push(`${name} ${isStrict} ${e}`.slice(0, 200))
              }
            }
          return { n: definitions.length, bad }
        })
      ).pipe(Effect.provide(HttpGuard.layer()), Logger.withMinimumLogLevel(LogLevel.None)) as any
    )
    line.ms2 = Math.round(performance.now() - t1)
    if (Exit.isFailure(made))
      line.fail2 = Cause.pretty((made as any).cause)
        .split("\n")
        .slice(0, 3)
        .join(" | ")
        .slice(0, 400)
    else {
      line.n = (made.value as any).n
      if ((made.value as any).bad.length) line.bad = (made.value as any).bad
    }
  }
  appendFileSync(out, JSON.stringify(line) + "\n")
}
process.exit(0)
