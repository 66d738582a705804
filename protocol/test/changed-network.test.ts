import { assert, describe, it } from "vitest"
import { networkWith } from "../src/networks/changed-network.ts"
import { NETWORKS } from "../src/networks/table.ts"

const { mainnet, regtest, signet } = NETWORKS

describe("a network that an operator changed", () => {
  it("is the network itself where nothing is changed", () => {
    assert.strictEqual(networkWith("regtest"), regtest)
    assert.strictEqual(networkWith("regtest", { bip94: false }), regtest)
  })

  it("differs in what was changed alone", () => {
    assert.deepStrictEqual(networkWith("mainnet", { minimumChainWork: 0n }), { ...mainnet, minimumChainWork: 0n })
    assert.deepStrictEqual(networkWith("regtest", { pruneAfterHeight: 0 }), { ...regtest, pruneAfterHeight: 0 })
    const testDummy = { startTime: 0, timeout: undefined, minActivationHeight: 0 } as never
    assert.deepStrictEqual(networkWith("regtest", { testDummy }), { ...regtest, testDummy })
    const { parameters } = regtest
    assert.deepStrictEqual(networkWith("regtest", { bip94: true }), {
      ...regtest,
      parameters: { ...parameters, work: { ...parameters.work, bip94: true } }
    })
    assert.isFalse(parameters.work.bip94)
  })

  it("that is another signet has its challenge, magic and seeds, and knows no chain", () => {
    const own = { challenge: Uint8Array.of(0x51), magic: Uint8Array.of(1, 2, 3, 4), dnsSeeds: ["a.example"] }
    const network = networkWith("signet", { signet: own })
    assert.deepStrictEqual(network, {
      ...signet,
      parameters: { ...signet.parameters, signetChallenge: own.challenge },
      magic: own.magic,
      dnsSeeds: own.dnsSeeds,
      minimumChainWork: 0n,
      assumedValid: undefined,
      assumeUtxo: [],
      chainTransactions: { time: 0, count: 0, rate: 0 }
    })
    assert.strictEqual(networkWith("signet", { signet: own, minimumChainWork: 5n }).minimumChainWork, 5n)
  })
})
