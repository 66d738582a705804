import { assert, describe, it } from "@effect/vitest"
import { childOf } from "@lockstep/kernel/chain"
import { decodeBlock, type OutPoint, transactionId, transactionOf } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assembleBlock } from "../../../src/engine/mining/block-assembly.ts"
import { identified } from "../../../src/engine/state/identified-block.ts"
import {
  prefetchToConnect,
  prevoutsToConnect,
  prevoutsToDisconnect
} from "../../../src/engine/validation/block-prevouts.ts"
import { PLANTED_AT, plantedRoot } from "../planted-blocks.ts"
import { testCrypto } from "../test-engine.ts"

const spend = (prevout: OutPoint, value: bigint) =>
  transactionOf({
    version: 2,
    inputs: [{ prevout, script: new Uint8Array(), sequence: 0xffffffff, witness: [] }],
    outputs: [{ value, script: Uint8Array.of(0x51) }],
    lockTime: 0
  })

const elsewhere = { txid: new Uint8Array(32).fill(7), vout: 3 }
const first = spend(elsewhere, 5n)
const own = { txid: transactionId(first, testCrypto), vout: 0 }
const root = plantedRoot()
const contents = {
  script: Uint8Array.of(0x51),
  transactions: [first, spend(own, 4n)],
  fees: 0n,
  now: PLANTED_AT,
  version: 0x20000000
}
const assembled = assembleBlock(root, contents, REGTEST.parameters, testCrypto)
const found = identified(Result.getOrThrow(decodeBlock(assembled.bytes)), testCrypto)
const node = childOf(root, found.block.header, found.identity.hash)

/** As if the rule against overwriting were in force up to that height. */
const upTo = (bip34: number) => ({ ...REGTEST.parameters, heights: { ...REGTEST.parameters.heights, bip34 } })

describe("the coins that a block needs", () => {
  it("are those it spends, of which it knows its own", () => {
    const needed = prevoutsToConnect(found, node, upTo(2), { mayBeStored: () => true })
    assert.deepStrictEqual(needed.spent, [elsewhere, own])
    assert.deepStrictEqual(needed.spent.map(needed.isOwn), [false, true])
    assert.isTrue(needed.isOwn({ ...own, vout: 9 }))
    const ids = found.block.transactions.map((tx) => transactionId(tx, testCrypto))
    assert.deepStrictEqual([...ids, found.identity.hash].map((txid) => needed.isOwn({ txid, vout: 0 })), [
      true,
      true,
      true,
      false
    ])
  })

  it("are those it makes as well where none may be overwritten, if there may be one already", () => {
    const made = (mayBeStored: (txid: Uint8Array) => boolean) =>
      prevoutsToConnect(found, node, upTo(2), { mayBeStored }).made
    // One of the coinbase, one of each of the two others.
    assert.strictEqual(made(() => true).length, 3)
    assert.deepStrictEqual(made((txid) => Buffer.compare(txid, own.txid) === 0), [own])
    assert.isEmpty(made(() => false))
  })

  it("are those it makes below the height of BIP34 and where nothing forbids to overwrite them, and nowhere else", () => {
    const repeated = [{ height: 1, hash: node.hash }]
    const made = (bip34: number, bip34Hash = root.hash, repeatedCoinbases: typeof repeated = []) => {
      const parameters = { ...upTo(bip34), bip34Hash, repeatedCoinbases }
      return prevoutsToConnect(found, node, parameters, { mayBeStored: () => true }).made.length
    }
    assert.strictEqual(made(0), 0, "the block of that height is the one that is known")
    assert.strictEqual(made(0, node.hash), 3, "it is another one")
    assert.strictEqual(made(1, node.hash, repeated), 0, "it may repeat a coinbase")
    assert.strictEqual(made(2, node.hash, repeated), 3, "and what was there is needed below that height")
  })

  it.effect("are gathered in two turns: its own ones are not looked for among what it spends, but as what it may overwrite", () =>
    Effect.gen(function*() {
      const turns: Array<ReadonlyArray<OutPoint>> = []
      const prefetchCoins = (
        outpoints: ReadonlyArray<OutPoint>,
        isElsewhere: (outpoint: OutPoint) => boolean = () => false
      ) => Effect.sync(() => void turns.push(outpoints.filter((each) => !isElsewhere(each))))
      yield* prefetchToConnect({ prefetchCoins, mayBeStored: () => true }, found, node, upTo(2))
      assert.deepStrictEqual(turns[0], [elsewhere])
      assert.deepInclude(turns[1]!, own)
      assert.strictEqual(turns.length, 2)
      turns.length = 0
      const isOne = (txid: Uint8Array) => Buffer.compare(txid, own.txid) === 0
      yield* prefetchToConnect({ prefetchCoins, mayBeStored: isOne }, found, node, upTo(2))
      assert.deepStrictEqual(turns, [[elsewhere], [own]])
      turns.length = 0
      yield* prefetchToConnect({ prefetchCoins, mayBeStored: () => false }, found, node, upTo(2))
      assert.deepStrictEqual(turns, [[elsewhere]])
    }))

  it("are those it made, spent and replaced, where it is disconnected", () => {
    const replaced = { txid: new Uint8Array(32).fill(9), vout: 1 }
    const coin = { value: 1n, script: new Uint8Array(), height: 1, isCoinbase: true }
    const needed = prevoutsToDisconnect(found, { spent: [], replaced: [{ outpoint: replaced, coin }] })
    const names = (outpoints: ReadonlyArray<OutPoint>) =>
      outpoints.map(({ txid, vout }) => `${Buffer.from(txid).toString("hex")}:${vout}`)
    const made = found.block.transactions.flatMap((tx) =>
      tx.outputs.map((_output, vout) => ({ txid: transactionId(tx, testCrypto), vout }))
    )
    // The witness commitment of the coinbase is unspendable.
    const spendable = [made[0]!, ...made.slice(-2)]
    assert.deepStrictEqual(names(needed), names([...spendable, elsewhere, own, replaced]))
  })
})
