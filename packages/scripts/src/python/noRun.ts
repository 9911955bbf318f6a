import { NearestNames } from "@wield/core"
import { type Module, nameOfDefinition } from "./module.js"
import { type Reading, report } from "./reading.js"

/** Says what the file has instead of `def run`, and what to do. */
export const reportNoRun = (module: Module, reading: Reading): void => {
  const other = module.bindings.get("run")
  const names = [...new Set(module.functions.map(({ node }) => nameOfDefinition(node)))]
  const nearest = NearestNames.nearest("run", names)
  const there =
    names.length === 0
      ? "it has no function at its top level"
      : `it has ${names
          .slice(0, 5)
          .map((name) => `\`${name}\``)
          .join(", ")}${names.length > 5 ? " and others" : ""}`
  const what =
    other === undefined
      ? `The file has no function \`run\`; ${there}. ${nearest === undefined ? "Write" : `Rename \`${nearest}\`, or write`} \`def run(...)\``
      : `\`run\` is ${otherKind(other.kind)} here; write it as a function, \`def run(...)\``
  report(reading, {
    severity: "error",
    rule: "no-run",
    message: what,
    at: other === undefined || other.kind === "import" ? undefined : other.node,
    subject: "run"
  })
}

const otherKind = (kind: "import" | "class" | "function" | "value" | "alias"): string => {
  switch (kind) {
    case "import":
      return "imported from another module, whose source is not read"
    case "class":
      return "a class"
    case "function":
      return "a function that importing the file does not define"
    case "value":
      return "a value"
    case "alias":
      return "a type"
  }
}
