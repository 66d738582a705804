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

  it.effect("name each list that holds no places", () =>
    Effect.gen(function*() {
      for (const value of ["[\"3333\"]", "\"*:3333\"", "[3333]"]) {
        const problems = yield* written(`[modules.stratum]\nnetwork_listen = ${value}\n`, problemsOf)
        assert.lengthOf(problems, 1)
        assert.include(problems[0], "[modules.stratum].network_listen: expected a list of places such as")
      }
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
