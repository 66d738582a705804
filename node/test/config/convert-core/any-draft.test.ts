import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { CORE_MAPPING } from "../../../src/config/convert-core/core-mapping.ts"
import { inPlace, problemsOf } from "../loading.ts"
import { convert } from "./convert.ts"

const HASH = "0123456789abcdef".repeat(4)

describe("any bitcoin.conf", () => {
  const KEYS = [
    ...Object.keys(CORE_MAPPING),
    "rpcauth",
    "onlynet",
    "proxy",
    "onion",
    "bind",
    "rpcallowip",
    "rpcwhitelist",
    "txindex",
    "prune",
    "maxmempool",
    "limitclustersize",
    "minrelaytxfee",
    "incrementalrelayfee",
    "datacarrier",
    "datacarriersize",
    "acceptnonstdtxn",
    "blockmaxweight",
    "blockreservedweight",
    "unknown"
  ]
  const values = fc.oneof(
    fc.constantFrom(
      "",
      "1",
      "0",
      "csv@1",
      "moon@1",
      "onion",
      "ipv4",
      "i2p",
      "127.0.0.1",
      "[::1]:9050",
      "127.0.0.1:9050=onion",
      "unix:/x",
      "host.example:1",
      "10.0.0.0/8",
      "600",
      "alice:help",
      "alice:help,stop",
      `alice:salt$${HASH}`,
      "noban@10.0.0.1",
      "::",
      "0.0.0.0"
    ),
    fc.string(),
    fc.integer().map(String),
    fc.ipV4()
  )

  it("becomes a draft that a start takes as it is", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("main", "regtest"),
        fc.array(fc.tuple(fc.constantFrom(...KEYS), values)),
        async (network, entries) => {
          const lines = entries.map(([key, value]) => `${key}=${value.replaceAll(/[\r\n#]/g, "")}`)
          const { problems, toml } = convert(`chain=${network}`, `[${network}]`, ...lines)
          // Bitcoin Core does not start either with weights of blocks, or sizes of clusters, that do not fit together.
          const unexpected = problems.filter((problem) =>
            !/is given twice|\[mining\]|max_mempool_mb must be at least/.test(problem)
          )
          assert.deepStrictEqual(unexpected, [])
          if (toml === "") return
          const refused = await Effect.runPromise(inPlace((place) => {
            place.write("work/node.toml", toml)
            return problemsOf(place.request())
          }))
          assert.deepStrictEqual(refused, [], toml)
        }
      ),
      { numRuns: 300, examples: [["main", [["limitclustersize", "7501"]]]] }
    ))
})
