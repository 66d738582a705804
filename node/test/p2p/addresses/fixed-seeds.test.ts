import { assert, describe, it } from "@effect/vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { fixedSeeds } from "../../../src/p2p/addresses/fixed-seeds.ts"
import { networkGroup } from "../../../src/net/address-place.ts"

describe("addresses of the release", () => {
  it("are each of another network group, and can be reached", () => {
    for (const name of ["mainnet", "testnet4", "signet"] as const) {
      const seeds = fixedSeeds(NETWORKS[name])
      assert.isAtLeast(seeds.length, 30)
      assert.isTrue(seeds.every(({ address, port }) => isRoutable(address) && port === NETWORKS[name].port))
      assert.strictEqual(new Set(seeds.map(({ address }) => networkGroup(address))).size, seeds.length)
    }
  })

  it.each(["mainnet", "testnet3", "testnet4", "signet"] as const)("%s has name servers to ask", (name) => {
    assert.isAtLeast(NETWORKS[name].dnsSeeds.length, 2)
    assert.isTrue(NETWORKS[name].dnsSeeds.every((seed) => /^[a-z0-9.-]+\.[a-z]{2,}$/.test(seed)))
  })

  it("are none on regtest, whose DNS seed is a name that none can have", () => {
    assert.deepStrictEqual(fixedSeeds(NETWORKS.regtest), [])
    assert.deepStrictEqual(NETWORKS.regtest.dnsSeeds, ["dummySeed.invalid."])
  })
})
