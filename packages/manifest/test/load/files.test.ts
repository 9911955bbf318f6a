import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { Lint, Manifest } from "@wield/manifest"
import { Effect, Either, Fiber, Queue, Stream } from "effect"

const folder = (files: { readonly [name: string]: string }) =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    const path = yield* system.makeTempDirectoryScoped()
    yield* system.makeDirectory(`${path}/ui`)
    yield* Effect.forEach(Object.entries(files), ([name, text]) => system.writeFileString(`${path}/${name}`, text))
    return path
  })

const chart = '{ "name": "show_chart", "description": "Shows a chart" }'

it.scoped("loads a file and the files of client tools that it names, relative to it", () =>
  Effect.gen(function* () {
    const path = yield* folder({
      "agent.yaml": "apis: { type: rest, url: x }\nfunctions: [./ui/chart.json, ui/more.yaml, CurrentTime]",
      "ui/chart.json": chart,
      "ui/more.yaml": "- { name: a, description: A }\n- type: client\n  function: { name: b, description: B }\n"
    })
    const { apis, entries } = yield* Manifest.load(`${path}/agent.yaml`)
    expect(entries.map(({ _tag, function: { name } }) => `${_tag} ${name}`)).toStrictEqual([
      "Local CurrentTime",
      "Client show_chart",
      "Client a",
      "Client b"
    ])
    expect(apis[0]?.source?.at([])).toMatchObject({ file: `${path}/agent.yaml`, line: 1 })
    expect(entries[2]?.source?.at(["function", "name"])).toStrictEqual({
      file: `${path}/ui/more.yaml`,
      line: 1,
      column: 11
    })
  }).pipe(Effect.provide(NodeContext.layer))
)

it.scoped("says which file is not there, and where it is named", () =>
  Effect.gen(function* () {
    const path = yield* folder({ "agent.json": '{\n  "functions": "ui/chart.json"\n}' })
    const missing = yield* Effect.flip(Manifest.load(`${path}/none.json`))
    expect(missing._tag).toBe("UnreadableManifest")
    expect(missing.message).toContain(`${path}/none.json`)
    const error = yield* Effect.flip(Manifest.load(`${path}/agent.json`))
    expect(error.message).toContain(`${path}/agent.json:2:16: The file "ui/chart.json" of client tools is not there`)
    const given = yield* Manifest.load(`${path}/agent.json`, { files: { "ui/chart.json": chart } })
    expect(given.entries).toHaveLength(1)
  }).pipe(Effect.provide(NodeContext.layer))
)

it.scoped("reads regular files of up to 16 MiB only: a device or a large file is told, not read", () =>
  Effect.gen(function* () {
    const path = yield* folder({ "agent.json": '{ "functions": ["/dev/zero"] }', "large.json": "" })
    yield* (yield* FileSystem.FileSystem).truncate(`${path}/large.json`, 16 * 1024 * 1024 + 1)
    const messageOf = (file: string) => Effect.map(Effect.flip(Manifest.load(file)), ({ message }) => message)
    expect(yield* messageOf(`${path}/agent.json`)).toBe("The manifest /dev/zero cannot be read: it is no regular file")
    expect(yield* messageOf("/dev/zero")).toContain("no regular file")
    expect(yield* messageOf(path)).toContain("no regular file")
    expect(yield* messageOf(`${path}/large.json`)).toContain("more than 16 MiB")
  }).pipe(Effect.provide(NodeContext.layer))
)

it("lists a hundred problems and counts the others", () => {
  const tools = Array.from({ length: 150 }, () => ({ type: "client", function: { name: "same", parameters: [] } }))
  const error = Either.getOrThrow(Either.flip(Manifest.parse(JSON.stringify(tools))))
  const lines = error.message.split("\n")
  expect(lines[0]).toBe("The manifest has 150 errors:")
  expect(lines).toHaveLength(102)
  expect(lines.at(-1)).toBe("and 50 more")
  expect(error._tag === "InvalidManifest" && error.problems.length).toBe(150)
  const text = Lint.toText(error._tag === "InvalidManifest" ? error.problems : [])
  expect(text.split("\n").slice(-2)).toEqual(["and 50 more", "150 errors, 0 warnings"])
})

it.scopedLive(
  "reads a watched file again when it changes, and a toolset goes on with the tools before while it is broken",
  () =>
    Effect.gen(function* () {
      const system = yield* FileSystem.FileSystem
      const tools = (name: string) => `[{ "type": "local", "function": { "name": "${name}", "description": "-" } }]`
      const path = yield* folder({ "tools.json": tools("one") })
      const file = `${path}/tools.json`
      const binding = { handlers: { one: () => Effect.succeed(1), two: () => Effect.succeed(2) } }
      const toolset = yield* Manifest.toToolset(yield* Manifest.load(file), binding)
      const runner = yield* ToolRunner.make(toolset)
      const seen = yield* Queue.unbounded<string>()
      const watching = yield* Manifest.watch(file).pipe(
        Stream.runForEach((manifest) =>
          Effect.gen(function* () {
            if (Either.isRight(manifest)) yield* toolset.replace(yield* Manifest.toTools(manifest.right, binding))
            yield* Queue.offer(seen, manifest._tag)
          })
        ),
        Effect.fork
      )
      expect(yield* Queue.take(seen)).toBe("Right")
      // The watcher of the operating system begins a moment after the stream does.
      yield* Effect.sleep("200 millis")
      yield* system.writeFileString(file, "[{")
      expect(yield* Queue.take(seen)).toBe("Left")
      expect((yield* runner.run(ToolCall.make("1", "one", {})))._tag).toBe("Success")
      yield* system.writeFileString(`${path}/other.json`, "[]")
      yield* system.writeFileString(`${path}/next`, tools("two"))
      yield* system.rename(`${path}/next`, file)
      expect(yield* Queue.take(seen)).toBe("Right")
      expect((yield* runner.run(ToolCall.make("2", "two", {})))._tag).toBe("Success")
      expect((yield* runner.run(ToolCall.make("3", "one", {})))._tag).toBe("UnknownTool")
      yield* Fiber.interrupt(watching)
    }).pipe(Effect.provide(NodeContext.layer))
)
