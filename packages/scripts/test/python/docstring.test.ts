import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { read, schemasOf } from "./read.js"

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n")

const run = (parameters: string, docstring: string): string =>
  `def run(${parameters}):\n${indented(`"""${docstring}\n"""`)}\n`

const described = (text: string) =>
  Effect.map(read(text), ({ functions: [found], problems }) => ({
    description: found?.description,
    parameters: Object.fromEntries(found?.parameters.map(({ name, schema }) => [name, schema["description"]]) ?? []),
    problems: problems.map(({ rule }) => rule)
  }))

const styles: ReadonlyArray<readonly [style: string, docstring: string]> = [
  [
    "Google",
    `Finds flights.

Only direct ones.

Args:
    origin (str): Where it begins,
        as an IATA code.
    day: The day

        - today
        - tomorrow

Returns:
    str: A list.

Raises:
    ValueError: When it is late.`
  ],
  [
    "NumPy",
    `Finds flights.

Only direct ones.

Parameters
----------
origin : str
    Where it begins,
    as an IATA code.
day : str, optional
    The day

    - today
    - tomorrow

Returns
-------
str
    A list.`
  ],
  [
    "reST",
    `Finds flights.

Only direct ones.

:param str origin: Where it begins,
    as an IATA code.
:param day: The day

    - today
    - tomorrow
:type day: str
:returns: A list.
:rtype: str
:raises ValueError: When it is late.`
  ]
]

describe("docstrings", () => {
  it.effect.each(styles)("of %s's style give the description and those of the parameters", ([, docstring]) =>
    Effect.map(described(run('origin: str, day: str = "today"', docstring)), (result) =>
      expect(result).toEqual({
        description: "Finds flights.\n\nOnly direct ones.",
        parameters: { origin: "Where it begins, as an IATA code.", day: "The day\n\n- today\n- tomorrow" },
        problems: []
      })
    )
  )

  it.effect.each([
    ["in a list", "Args:\n- a: One,\n  and more\n- b (str, optional): Two\n\nThe end."],
    ["in a list that is indented", "Args:\n    * a: One,\n      and more\n    * b: Two\n\nThe end."],
    ["with names as code or in bold", "Args:\n    `a`: One,\n        and more\n    **b:** Two\n\nThe end."],
    ["as PEP 257 has them", "Keyword arguments:\na -- One,\n  and more\nb -- Two\n\nThe end."],
    [
      "below a heading",
      "## Parameters\n\na: One,\n  and more\n`b` (str): Two\n\n## Returns\nA text.\n\n# Raises:\nNot.\n\n### Args\n\nThe end."
    ],
    ["in a list below a heading", "### Arguments\n\n- a: One,\n  and more\n- **b**: Two\n\nThe end."],
    [
      "below a title in bold",
      "**Args:**\n    a: One,\n        and more\n    b: Two\n\n**Returns:**\n    A text.\n\nThe end."
    ],
    [
      "below a title in bold, not indented",
      "**Parameters**:\na: One,\n  and more\nb: Two\n\n__Returns__\nA text.\n\nThe end."
    ],
    ["after dashes", "Args:\n    a - One,\n        and more\n    b – Two\n\nThe end."]
  ])("have the parameters %s", ([, text]) =>
    Effect.map(described(run("a: str, b: str = ''", `Does it.\n\n${text}`)), (found) =>
      expect(found).toEqual({
        description: "Does it.\n\nThe end.",
        parameters: { a: "One, and more", b: "Two" },
        problems: []
      })
    )
  )

  it.effect("keep examples, notes and what stands after the sections", () =>
    Effect.map(
      described(
        run(
          "a: int",
          "Does it.\n\nArgs:\n    a: A number\n\nReturns:\n    One.\n\nExample:\n    run(1)\n\nMind the gap."
        )
      ),
      ({ description, parameters }) => {
        expect(description).toBe("Does it.\n\nExample:\n    run(1)\n\nMind the gap.")
        expect(parameters).toEqual({ a: "A number" })
      }
    )
  )

  it.effect("are cleaned as Python does: margins, tabs, empty lines at both ends", () =>
    Effect.map(described('def run():\n\t"""\n\n\tDoes it:\n\n\t\tindented\n\n\t"""\n'), ({ description }) =>
      expect(description).toBe("Does it:\n\n        indented")
    )
  )

  it.effect("keep a colon, a URL and a word that only looks like a section", () =>
    Effect.map(
      described(run("a: str", "Does it: see https://example.com\nArguments are text.\n\nArgs:\n    a: One of: b, c")),
      ({ description, parameters }) => {
        expect(description).toBe("Does it: see https://example.com\nArguments are text.")
        expect(parameters).toEqual({ a: "One of: b, c" })
      }
    )
  )
})

describe("the type in a docstring", () => {
  it.effect("is that of a parameter without annotation, in every style", () =>
    Effect.map(
      schemasOf(`from dataclasses import dataclass

@dataclass
class Point:
    x: int

def run(a, b, c, d, e, f=None, g=1, *, h="x"):
    """Does it.

    Args:
        a (int): A
        b (list of str): B
        c (Point): C
        f (Optional[dict[str, int]]): F
        g (number, optional): G

    Parameters
    ----------
    d : {'one', 'two'}
        D
    h : string, default "x"

    :param e: E
    :type e: int or None
    """
`),
      ({ problems, required, schemas }) => {
        expect(problems).toEqual([])
        expect(required).toEqual(["a", "b", "c", "d", "e"])
        expect(schemas).toEqual({
          a: { type: "integer", description: "A" },
          b: { type: "array", items: { type: "string" }, description: "B" },
          c: {
            type: "object",
            properties: { x: { type: "integer" } },
            required: ["x"],
            additionalProperties: false,
            description: "C"
          },
          d: { type: "string", enum: ["one", "two"], description: "D" },
          e: { type: ["integer", "null"], description: "E" },
          f: {
            anyOf: [{ type: "object", additionalProperties: { type: "integer" } }, { type: "null" }],
            description: "F",
            default: null
          },
          g: { type: "number", description: "G", default: 1 },
          h: { type: "string", default: "x" }
        })
      }
    )
  )

  it.effect("is reported where it is missing or not known", () =>
    Effect.map(
      schemasOf(
        `def run(a, b, c=2):\n    """Does it.\n\n    Args:\n        a: A\n        b (file-like thing): B\n    """\n`
      ),
      ({ problems, schemas }) => {
        expect(schemas).toEqual({
          a: { description: "A" },
          b: { description: "B" },
          c: { type: "integer", default: 2 }
        })
        expect(problems.map(({ at, message, rule }) => [rule, at, message])).toEqual([
          ["missing-type", "1:9", "run.a has no type, so any value is accepted; annotate it, such as `a: str`"],
          [
            "unknown-type",
            "1:12",
            "The type `file-like thing` that the docstring gives run.b is not known, so any value is accepted; annotate the parameter"
          ],
          [
            "missing-type",
            "1:15",
            "run.c has no type, so the type integer of its default is taken for it; annotate it, such as `c: int`"
          ]
        ])
      }
    )
  )
})
