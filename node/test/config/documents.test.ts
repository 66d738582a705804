import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace } from "./loading.ts"

const read = (name: string): string => readFileSync(new URL(`../../../docs/operate/${name}`, import.meta.url), "utf8")

describe("the configuration for an initial download", () => {
  it.effect("is taken by a start: pruned, parallel, on mainnet, without modules", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write("work/node.toml", read("ibd.example.toml"))
        const { config } = yield* loadConfig(place.request())
        assert.deepStrictEqual(
          [config.network, config.storage.pruning._tag, config.modules],
          ["mainnet", "TargetSize", undefined]
        )
        assert.deepStrictEqual(config.warnings, [])
      })
    ))

  it("stands in docs/operate/mainnet.md as in its own file", () => {
    const [, block] = /```toml\n([\s\S]*?)```/.exec(read("mainnet.md")) ?? []
    const withoutComments = read("ibd.example.toml").split("\n").filter((line) => !line.startsWith("#")).join("\n")
    assert.strictEqual(block, withoutComments)
  })
})
