import { bytesEqual, concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { assert, describe, it } from "vitest"
import { invalidateBlock, preciousBlock, reconsiderBlock, restart } from "../src/chain/choose.ts"
import { muHashOf } from "../src/chain/coin-set.ts"
import { importBlocks, shuffled } from "../src/chain/import-blocks.ts"
import { createStore, type Entry, entryOf, type Store } from "../src/chain/store.ts"
import { propose, submitBlock, submitHeader } from "../src/chain/submit.ts"
import { chainTips } from "../src/chain/tips.ts"
import { displayHexOf, hexOf } from "../src/formats/hex.ts"
import { ANYONE, coinbaseOf, hashOf, idOf, minedBlock, minedChain, type Unusual } from "./mined-block.ts"

const GENESIS = REGTEST.parameters.genesisHash
const NOW = 1_700_100_000

const newStore = (): Store => createStore(REGTEST.parameters, REGTEST.genesisBlock, NOW, nobleCrypto)
const submit = (store: Store, block: Uint8Array) => submitBlock(store, () => block)
const submitAll = (store: Store, blocks: ReadonlyArray<Uint8Array>) =>
  blocks.map((block) => submit(store, block).result)
const tipIs = (store: Store, block: Uint8Array) =>
  assert.strictEqual(displayHexOf(store.tip.node.hash), displayHexOf(hashOf(block)))
const entry = (store: Store, block: Uint8Array): Entry => entryOf(store, hashOf(block))!

describe("submitted blocks", () => {
  it("become the tip one after the other, and are known from then on", () => {
    const store = newStore()
    const blocks = minedChain(GENESIS, 1, 3)
    assert.deepStrictEqual(submitAll(store, blocks), [null, null, null])
    tipIs(store, blocks[2]!)
    assert.strictEqual(store.coins.table.size, 3)
    assert.strictEqual(submit(store, blocks[1]!).result, "duplicate")
    assert.strictEqual(submit(store, REGTEST.genesisBlock).result, "duplicate")
  })

  it("may have bytes behind them, and may not be cut off", () => {
    const store = newStore()
    const block = minedBlock(GENESIS, 1)
    assert.deepStrictEqual(submit(store, block.subarray(0, block.length - 1)).error, {
      code: -22,
      message: "Block decode failed"
    })
    assert.isNull(submit(store, concatBytes([block, Uint8Array.of(1, 2, 3)])).result)
  })

  it("need a parent that is there and not invalid", () => {
    const store = newStore()
    const [first, second] = minedChain(GENESIS, 1, 2)
    assert.strictEqual(submit(store, second!).result, "prev-blk-not-found")
    const greedy = minedBlock(GENESIS, 1, { coinbase: { outputs: [{ ...ANYONE, value: ANYONE.value + 1n }] } })
    assert.strictEqual(submit(store, greedy).result, "bad-cb-amount")
    assert.strictEqual(submit(store, greedy).result, "duplicate-invalid")
    assert.strictEqual(submit(store, minedBlock(hashOf(greedy), 2)).result, "bad-prevblk")
    assert.deepStrictEqual(submitAll(store, [first!, second!]), [null, null])
  })

  it("of which one fails on the way leave the chain where it was", () => {
    const store = newStore()
    const active = minedChain(GENESIS, 1, 2)
    submitAll(store, active)
    const greedy = minedBlock(GENESIS, 1, { coinbase: { outputs: [{ ...ANYONE, value: ANYONE.value + 1n }] } })
    const branch = [greedy, ...minedChain(hashOf(greedy), 2, 2)]
    const before = hexOf(muHashOf(store.coins, nobleCrypto))
    // The last one is never looked at: its ancestor fails first.
    assert.deepStrictEqual(submitAll(store, branch), ["inconclusive", "inconclusive", "inconclusive"])
    tipIs(store, active[1]!)
    assert.strictEqual(hexOf(muHashOf(store.coins, nobleCrypto)), before)
    assert.strictEqual(submit(store, branch[2]!).result, "duplicate-invalid")
  })

  it("that waited for their parent count in the order in which they came, whatever order their headers came in", () => {
    const store = newStore()
    const parent = minedBlock(GENESIS, 1)
    const [one, other] = [minedBlock(hashOf(parent), 2, { tag: 1 }), minedBlock(hashOf(parent), 2, { tag: 2 })]
    for (const block of [parent, one, other]) assert.isNull(submitHeader(store, block.subarray(0, 80)).result)
    assert.deepStrictEqual(submitAll(store, [other, one]), ["inconclusive", "inconclusive"])
    submit(store, parent)
    tipIs(store, other)
  })

  it("that repeat transactions are refused without harm to the block they imitate", () => {
    const store = newStore()
    submitAll(store, minedChain(GENESIS, 1, 101))
    const spend = (script: Uint8Array) => ({
      version: 2,
      inputs: [{
        prevout: { txid: idOf(coinbaseOf(1)), vout: 0 },
        script: new Uint8Array(0),
        sequence: 0xffffffff,
        witness: []
      }],
      outputs: [{ value: ANYONE.value, script }],
      lockTime: 0
    })
    const first = spend(Uint8Array.of(0x51))
    const second = {
      ...first,
      inputs: [{ ...first.inputs[0]!, prevout: { txid: idOf(first), vout: 0 } }]
    }
    const parent = store.tip.node.hash
    const honest = minedBlock(parent, 102, { transactions: [first, second] })
    const repeated = minedBlock(parent, 102, { transactions: [first, second, second] })
    assert.isTrue(bytesEqual(honest.subarray(36, 68), repeated.subarray(36, 68)))
    const imitation = concatBytes([honest.subarray(0, 80), repeated.subarray(80)])
    assert.strictEqual(submit(store, imitation).result, "bad-txns-duplicate")
    assert.isUndefined(entry(store, honest))
    assert.isNull(submit(store, honest).result)
  })

  it("get the witness that their coinbase commits to", () => {
    const store = newStore()
    const commitment = nobleCrypto.sha256d(new Uint8Array(64))
    const script = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed, ...commitment)
    const unusual: Unusual = { coinbase: { outputs: [ANYONE, { value: 0n, script }] } }
    assert.isNull(submit(store, minedBlock(GENESIS, 1, unusual)).result)
  })
})

describe("the best chain", () => {
  it("is the first seen of two with equal work, until one is longer", () => {
    const store = newStore()
    const [a, b] = [minedChain(GENESIS, 1, 2, 1), minedChain(GENESIS, 1, 3, 2)]
    submitAll(store, a)
    assert.deepStrictEqual(submitAll(store, b), ["inconclusive", "inconclusive", null])
    tipIs(store, b[2]!)
  })

  it("is the one whose blocks were there first, not whose headers", () => {
    const store = newStore()
    const [a, b] = [minedBlock(GENESIS, 1, { tag: 1 }), minedBlock(GENESIS, 1, { tag: 2 })]
    assert.isNull(submitHeader(store, a).result)
    submitAll(store, [b, a])
    tipIs(store, b)
  })

  it("waits for blocks that are missing", () => {
    const store = newStore()
    const [first, second, third] = minedChain(GENESIS, 1, 3) as [Uint8Array, Uint8Array, Uint8Array]
    for (const block of [first, second, third]) submitHeader(store, block.subarray(0, 80))
    assert.deepStrictEqual(submitAll(store, [third, second]), ["inconclusive", "inconclusive"])
    assert.deepStrictEqual(chainTips(store).map(({ status }) => status), ["headers-only", "active"])
    assert.isNull(submit(store, first).result)
    tipIs(store, third)
  })

  it("is the precious one among equals, also after others", () => {
    const store = newStore()
    const [a, b] = [minedBlock(GENESIS, 1, { tag: 1 }), minedBlock(GENESIS, 1, { tag: 2 })]
    submitAll(store, [a, b])
    preciousBlock(store, entry(store, b))
    tipIs(store, b)
    preciousBlock(store, entry(store, a))
    tipIs(store, a)
    restart(store)
    tipIs(store, a)
  })

  it("is never one with a block that was declared invalid, until it is reconsidered", () => {
    const store = newStore()
    const [a, b] = [minedChain(GENESIS, 1, 3, 1), minedChain(GENESIS, 1, 2, 2)]
    submitAll(store, [...a, ...b])
    const before = hexOf(muHashOf(store.coins, nobleCrypto))
    invalidateBlock(store, entry(store, a[1]!))
    tipIs(store, b[1]!)
    assert.strictEqual(submit(store, minedBlock(hashOf(a[2]!), 4)).result, "bad-prevblk")
    reconsiderBlock(store, entry(store, a[2]!))
    tipIs(store, a[2]!)
    assert.strictEqual(hexOf(muHashOf(store.coins, nobleCrypto)), before)
  })

  it("is the same whatever order blocks are imported in", () => {
    const a = minedChain(GENESIS, 1, 4, 1)
    const b = minedChain(hashOf(a[1]!), 3, 3, 2)
    for (let seed = 0; seed < 8; seed++) {
      const store = newStore()
      assert.strictEqual(importBlocks(store, shuffled([...a, ...b], seed)), 0)
      tipIs(store, b[2]!)
    }
  })
})

describe("headers", () => {
  it("need a parent, and are judged by the clock", () => {
    const store = newStore()
    const [first, second] = minedChain(GENESIS, 1, 2)
    assert.deepStrictEqual(submitHeader(store, second!).error?.code, -25)
    const early = minedBlock(GENESIS, 1, { time: NOW + 7_201 })
    assert.deepStrictEqual(submitHeader(store, early).error, { code: -25, message: "time-too-new" })
    store.now++
    assert.isNull(submitHeader(store, early).result)
    assert.isNull(submitHeader(store, first!.subarray(0, 80)).result)
    assert.strictEqual(submitHeader(store, first!.subarray(0, 79)).error?.code, -22)
  })
})

describe("proposals", () => {
  it("are judged as the next block and leave nothing behind", () => {
    const store = newStore()
    const [first, second] = minedChain(GENESIS, 1, 2)
    assert.isNull(propose(store, first!).result)
    assert.strictEqual(store.entries.size, 1)
    assert.strictEqual(propose(store, second!).result, "inconclusive-not-best-prevblk")
    const withoutWork = Uint8Array.from(first!)
    for (let nonce = 0; nonce < 256 && (hashOf(withoutWork)[31]! & 0x80) === 0; nonce++) withoutWork[76] = nonce
    assert.strictEqual(submit(store, withoutWork).result, "high-hash")
    assert.isNull(propose(store, withoutWork).result)
    submitHeader(store, first!)
    assert.strictEqual(propose(store, first!).result, "duplicate-inconclusive")
    submit(store, first!)
    assert.strictEqual(propose(store, first!).result, "duplicate")
    invalidateBlock(store, entry(store, first!))
    assert.strictEqual(propose(store, first!).result, "duplicate-invalid")
    assert.deepStrictEqual(propose(store, first!.subarray(0, 90)).error?.code, -22)
  })
})
