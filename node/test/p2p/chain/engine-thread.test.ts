import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { decodeBlock } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { join } from "node:path"
import { startChain } from "../../../src/engine-client/start-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { BLOCKS_DIRECTORY } from "../../../src/engine/host/open-engine.ts"
import { makeP2pChain } from "../../../src/p2p/chain/make-p2p-chain.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { blockReader } from "../../../src/storage/block-files/block-reader.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { plantChain, plantedRoot } from "../../engine/planted-blocks.ts"
import { loose, mine, outputOf, rawOf } from "../../engine/mempool/loose-transactions.ts"
import { regtestOptions, testCrypto } from "../../engine/test-engine.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

const started = Effect.fnUntraced(function*(directory: string) {
  const chain = yield* startChain(regtestOptions(directory))
  yield* chain.ready
  const reader = yield* blockReader({
    disk: nodeDisk("block-files"),
    directory: join(directory, BLOCKS_DIRECTORY),
    coreBlocks: undefined,
    magic: REGTEST.magic,
    crypto: testCrypto
  })
  const p2p = yield* makeP2pChain({
    chain,
    crypto: testCrypto,
    random: seededRandom(1),
    reader,
    onDefect: (defect) => assert.fail(String(defect))
  })
  return { chain, p2p }
})

describe("the network layer's chain, with the engine in its thread", () => {
  it.live(
    "sees everything that was answered, takes bytes over, and finds all of it after a restart",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const blocks = plantChain(plantedRoot(), 120)
        yield* Effect.scoped(Effect.gen(function*() {
          const { chain, p2p } = yield* started(directory)
          const headers = concatBytes(blocks.map(({ bytes }) => bytes.slice(0, 80)))
          // Part of a larger buffer, as a message in a frame is: the rest stays with its owner.
          const frame = concatBytes([Uint8Array.of(1, 2, 3), headers])
          assert.strictEqual((yield* p2p.acceptHeaders(frame.subarray(3))).accepted, 120)
          assert.strictEqual(frame.length, 3 + headers.length)
          assert.strictEqual(p2p.tree.bestHeader.height, 120)
          const tips: Array<number> = []
          p2p.listen({ tip: ({ height }) => tips.push(height) })
          yield* Effect.forEach(blocks.toReversed(), ({ bytes, node }) =>
            Effect.map(p2p.acceptBlock(bytes.slice(), true), ({ isNew }) => {
              assert.isTrue(isNew)
              assert.isTrue(has(p2p.tree, nodeOf(p2p.tree, node.hash)!, HeaderStatus.STORED))
            }), { concurrency: 8 })
          while (p2p.state().height < 120) {
            yield* Effect.sleep(5)
          }
          assert.strictEqual(tips.at(-1), 120)
          assert.strictEqual(p2p.tree.tip.height, 120)
          assert.deepStrictEqual(yield* p2p.blockBytes(p2p.tree.nodes[60]!), blocks[59]!.bytes)
          // Old enough to be spent.
          const { hashes } = yield* mine(chain, 101)
          const first = (yield* p2p.blockBytes(nodeOf(p2p.tree, hashes[0]!)!))!
          const coinbase = Result.getOrThrow(decodeBlock(first)).transactions[0]!
          const tx = loose({ inputs: [outputOf(coinbase)], values: [coinbase.outputs[0]!.value - 500n] })
          const added: Array<bigint> = []
          p2p.listen({
            transactionAdded: ({ fee }) =>
              added.push(fee)
          })
          assert.strictEqual((yield* p2p.acceptTransaction(rawOf(tx)))?._tag, "Accepted")
          assert.deepStrictEqual(added, [500n])
          const txid = (yield* p2p.mempoolIds)!
          assert.deepStrictEqual((yield* p2p.mempoolTransaction("txid", txid))?.bytes, rawOf(tx))
          const { wtxid } = p2p.mempool.find("txid", txid)!
          assert.deepStrictEqual(yield* p2p.inMiningOrder([wtxid, new Uint8Array(32)]), [wtxid])
          assert.strictEqual(p2p.mempool.size(), 1)
          const observed: Array<string> = []
          p2p.listen({
            transactionRemoved: (_transaction, reason) =>
              observed.push(reason),
            tip: () =>
              observed.push("tip")
          })
          yield* mine(chain, 1, [tx])
          assert.strictEqual(p2p.mempool.size(), 0)
          assert.deepStrictEqual(observed, ["block", "tip"])
        }))
        yield* Effect.scoped(Effect.gen(function*() {
          const { p2p } = yield* started(directory)
          assert.strictEqual(p2p.tree.tip.height, 222)
          assert.isTrue(has(p2p.tree, p2p.tree.nodes[120]!, HeaderStatus.CONNECTED))
        }))
      })
  )
})
