import { assert, describe, it } from "vitest"
import { assignedServiceNames, peerServiceNames, serviceNames } from "../../src/wire/services.ts"

const bit = (i: number): bigint => 1n << BigInt(i)
const EXPERIMENTAL = bit(24) | bit(26) | bit(27) | bit(28) | bit(29) | bit(30)

describe("names of service bits", () => {
  it("of unknown software, and of Bitcoin Knots, are what the live network uses the bits for, with a question mark", () => {
    for (const agent of ["/Satoshi:29.3.0/Knots:20260508/", "/Satoshi:31.0.0/", ""]) {
      assert.deepStrictEqual(peerServiceNames(EXPERIMENTAL, agent), [
        "DANDELION?",
        "REPLACE_BY_FEE?",
        "REDUCED_DATA?",
        "BLAKE2B?",
        "LIBRE_RELAY?",
        "UNKNOWN[2^30]"
      ])
    }
    assert.deepStrictEqual(peerServiceNames(9n | bit(12) | bit(13), "/Floresta/0.8/"), [
      "NETWORK",
      "WITNESS",
      "UTREEXO",
      "UTREEXO_ARCHIVE"
    ])
  })

  it("of this software are those of its own extensions", () => {
    const names = ["DANDELION", "FIBRE", "UTXO_COMMITMENTS", "BAN_LIST_SHARING", "GOVERNANCE", "UNKNOWN[2^30]"]
    assert.deepStrictEqual(peerServiceNames(EXPERIMENTAL, "/Satoshi:31.99.0/Lockstep:0.1.0/"), names)
    assert.deepStrictEqual(peerServiceNames(EXPERIMENTAL, "/Lockstep:0.1.0/"), names)
    assert.deepStrictEqual(serviceNames(EXPERIMENTAL), names)
  })

  it("that Bitcoin Core has end with the encrypted transport", () => {
    assert.deepStrictEqual(assignedServiceNames(0xc4dn | EXPERIMENTAL), [
      "NETWORK",
      "BLOOM",
      "WITNESS",
      "COMPACT_FILTERS",
      "NETWORK_LIMITED",
      "P2P_V2",
      ...[24, 26, 27, 28, 29, 30].map((i) => `UNKNOWN[2^${i}]`)
    ])
  })
})
