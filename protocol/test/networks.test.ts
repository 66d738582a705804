import { bytesEqual } from "@lockstep/kernel/bytes"
import { merkleRoot, merkleRootCommits, transactionIds } from "@lockstep/kernel/block"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { blockHash, decodeBlock } from "@lockstep/kernel/model"
import { proofOfWork } from "@lockstep/kernel/work"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { NETWORK_NAMES, networkCalled, NETWORKS } from "../src/networks/table.ts"

describe("networks", () => {
  it.each(NETWORK_NAMES)("the genesis block of %s has its hash, commits to its coinbase and shows work", (name) => {
    const { genesisBlock, parameters } = NETWORKS[name]
    const block = Result.getOrThrow(decodeBlock(genesisBlock))
    const hash = blockHash(block.header, nobleCrypto)
    assert.isTrue(bytesEqual(hash, parameters.genesisHash))
    assert.isTrue(
      Result.isSuccess(merkleRootCommits(block, merkleRoot(transactionIds(block, nobleCrypto), nobleCrypto)))
    )
    assert.isTrue(Result.isSuccess(proofOfWork(hash, block.header.bits, parameters.work.powLimit)))
  })

  it.each(NETWORK_NAMES)("the network called %s is found by its name", (name) => {
    assert.strictEqual(networkCalled(name)?.name, name)
  })

  it("the subsidy halves every 210,000 blocks, and every 150 on regtest", () => {
    const intervals = Object.fromEntries(
      NETWORK_NAMES.map((name) => [name, NETWORKS[name].parameters.subsidyHalvingInterval])
    )
    assert.deepStrictEqual(intervals, {
      mainnet: 210_000,
      testnet3: 210_000,
      testnet4: 210_000,
      signet: 210_000,
      regtest: 150
    })
  })

  it("no network goes by another name", () => {
    assert.isUndefined(networkCalled("toString"))
    assert.isUndefined(networkCalled("main"))
  })

  it("no two networks share a magic or a port", () => {
    const networks = Object.values(NETWORKS)
    assert.strictEqual(new Set(networks.map(({ magic }) => magic.join())).size, networks.length)
    assert.strictEqual(new Set(networks.map(({ port }) => port)).size, networks.length)
  })

  it("seeds are host names", () => {
    for (const { dnsSeeds } of Object.values(NETWORKS)) {
      for (const seed of dnsSeeds) assert.match(seed, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
    }
  })
})
