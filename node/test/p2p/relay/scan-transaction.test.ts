import { assert, describe, it } from "vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import {
  parentTxids,
  scanTransaction,
  spendsFrom,
  spentOutpoints,
  transactionsIn
} from "../../../src/p2p/relay/scan-transaction.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { idOf, outpointOf } from "./made-orphan.ts"
import { bareTransaction, spendingTransaction, unconfirmedTransaction } from "./pool-transaction.ts"

const scanned = (bytes: Uint8Array) => scanTransaction(bytes, testCrypto)!

describe("what a transaction spends", () => {
  it("is its outpoints of 36 bytes, with and without witnesses", () => {
    const [a, b] = [idOf(1, 7), idOf(2, 7)]
    const bytes = spendingTransaction(1, [{ txid: a, vout: 3 }, { txid: b, vout: 0 }])
    assert.deepStrictEqual(spentOutpoints(scanned(bytes)), [outpointOf(a, 3), outpointOf(b)])
    assert.deepStrictEqual(spentOutpoints(scanned(bareTransaction(1, a))), [outpointOf(a)])
  })

  it("is of each parent once, wherever it stands", () => {
    const [a, b] = [idOf(1, 7), idOf(2, 7)]
    const parents = (...all: ReadonlyArray<Uint8Array>) =>
      parentTxids(scanned(spendingTransaction(1, all.map((txid, vout) => ({ txid, vout })))))
    assert.deepStrictEqual(parents(a, a, b, b, a), [a, b])
    assert.deepStrictEqual(parents(b, a, b), [a, b])
    assert.deepStrictEqual(parents(b), [b])
  })
})

describe("whether a transaction has witnesses", () => {
  it("is said by the fifth byte and the sixth together, whatever its version is", () => {
    const likeFlag = bareTransaction(4, new Uint8Array(32).fill(1))
    assert.deepStrictEqual([scanned(likeFlag).hasWitness, scanned(likeFlag).inputs], [false, 1])
    const likeMarker = concatBytes([new Uint8Array(4), Uint8Array.of(0, 0), new Uint8Array(4)])
    assert.deepStrictEqual([scanned(likeMarker).hasWitness, scanned(likeMarker).outputs], [false, 0])
    const versioned = unconfirmedTransaction(1)
    versioned.fill(0xff, 0, 4)
    assert.isTrue(scanned(versioned).hasWitness)
  })

  it("has nothing to do with bytes behind the lock time, which belong to no id", () => {
    for (const bytes of [bareTransaction(1), unconfirmedTransaction(1)]) {
      for (const more of [1, 7, 300]) {
        assert.deepStrictEqual(scanned(concatBytes([bytes, new Uint8Array(more)])), scanned(bytes))
      }
    }
  })
})

describe("bytes that break off", () => {
  it("are no transaction, though there are enough of them behind", () => {
    const broken = bareTransaction(1)
    // The script of the input is said to be longer than the whole transaction.
    broken[4 + 1 + 36] = 250
    assert.isUndefined(scanTransaction(broken, testCrypto))
    // And so is the number of outputs.
    const many = bareTransaction(1)
    many[4 + 1 + 41] = 200
    assert.isUndefined(scanTransaction(many, testCrypto))
  })

  it("end the transactions of a block", () => {
    const all = [bareTransaction(1), unconfirmedTransaction(2)]
    const block = concatBytes([new Uint8Array(80), Uint8Array.of(250), ...all])
    assert.deepStrictEqual(transactionsIn(block).slice(0, 2), all)
    assert.isBelow(transactionsIn(block).length, 5)
  })
})

describe("a transaction that is scanned", () => {
  const [a, b] = [idOf(2, 7), idOf(1, 7)]
  const bytes = spendingTransaction(1, [{ txid: a, vout: 0 }, { txid: b, vout: 3 }, { txid: a, vout: 1 }])

  it("has its weight, its ids and the number of its parts", () => {
    const whole = scanned(bytes)
    // Marker, flag and five bytes of witnesses count once, the rest four times.
    assert.deepStrictEqual([whole.weight, whole.inputs, whole.outputs], [4 * (bytes.length - 7) + 7, 3, 1])
    const bare = bareTransaction(1)
    const { hasWitness, txid, weight, wtxid } = scanned(bare)
    assert.deepStrictEqual([hasWitness, weight, txid], [false, 4 * bare.length, wtxid])
    assert.deepStrictEqual(txid, testCrypto.sha256d(bare))
    assert.deepStrictEqual(scanned(unconfirmedTransaction(1)).txid, txid)
  })

  it("has its parents each once, in raw order", () => {
    assert.deepStrictEqual(parentTxids(scanned(bytes)), [b, a])
    assert.deepStrictEqual([a, b, idOf(3, 7)].map((txid) => spendsFrom(scanned(bytes), txid)), [true, true, false])
  })

  it("is none where it ends too early", () => {
    const bare = bareTransaction(1)
    assert.isUndefined(scanTransaction(bare.subarray(0, -1), testCrypto))
    assert.isUndefined(scanTransaction(new Uint8Array(9), testCrypto))
    assert.isDefined(scanTransaction(new Uint8Array(10), testCrypto))
  })

  it("is cut out of a block, with and without witnesses", () => {
    // The first byte behind the number of inputs is the 1 that stands behind the marker elsewhere.
    const likeFlag = bareTransaction(4, new Uint8Array(32).fill(1))
    const all = [bareTransaction(1), bytes, unconfirmedTransaction(2), likeFlag, bareTransaction(3)]
    const block = concatBytes([new Uint8Array(80), Uint8Array.of(all.length), ...all])
    assert.deepStrictEqual(transactionsIn(block), all)
  })
})
