/** Every spelling of an address that is not public. */
import { assert, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { Effect, Option } from "effect"

const spellings = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "0",
  "0.0.0.0",
  "127.255.255.254",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "%31%32%37.0.0.1",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "１２７.0.0.1",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::a9fe:a9fe]",
  "[2002:7f00:1::]",
  "[2002:a9fe:a9fe::1]",
  "[2001::1]",
  "[2001:0:7f00:1::]",
  "[fe80::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[100::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[5f00::1]",
  "[2001:2::1]",
  "[2001:10::1]",
  "[2001:20::1]"
]

for (const host of spellings) {
  it.scopedLive(`${host} is refused before anything is sent`, () =>
    Effect.gen(function* () {
      const client = yield* HttpGuard.make({ connectTimeout: 1000 })
      const error = yield* Effect.flip(client.get(`http://${host}/`))
      assert.strictEqual(Option.getOrThrow(HttpGuard.refusalOf(error))._tag, "AddressRefused", String(error.cause))
    })
  )

  it.scopedLive(`a name whose address is ${host} is refused`, () =>
    Effect.gen(function* () {
      const address = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
      const client = yield* HttpGuard.make({ lookup: async () => ["93.184.216.34", address], connectTimeout: 1000 })
      const error = yield* Effect.flip(client.get("http://public.example/"))
      assert.strictEqual(Option.getOrThrow(HttpGuard.refusalOf(error))._tag, "AddressRefused", String(error.cause))
    })
  )
}
