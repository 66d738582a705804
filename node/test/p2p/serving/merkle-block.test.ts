import { assert, describe, it } from "@effect/vitest"
import { merkleRoot } from "@lockstep/kernel/block"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { decodeTransaction, type Transaction, transactionId } from "@lockstep/kernel/model"
import { addToFilter, type BloomFilter, bloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { provenIds } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import type { Command, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { testCrypto } from "../../engine/test-engine.ts"
import { connectTo, type ScriptedPeer, settle, shakeHands } from "../peer/scripted-peer.ts"
import { hollowBlock, stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { unconfirmedTransaction } from "../relay/pool-transaction.ts"
import { servingOf } from "./served.ts"

const COUNT = 900
const salts = Array.from({ length: COUNT }, (_, i) => i)

const decoded = (salt: number): Transaction =>
  Result.getOrThrow(decodeTransaction(unconfirmedTransaction(salt)) as Result.Result<Transaction, unknown>)

const idOf = (salt: number): Uint8Array => transactionId(decoded(salt), testCrypto)

const messagesOf = <C extends Command>({ received }: ScriptedPeer, command: C): ReadonlyArray<MessageOf<C>> =>
  received.filter((each) => each.command === command).map(({ payload }) =>
    Result.getOrThrow(decodeMessage(command, payload)).message
  )

const filterOf = (...items: ReadonlyArray<Uint8Array>): BloomFilter => {
  const filter = bloomFilter({ filter: new Uint8Array(4_000), hashFunctions: 12, tweak: 9, flags: 1 })
  for (const item of items) addToFilter(filter, item)
  return filter
}

/** A node with one block of transactions, and a peer with this filter that has requested it filtered. */
const asked = Effect.fnUntraced(function*(filter: BloomFilter | undefined) {
  const chain = stillChain()
  const node = chain.extend(concatBytes([
    hollowBlock(chain.tree.tip).subarray(0, 80),
    encodeCompactSize(COUNT),
    ...salts.map((salt) => unconfirmedTransaction(salt))
  ]))
  const host = yield* testHost({
    chain,
    start: node.header.time * 1_000,
    services: () => ServiceFlag.NETWORK | ServiceFlag.WITNESS | ServiceFlag.BLOOM,
    parts: (context) => Effect.map(servingOf(context, { filterOf: () => filter }), (part) => [part])
  })
  const peer = connectTo(host.host, host.magic)
  yield* shakeHands(peer)
  peer.say({ command: "getdata", inventory: [{ type: InventoryType.FILTERED_BLOCK, hash: node.hash }] })
  yield* settle
  return { peer, header: node.header.bytes }
})

describe("filtered blocks", () => {
  it.effect("prove what matches, which follows without witnesses in the order of the block", () =>
    Effect.gen(function*() {
      const wanted = [3, 500, COUNT - 1]
      const { header, peer } = yield* asked(filterOf(...wanted.map(idOf)))
      const message = peer.last("merkleblock")
      assert.deepStrictEqual(message.header, header)
      assert.strictEqual(message.transactions, COUNT)
      const proven = provenIds(message, testCrypto)!
      assert.deepStrictEqual(proven.ids, wanted.map(idOf))
      assert.deepStrictEqual(proven.root, merkleRoot(concatBytes(salts.map(idOf)), testCrypto).root)
      const sent = messagesOf(peer, "tx").map(({ transaction }) => transaction)
      assert.deepStrictEqual(sent.map((transaction) => transactionId(transaction, testCrypto)), wanted.map(idOf))
      assert.isFalse(sent.some(({ hasWitness }) => hasWitness))
      assert.deepStrictEqual(peer.commands().slice(-4), ["merkleblock", "tx", "tx", "tx"])
    }))

  it.effect("of which nothing matches are a header and a root", () =>
    Effect.gen(function*() {
      const { peer } = yield* asked(filterOf())
      const message = peer.last("merkleblock")
      assert.deepStrictEqual(provenIds(message, testCrypto)?.ids, [])
      assert.strictEqual(message.hashes.length, 1)
      assert.notInclude(peer.commands(), "tx")
    }))

  it.effect("are not sent to a peer without a filter", () =>
    Effect.gen(function*() {
      const { peer } = yield* asked(undefined)
      assert.notInclude(peer.commands(), "merkleblock")
      assert.isFalse(peer.is.closed)
    }))
})
