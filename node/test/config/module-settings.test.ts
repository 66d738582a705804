import { assert, describe, it } from "@effect/vitest"
import { networkPlaceOf } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, problemsOf } from "./loading.ts"

const HEAD = "transport_preference = \"tcponly\"\n[modules]\nenabled = true\n"

const written = <A, E>(text: string, use: (request: Parameters<typeof loadConfig>[0]) => Effect.Effect<A, E>) =>
  inPlace((place) => {
    place.write("work/node.toml", HEAD + text)
    return use(place.request())
  })

describe("settings of a module", () => {
  it.effect("are variables of the module, and the places of its network are the node's", () =>
    Effect.gen(function*() {
      const { modules } = (yield* written(
        "[modules.stratum]\nport = 3333\nnetwork_listen = [\"*:3333\"]\n[modules.other]\nnetwork_connect = []\n",
        loadConfig
      )).config
      assert.deepStrictEqual(modules?.settings.get("stratum"), { MODULE_CONFIG_PORT: "3333" })
      assert.deepStrictEqual(modules?.places.get("stratum"), {
        listen: [networkPlaceOf("*:3333")!],
        connect: undefined
      })
      assert.deepStrictEqual(modules?.places.get("other"), { listen: undefined, connect: [] })
    }))

  it.effect("have the version that is wanted beside them, which pins the module and is no variable of it", () =>
    Effect.gen(function*() {
      const { modules } =
        (yield* written("[modules.zmq]\nversion = \"0.1.*\"\nhashblock = \"tcp://127.0.0.1:1\"\n", loadConfig)).config
      assert.strictEqual(modules?.pins.get("zmq")?.written, "0.1.*")
      assert.deepStrictEqual(modules?.settings.get("zmq"), { MODULE_CONFIG_HASHBLOCK: "tcp://127.0.0.1:1" })
      const unpinned = (yield* written("[modules.zmq]\nhashblock = \"tcp://127.0.0.1:1\"\n", loadConfig)).config
      assert.strictEqual(unpinned.modules?.pins.size, 0)
    }))

  it.effect("name a version that is none", () =>
    Effect.gen(function*() {
      for (const value of ["\"newest\"", "\"\"", "1", "true", "[\"0.1.*\"]", "{ at_least = \"1.0.0\" }"]) {
        const problems = yield* written(`[modules.zmq]\nversion = ${value}\n`, problemsOf)
        assert.lengthOf(problems, 1)
        assert.match(problems[0]!, /node\.toml:4: \[modules\.zmq\]\.version: expected a version such as 0\.1\.\*/)
      }
    }))

  it.effect("name each list that holds no places", () =>
    Effect.gen(function*() {
      for (const value of ["[\"3333\"]", "\"*:3333\"", "[3333]"]) {
        const problems = yield* written(`[modules.stratum]\nnetwork_listen = ${value}\n`, problemsOf)
        assert.lengthOf(problems, 1)
        assert.include(problems[0], "[modules.stratum].network_listen: expected a list of places such as")
      }
    }))
})

describe("a missing handshake", () => {
  it.effect("is allowed where the operator says so", () =>
    Effect.gen(function*() {
      assert.isFalse((yield* written("", loadConfig)).config.modules?.allowsMissingHandshake)
      assert.isTrue(
        (yield* written("allow_missing_handshake = true\n", loadConfig)).config.modules?.allowsMissingHandshake
      )
    }))
})

describe("[stratum_v2]", () => {
  const TABLE = "[stratum_v2]\nenabled = true\n"
  const PLACE = "listen_addr = \"127.0.0.1:3335\"\n"

  it.effect("asks for the module, names its place and lets it listen there", () =>
    Effect.gen(function*() {
      const { modules } =
        (yield* written(`[modules.stratum-v2]\nshare_seconds = 5\n${TABLE}${PLACE}`, loadConfig)).config
      assert.strictEqual(modules?.pins.get("stratum-v2")?.written, "*")
      assert.deepStrictEqual(modules?.settings.get("stratum-v2"), {
        MODULE_CONFIG_SHARE_SECONDS: "5",
        MODULE_CONFIG_LISTEN: "127.0.0.1:3335"
      })
      assert.deepStrictEqual(modules?.places.get("stratum-v2")?.listen, [networkPlaceOf("127.0.0.1:3335")!])
    }))

  it.effect("leaves a version and places as they are given, and asks for nothing where it is off", () =>
    Effect.gen(function*() {
      const pinned = (yield* written(`stratum-v2 = "0.1.*"\n${TABLE}`, loadConfig)).config
      assert.strictEqual(pinned.modules?.pins.get("stratum-v2")?.written, "0.1.*")
      const placed = `[modules.stratum-v2]\nnetwork_listen = ["*:3335"]\n${TABLE}${PLACE}`
      assert.deepStrictEqual(
        (yield* written(placed, loadConfig)).config.modules?.places.get("stratum-v2")?.listen,
        [networkPlaceOf("*:3335")!]
      )
      const off = (yield* written(`[stratum_v2]\n${PLACE}`, loadConfig)).config
      assert.deepStrictEqual([off.modules?.pins.size, off.modules?.settings.size], [0, 0])
    }))

  it.effect.each<readonly [string, string]>([
    [`[modules.stratum-v2]\nlisten = "127.0.0.1:1"\n${TABLE}${PLACE}`, "are one setting; keep one"],
    [`${TABLE}listen_addr = "3335"\n`, "expected host:port"],
    [`${TABLE}transport_preference = "quinnonly"\n`, "miners connect over TCP alone"],
    [`${TABLE}pool_url = "stratum2+tcp://pool.example:1/k"\n`, "passes on none of a pool"],
    [`${TABLE}p2p_stratum_demux = true\n`, "miners connect to listen_addr"]
  ])("is refused in %j", ([text, message]) =>
    Effect.gen(function*() {
      const problems = yield* written(text, problemsOf)
      assert.lengthOf(problems, 1)
      assert.include(problems[0], message)
    }))
})

describe("a registry of modules", () => {
  const REGISTRY = "registry_url = \"https://modules.example/index.json\"\n"
  const KEYS = `trusted_keys = ["02${"ab".repeat(32)}"]\n`

  it.effect("is used with the keys that sign its checksums", () =>
    Effect.gen(function*() {
      const { modules } = (yield* written(REGISTRY + KEYS, loadConfig)).config
      assert.strictEqual(modules?.registryUrl, "https://modules.example/index.json")
      assert.isUndefined((yield* written("", loadConfig)).config.modules?.registryUrl)
    }))

  it.effect.each<readonly [string, string]>([
    [REGISTRY, "name the keys that sign its checksums in [modules].trusted_keys"],
    [`${REGISTRY}${KEYS}[connections]\nproxy = "127.0.0.1:9050"\n`, "downloads would not go through it"]
  ])("is refused in %j", ([text, message]) =>
    Effect.gen(function*() {
      const problems = yield* written(text, problemsOf)
      assert.lengthOf(problems, 1)
      assert.include(problems[0], `[modules].registry_url: `)
      assert.include(problems[0], message)
    }))
})
