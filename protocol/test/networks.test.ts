import { bytesEqual } from "@lockstep/kernel/bytes"
import { merkleRoot, merkleRootCommits } from "@lockstep/kernel/block"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { blockHash, decodeBlock, transactionIds } from "@lockstep/kernel/model"
import { proofOfWork } from "@lockstep/kernel/work"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { Network, NetworkName } from "../src/networks/network.ts"
import { NETWORK_NAMES, networkCalled, NETWORKS } from "../src/networks/table.ts"
import { valuesOf } from "./network-values.ts"

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

  /** Every value as a literal, so that none changes unnoticed: a change is made there too, on purpose. */
  const values = JSON.parse(readFileSync(join(import.meta.dirname, "network-values.json"), "utf8")) as Readonly<
    Record<string, unknown>
  >

  it.each(NETWORK_NAMES)("%s has the values that are written down", (name) => {
    assert.deepStrictEqual(valuesOf(NETWORKS[name]), values[name])
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
      for (const seed of dnsSeeds) assert.match(seed, /^[a-z0-9-]+(\.[a-z0-9-]+)+\.?$/i)
    }
  })

  // What neither a hash nor a signature would give away. The numbers of Bitcoin Core 31.
  const heightsOf = ({ parameters: { heights: { bip34, bip65, bip66, csv, segwit } } }: Network) =>
    [bip34, bip66, bip65, csv, segwit].join(" ")
  const wordsOf = ({ addresses: { publicKeyHash, scriptHash, witness }, magic, port }: Network) =>
    `${Buffer.from(magic).toString("hex")} ${port} ${publicKeyHash} ${scriptHash} ${witness}`
  const stateOf = ({ assumedValid, chainTransactions: { count, rate, time }, minimumChainWork }: Network) =>
    [minimumChainWork.toString(16), assumedValid?.height, time, count, rate].join(" ")

  it.each<readonly [NetworkName, string, string, string]>([
    [
      "mainnet",
      "227931 363725 388381 419328 481824",
      "f9beb4d9 8333 0 5 bc",
      "1128750f82f4c366153a3a030 938343 1772055173 1315805869 5.40111006496122"
    ],
    [
      "testnet3",
      "21111 330776 581885 770112 834624",
      "0b110907 18333 111 196 tb",
      "17dde1c649f3708d14b6 4842348 1772051651 536108416 0.02691479016257117"
    ],
    [
      "testnet4",
      "1 1 1 1 1",
      "1c163f28 48333 111 196 tb",
      "9a0fe15d0177d086304 123613 1772013387 14191421 0.01848579579528412"
    ],
    [
      "signet",
      "1 1 1 1 1",
      "0a03cf40 38333 111 196 tb",
      "b463ea0a4b8 293175 1772055248 28676833 0.06736623436338929"
    ],
    ["regtest", "1 1 1 1 0", "fabfb5da 18444 111 196 bcrt", "0  0 0 0.001"]
  ])("the numbers of %s are its own", (name, heights, words, state) => {
    const network = NETWORKS[name]
    assert.deepStrictEqual([heightsOf(network), wordsOf(network), stateOf(network)], [heights, words, state])
  })

  it("the work of each network goes by its own rules", () => {
    const rules = Object.values(NETWORKS).map(({ name, parameters: { work } }) => [
      name,
      work.powLimit.toString(16).padStart(64, "0").slice(0, 12),
      work.targetTimespan,
      work.targetSpacing,
      ...[work.allowMinDifficulty, work.noRetargeting, work.bip94].map(Number)
    ])
    assert.deepStrictEqual(rules, [
      ["mainnet", "00000000ffff", 1_209_600, 600, 0, 0, 0],
      ["testnet3", "00000000ffff", 1_209_600, 600, 1, 0, 0],
      ["testnet4", "00000000ffff", 1_209_600, 600, 1, 0, 1],
      ["signet", "00000377ae00", 1_209_600, 600, 0, 0, 0],
      ["regtest", "7fffffffffff", 86_400, 600, 1, 1, 0]
    ])
  })

  it("snapshots of coins are known at these heights, with so many transactions up to there", () => {
    const known = Object.values(NETWORKS).flatMap(({ assumeUtxo, name }) =>
      assumeUtxo.map(({ chainTransactions, height }) => [name, height, chainTransactions])
    )
    assert.deepStrictEqual(known, [
      ["mainnet", 840_000, 991_032_194],
      ["mainnet", 880_000, 1_145_604_538],
      ["mainnet", 910_000, 1_226_586_151],
      ["mainnet", 935_000, 1_305_397_408],
      ["testnet3", 2_500_000, 66_484_552],
      ["testnet4", 90_000, 11_347_043],
      ["testnet4", 120_000, 14_141_057],
      ["signet", 160_000, 2_289_496],
      ["signet", 290_000, 28_547_497],
      ["regtest", 110, 111],
      ["regtest", 200, 201],
      ["regtest", 299, 334]
    ])
  })
})
