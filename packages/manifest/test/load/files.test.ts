import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { Manifest } from "@wield/manifest"
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
