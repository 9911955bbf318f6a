/**
 * Types of Python and its libraries that need no declaration in the file.
 */
import type { Json } from "@wield/core"

const string = { type: "string" } as const
const integer = { type: "integer" } as const
const number = { type: "number" } as const

/** By name, without `typing` and its like. The program that runs Python makes the values of these from JSON. */
export const knownTypes: ReadonlyMap<string, Json.JsonSchema> = new Map<string, Json.JsonSchema>([
  ["str", string],
  ["AnyStr", string],
  ["LiteralString", string],
  ["Text", string],
  ["int", integer],
  ["float", number],
  ["bool", { type: "boolean" }],
  ["None", { type: "null" }],
  ["NoneType", { type: "null" }],
  ["Any", {}],
  ["object", {}],
  // Given as text in UTF-8.
  ["bytes", string],
  ["bytearray", string],
  ["datetime.datetime", { ...string, format: "date-time" }],
  ["datetime.date", { ...string, format: "date" }],
  ["datetime.time", { ...string, format: "time" }],
  ["datetime.timedelta", { ...number, description: "In seconds" }],
  ["uuid.UUID", { ...string, format: "uuid" }],
  // A text keeps every digit, while models often send a number.
  ["decimal.Decimal", { type: ["string", "number"], format: "decimal" }],
  ["fractions.Fraction", { type: ["string", "number"] }],
  ["pathlib.Path", { ...string, format: "path" }],
  ["pathlib.PurePath", { ...string, format: "path" }],
  ["pathlib.PosixPath", { ...string, format: "path" }],
  ["ipaddress.IPv4Address", { ...string, format: "ipv4" }],
  ["ipaddress.IPv6Address", { ...string, format: "ipv6" }],
  ["ipaddress.IPv4Network", string],
  ["ipaddress.IPv6Network", string],
  ["pydantic.EmailStr", { ...string, format: "email" }],
  ["pydantic.HttpUrl", { ...string, format: "uri" }],
  ["pydantic.AnyUrl", { ...string, format: "uri" }],
  ["pydantic.AnyHttpUrl", { ...string, format: "uri" }],
  ["pydantic.SecretStr", string],
  ["pydantic.StrictStr", string],
  ["pydantic.StrictInt", integer],
  ["pydantic.StrictFloat", number],
  ["pydantic.StrictBool", { type: "boolean" }],
  ["pydantic.PositiveInt", { ...integer, exclusiveMinimum: 0 }],
  ["pydantic.NonNegativeInt", { ...integer, minimum: 0 }],
  ["pydantic.NegativeInt", { ...integer, exclusiveMaximum: 0 }],
  ["pydantic.NonPositiveInt", { ...integer, maximum: 0 }],
  ["pydantic.PositiveFloat", { ...number, exclusiveMinimum: 0 }],
  ["pydantic.NonNegativeFloat", { ...number, minimum: 0 }],
  ["pydantic.NegativeFloat", { ...number, exclusiveMaximum: 0 }],
  ["pydantic.NonPositiveFloat", { ...number, maximum: 0 }]
])

/** Types of many values of one type. */
export const listTypes: ReadonlySet<string> = new Set(
  "list List Sequence MutableSequence Iterable Collection Container Reversible deque Deque".split(" ")
)

export const setTypes: ReadonlySet<string> = new Set("set Set frozenset FrozenSet AbstractSet MutableSet".split(" "))

/** Types from keys to values. */
export const mappingTypes: ReadonlySet<string> = new Set(
  "dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict".split(" ")
)

/** What stands around a type without changing which values it has. */
export const transparentTypes: ReadonlySet<string> = new Set(
  "Final Required NotRequired ReadOnly ClassVar dataclasses.InitVar".split(" ")
)
