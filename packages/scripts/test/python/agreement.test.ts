/**
 * The schema and the program that runs Python agree: what the schema accepts,
 * the function is given as the type that its annotation says.
 */
import { describe, expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect, Either } from "effect"
import { callOnce, python, said } from "../python-program/python.js"
import { fixture, read } from "./read.js"

const source = fixture("every_type.py")

/** What is sent, and what Python says that it got. */
const sent: { readonly [parameter: string]: readonly [value: unknown, received: string] } = {
  text: ["é\n", "'é\\n'"],
  whole: [3, "3"],
  number: [3, "3.0"],
  flag: [false, "False"],
  anything: [{ a: [null] }, "{'a': [None]}"],
  thing: [1, "1"],
  raw: ["é", "b'\\xc3\\xa9'"],
  list_bare: [[1, "a"], "[1, 'a']"],
  list_new: [["a"], "['a']"],
  list_old: [[1], "[1]"],
  sequence: [[1.5], "[1.5]"],
  iterable: [["a"], "['a']"],
  nested: [[[1.5]], "[[1.5]]"],
  tuple_fixed: [[1, "a"], "(1, 'a')"],
  tuple_any: [[1, 2, 3], "(1, 2, 3)"],
  tuple_empty: [[], "()"],
  set_new: [[1], "{1}"],
  set_old: [["a"], "{'a'}"],
  set_frozen: [["a"], "frozenset({'a'})"],
  dict_bare: [{ a: 1 }, "{'a': 1}"],
  dict_new: [{ a: 1 }, "{'a': 1}"],
  dict_old: [{ a: null }, "{'a': None}"],
  dict_mapping: [{ a: [1] }, "{'a': [1]}"],
  dict_keys: [{ "-1": "a" }, "{-1: 'a'}"],
  dict_choice: [{ fast: true }, "{'fast': True}"],
  dict_ordered: [{ a: 1 }, "OrderedDict([('a', 1)])"],
  dict_default: [{ a: [] }, "defaultdict(None, {'a': []})"],
  union: ["a", "'a'"],
  union_new: [[1], "[1]"],
  union_model: [{ x: 1, y: 2 }, "{'x': 1.0, 'y': 2.0}"],
  choice: ["b", "'b'"],
  choice_alias: ["exact", "'exact'"],
  choice_nested: ["red", "<Color.RED: 'red'>"],
  enum: ["green", "<Color.GREEN: 'green'>"],
  enum_integer: [2, "<Level.HIGH: 2>"],
  enum_names: ["MARS", "<Planet.MARS: (0.64, 3.39)>"],
  annotated: ["a", "'a'"],
  point: [{ x: 1, y: 2, label: "p" }, "{'x': 1.0, 'y': 2.0, 'label': 'p'}"],
  options: [{ root: "r" }, "{'root': 'r'}"],
  pair: [{ left: 1 }, "{'left': 1}"],
  address: [{ street: "s", seed: 2 }, "Address(street='s', city='Rome', tags=[], country='IT', checksum=0)"],
  home: [{ street: "s", rooms: 2 }, "Home(street='s', city='Rome', tags=[], country='IT', checksum=0, rooms=2)"],
  size: [{ width: 2 }, "Size(width=2, height=1)"],
  tree: [
    { name: "a", children: [{ name: "b" }] },
    "Node(name='a', parent=None, children=[Node(name='b', parent=None, children=[])])"
  ],
  json: [{ a: [1, null] }, "{'a': [1, None]}"],
  city: ["Rome", "'Rome'"],
  names: [["a"], "['a']"],
  variable: [1.5, "1.5"],
  moment: ["2025-01-31T12:00:00Z", "datetime.datetime(2025, 1, 31, 12, 0, tzinfo=datetime.timezone.utc)"],
  day: ["2025-01-31", "datetime.date(2025, 1, 31)"],
  time: ["12:00:00Z", "datetime.time(12, 0, tzinfo=datetime.timezone.utc)"],
  span: [1.5, "datetime.timedelta(seconds=1, microseconds=500000)"],
  identifier: ["123e4567-e89b-12d3-a456-426614174000", "UUID('123e4567-e89b-12d3-a456-426614174000')"],
  money: ["1.50", "Decimal('1.50')"],
  path: ["/a", "PosixPath('/a')"],
  forward: [{ street: "s" }, "Address(street='s', city='Rome', tags=[], country='IT', checksum=0)"],
  forward_text: [[{ x: 1, y: 2 }], "[{'x': 1.0, 'y': 2.0}]"],
  keyword: ["k", "'k'"]
}

/** What those get that are left out. */
const absent = {
  nothing: "None",
  choice_mixed: "None",
  optional: "None",
  optional_new: "None",
  optional_choice: "None",
  optional_model: "None",
  implicit: "None",
  default_enum: "<Color.RED: 'red'>",
  default_constant: "50",
  default_tuple: "(1, 2)",
  default_path: "PosixPath('.')",
  default_list: "['a', 'b']",
  default_dict: "{'a': 1}",
  keyword_default: "-1.5"
}

describe.skipIf(python === undefined)("a function with every type (skipped where python3 is missing)", () => {
  const values = Object.fromEntries(Object.entries(sent).map(([name, [value]]) => [name, value]))
  const received = { ...Object.fromEntries(Object.entries(sent).map(([name, [, text]]) => [name, text])), ...absent }

  const schema = Effect.map(
    read(source, "tool", "every_type.py"),
    ({ functions: [run] }) => run?.inputSchema ?? { not: {} }
  )

  it.effect("gets the values of its types from arguments that its schema accepts", () =>
    Effect.gen(function* () {
      const { validate } = yield* JsonSchema.compile(yield* schema, { formats: "assertion" })
      expect(validate(values)).toEqual(Either.right(values))
      const answer = yield* callOnce(source, JSON.parse(JSON.stringify(values)))
      expect(said(answer)).toEqual({ type: "value", value: received })
    })
  )

  it.effect("gets the same where the defaults that its schema states are passed", () =>
    Effect.gen(function* () {
      const { validate } = yield* JsonSchema.compile(yield* schema, { formats: "assertion", defaults: "filled" })
      const filled = validate(values)
      const answer = yield* callOnce(source, JSON.parse(JSON.stringify(Either.getOrThrow(filled))))
      expect(filled).not.toEqual(Either.right(values))
      expect(said(answer)).toEqual({ type: "value", value: received })
    })
  )
})
