import { assert, describe, it } from "@effect/vitest"
import { parse } from "smol-toml"
import { convertCoreConfig } from "../../../src/config/convert-core/convert-core-config.ts"

type Table = Readonly<Record<string, unknown>>

const convert = (...lines: ReadonlyArray<string>) => {
  const { access, problems, report, toml } = convertCoreConfig("bitcoin.conf", lines.join("\n"))
  assert.deepStrictEqual(problems, [])
  return { draft: parse(toml) as Readonly<Record<string, Table | undefined>>, said: [...access, ...report].join("\n") }
}

/** Keys of one table of the draft. */
const tableOf = (name: string, ...lines: ReadonlyArray<string>): Table => convert(...lines).draft[name] ?? {}

describe("places to listen at in a bitcoin.conf", () => {
  it.each<readonly [binds: string, more: ReadonlyArray<string> | undefined]>([
    ["127.0.0.1 127.0.0.1", undefined],
    ["127.0.0.1 127.0.0.2", ["127.0.0.2:8333"]],
    ["127.0.0.1 127.0.0.1:7", ["127.0.0.1:7"]],
    ["0.0.0.0 127.0.0.1", undefined],
    ["127.0.0.1 0.0.0.0", undefined],
    ["127.0.0.1 127.0.0.2 127.0.0.2:8333", ["127.0.0.2:8333"]],
    ["0.0.0.0 [::]", ["[::]:8333"]],
    ["[::] [::1]", undefined],
    ["[::1] [::2] 127.0.0.1", ["[::2]:8333", "127.0.0.1:8333"]]
  ])("%s are kept where none takes the place of another", (binds, more) => {
    const lines = binds.split(" ").map((bind) => `bind=${bind}`)
    assert.deepStrictEqual(tableOf("connections", ...lines)["more_listen_addrs"], more)
  })
})

describe("permissions of peers in a bitcoin.conf", () => {
  const more = "trusted_peers grants more: these peers may request the mempool"
  const inbound = "peer_permissions holds for inbound peers alone"
  const both = "trusted_peers holds for both directions; add it if that is wanted"

  it.each<readonly [given: string, trusted: boolean, permitted: string | undefined, said: string | undefined]>([
    ["", true, undefined, more],
    ["noban@", true, undefined, more],
    ["noban,mempool@", true, "mempool", undefined],
    ["all@", true, "bloomfilter,forcerelay,mempool", undefined],
    ["relay@", false, "relay", undefined],
    ["bloom@", false, "bloomfilter", undefined],
    ["in,relay@", false, "relay", undefined],
    ["in,out,relay@", false, "relay", inbound],
    ["in,out,noban@", true, undefined, more],
    ["in,out,noban,relay@", true, "relay", inbound],
    ["out,noban@", false, undefined, both],
    ["out,relay@", false, undefined, inbound],
    ["addr@", false, undefined, "of these permissions only noban"]
  ])("%s10.0.0.1 have these counterparts and remarks", (given, trusted, permitted, remark) => {
    const { draft, said } = convert(`whitelist=${given}10.0.0.1`)
    const { peer_permissions, trusted_peers } = draft["connections"] ?? {}
    assert.deepStrictEqual(trusted_peers, trusted ? ["10.0.0.1"] : undefined)
    assert.deepStrictEqual(peer_permissions, permitted === undefined ? undefined : [`${permitted}@10.0.0.1`])
    for (const each of [more, inbound, both, "of these permissions"]) {
      assert.strictEqual(said.includes(each), remark?.startsWith(each) === true, each)
    }
  })
})

describe("amounts and switches in a bitcoin.conf", () => {
  it.each([
    ["1k", 1],
    ["1048577", 1_048_577],
    ["2000K", 2],
    ["3m", 3],
    ["3M", 3],
    ["3g", 2_862],
    ["3G", 3_072],
    ["3t", 2_861_023],
    ["3T", 3_145_728]
  ])("maxuploadtarget=%s is %d megabytes, a part counting as a whole", (text, megabytes) => {
    assert.strictEqual(tableOf("connections", `maxuploadtarget=${text}`)["upload_target_mb"], megabytes)
  })

  it.each([["", true], ["1", true], ["2", true], ["-1", true], ["01x", true], ["00", false], ["no", false], [
    "true",
    false
  ]])(
    "listen set to %j is %s, as Bitcoin Core reads it",
    (value, listens) => assert.strictEqual(tableOf("connections", `listen=${value}`)["listen"], listens)
  )

  it.each([["", true], ["1", true], ["2", true], ["0", undefined], ["x", undefined]])(
    "acceptnonstdtxn and acceptstalefeeestimates set to %j are %s on regtest, and said to be impossible on mainnet",
    (value, accepted) => {
      const regtest = ["regtest=1", `acceptnonstdtxn=${value}`, `acceptstalefeeestimates=${value}`]
      assert.strictEqual(tableOf("mempool", ...regtest)["accept_non_standard"], accepted)
      assert.strictEqual(tableOf("regtest", ...regtest)["accept_stale_fee_estimates"], accepted)
      const { draft, said } = convert(`acceptnonstdtxn=${value}`)
      assert.isUndefined(draft["mempool"]?.["accept_non_standard"])
      assert.strictEqual(said.includes("mainnet relays standard transactions alone"), accepted === true)
    }
  )

  it("about weights of templates are both left out where they contradict each other, and kept otherwise", () => {
    const wrong = convert("blockmaxweight=4000", "blockreservedweight=5000")
    assert.deepStrictEqual(wrong.draft["mining"] ?? {}, {})
    assert.include(wrong.said, "blockmaxweight: left out: a weight of 5000 is kept free, and a block may hold 4000")
    assert.deepStrictEqual(tableOf("mining", "blockmaxweight=5000", "blockreservedweight=5000"), {
      block_max_weight: 5_000,
      block_reserved_weight: 5_000
    })
    assert.include(convert("blockmaxweight=7999").said, "a weight of 8000 is kept free")
    assert.deepStrictEqual(tableOf("mining", "blockmaxweight=8000"), { block_max_weight: 8_000 })
  })

  it("about a mempool for fewer than forty clusters are left out", () => {
    assert.deepStrictEqual(tableOf("mempool", "maxmempool=5"), { max_mempool_mb: 5 })
    assert.include(convert("maxmempool=4").said, "maxmempool: left out: 4 MB hold no 40 clusters; at least 5 do")
    assert.deepStrictEqual(tableOf("mempool", "maxmempool=0"), { max_mempool_mb: 0 })
  })
})
