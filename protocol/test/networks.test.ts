import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import { merkleRootCommits, transactionIds } from "@lockstep/kernel/block/merkle-commitment.ts"
import { merkleRoot } from "@lockstep/kernel/block/merkle.ts"
import { nobleCrypto } from "@lockstep/kernel/crypto/noble.ts"
import { decodeBlock } from "@lockstep/kernel/model/block.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import { proofOfWork } from "@lockstep/kernel/work/proof-of-work.ts"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { NETWORK_NAMES, networkCalled, NETWORKS } from "../src/networks/table.ts"

describe("networks", () => {
  it.each(NETWORK_NAMES)("the genesis block of %s has its hash, commits to its coinbase and shows work", (name) => {
    const { genesisBlock, parameters } = NETWORKS[name]
    const block = Result.getOrThrow(decodeBlock(genesisBlock))
    const hash = blockHash(block.header, nobleCrypto)
    assert.isTrue(bytesEqual(hash, parameters.genesisHash))
    assert.isTrue(Result.isSuccess(merkleRootCommits(block, merkleRoot(transactionIds(block, nobleCrypto), nobleCrypto))))
    assert.isTrue(Result.isSuccess(proofOfWork(hash, block.header.bits, parameters.work.powLimit)))
  })

  it.each(NETWORK_NAMES)("the network called %s is found by its name", (name) => {
    assert.strictEqual(networkCalled(name)?.name, name)
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
