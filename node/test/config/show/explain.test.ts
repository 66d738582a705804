import { assert, describe, it } from "@effect/vitest"
import { effectiveOf } from "../../../src/config/given/effective.ts"
import { resolveConfig } from "../../../src/config/resolve/resolve-config.ts"
import { explainText } from "../../../src/config/show/explain.ts"

const loaded = (settings: Readonly<Record<string, unknown>>) => {
  const given = Object.entries(settings).map(([key, value]) => ({ key, value, origin: "file" as const, source: "f:1" }))
  const effective = effectiveOf(given)
  const { config } = resolveConfig(effective, {
    machine: { home: "/home/op", directory: "/work", processors: 4 },
    file: undefined,
    tokens: undefined,
    isCoreDirectory: () => false
  })
  return { config, effective }
}

describe("the explained configuration", () => {
  const lines = explainText(loaded({ "rpc.work_queue": 16, "storage.data_dir": "/d" }) as never).split("\n")

  it("begins with the file and the data directory, and has one key a line", () => {
    assert.deepStrictEqual(lines.slice(0, 2), [
      "# file: none was found",
      "# data directory of this network: /d/regtest"
    ])
    assert.include(lines.map((line) => line.replaceAll(/ +/g, " ")), "[rpc].work_queue 16 file: f:1")
    assert.include(lines.map((line) => line.replaceAll(/ +/g, " ")), "network \"regtest\" default")
  })

  it("has keys, values and origins in columns as wide as their longest member, up to 60 characters", () => {
    const rows = lines.slice(2)
    const longestKey = Math.max(...rows.map((line) => line.split("  ")[0]!.length))
    assert.isBelow(longestKey, 60)
    for (const row of rows) {
      assert.match(row.slice(longestKey, longestKey + 3), /^ {2}\S$/, row)
    }
    const ends = rows.filter((row) => row.endsWith("  default")).map((row) => row.length - "default".length)
    const usual = longestKey + 2 + 60 + 2
    assert.isAbove(ends.filter((end) => end === Math.min(...ends)).length, 50)
    assert.isAtMost(Math.min(...ends), usual)
  })

  it("says of the network and its version what has decided about both", () => {
    const said = (settings: Readonly<Record<string, unknown>>) =>
      explainText(loaded(settings) as never).split("\n").map((line) => line.replaceAll(/ +/g, " "))
    const byVersion = said({ protocol_version: "Signet" })
    assert.include(byVersion, "network \"signet\" file: f:1")
    assert.include(byVersion, "protocol_version \"Signet\" file: f:1")
    const byNetwork = said({ network: "signet" })
    assert.include(byNetwork, "network \"signet\" file: f:1")
    assert.include(byNetwork, "protocol_version \"Signet\" file: f:1")
    const bySize = said({ "storage.pruning.target_mb": 700 })
    assert.include(bySize, "[storage.pruning].mode \"normal\" file: f:1")
    assert.include(bySize, "[rpc].work_queue 64 default")
    assert.include(said({ "storage.pruning.mode": "manual" }), "[storage.pruning].mode \"manual\" file: f:1")
    assert.include(said({}), "[storage.pruning].mode \"disabled\" default")
  })

  it("says unset of what has no value", () => {
    assert.isTrue(lines.some((line) => / unset +default$/.test(line)))
  })

  it("has limits of modules under their own keys", () => {
    const { config } = loaded({
      "modules.enabled": true,
      "module_resource_limits.default_max_memory_bytes": 1,
      "module_resource_limits.default_max_cpu_percent": 2,
      "module_resource_limits.default_max_file_descriptors": 3,
      "module_resource_limits.default_max_disk_bytes": 4
    })
    assert.deepStrictEqual(config.modules?.limits, { memoryBytes: 1, processorPercent: 2, openFiles: 3, diskBytes: 4 })
  })
})
