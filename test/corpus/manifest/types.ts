/** Whether the modules that are generated of manifests type-check, as strictly as this repository. */
import { type Manifest, TypeScript } from "@wield/manifest"
import { Effect, Either } from "effect"
import { messagesOf } from "../../compiler/messages.js"
import { everyNth } from "../Report.js"
import { type Checked, tally } from "./Checked.js"

export const checkTypes = async (
  manifests: ReadonlyMap<string, Manifest.Manifest>,
  every?: number
): Promise<Checked> => {
  const { check, failures, passed } = tally()
  const started = performance.now()
  const codes = new Map<string, string>()
  let [tools, losses] = [0, 0]
  for (const [file, whole] of manifests) {
    const manifest = { ...whole, entries: everyNth(whole.entries, every) }
    if (manifest.entries.length === 0) continue
    const generated = await Effect.runPromise(Effect.either(TypeScript.generate(manifest)))
    if (Either.isLeft(generated)) {
      check(false, () => `${file}: no module is generated: ${generated.left.message}`)
      continue
    }
    tools += manifest.entries.length
    losses += generated.right.losses.length
    // It asks not to be checked, for the sake of who uses it.
    codes.set(file, generated.right.code.replace("// @ts-nocheck\n", ""))
  }
  const messages = await messagesOf([...codes.values()])
  for (const [index, file] of [...codes.keys()].entries()) {
    const said = messages[index]?.join("\n")
    check(said === "", () => `${file}: its module does not type-check: ${said ?? "it was not looked at"}`)
  }
  const milliseconds = Math.round(performance.now() - started)
  return {
    rows: [[`TypeScript of ${codes.size} files`, tools, "-", losses, milliseconds, failures.length]],
    notes: [],
    passed: passed(),
    failures
  }
}
