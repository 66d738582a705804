import { assert, describe, it } from "vitest"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { packageRequests } from "../../../src/p2p/relay/packages/package-requests.ts"
import { ancestorsFirst, scanPackage } from "../../../src/p2p/relay/packages/scan-package.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { idOf } from "../relay/made-orphan.ts"
import { pooled, spendingTransaction, unconfirmedTransaction } from "../relay/pool-transaction.ts"

const at = (milliseconds: number) => unixMilliseconds(1_700_000_000_000 + milliseconds)
const [A, B] = [idOf(1, 1), idOf(2, 1)]

describe("requests for the ancestors of orphans", () => {
  it("are one for an orphan at a time, and one of a peer ever", () => {
    const requests = packageRequests()
    const first = requests.begin(1, A, at(0))!
    assert.deepStrictEqual(first, {
      peer: 1,
      orphan: A,
      ancestors: undefined,
      wanted: [],
      until: at(60_000),
      isLate: false
    })
    assert.isUndefined(requests.begin(2, A, at(0)))
    assert.isTrue(requests.isUnderWay(A))
    requests.end(first)
    assert.deepStrictEqual([requests.isUnderWay(A), requests.of(1)], [false, []])
    assert.isUndefined(requests.begin(1, A, at(0)))
    assert.isDefined(requests.begin(2, A, at(0)))
  })

  it("are ten of a peer at a time", () => {
    const requests = packageRequests()
    const all = Array.from({ length: 10 }, (_, i) => requests.begin(1, idOf(i, 3), at(0))!)
    assert.deepStrictEqual(requests.of(1), all)
    assert.isUndefined(requests.begin(1, A, at(0)))
    assert.isDefined(requests.begin(2, B, at(0)))
    requests.end(all[0]!)
    assert.isDefined(requests.begin(1, A, at(0)))
  })

  it("are late after a minute: others are asked, and the answer may still come", () => {
    const requests = packageRequests()
    const first = requests.begin(1, A, at(0))!
    requests.begin(1, B, at(1))
    assert.deepStrictEqual(requests.overdue(at(59_999)), [])
    assert.deepStrictEqual(requests.overdue(at(60_000)), [first])
    assert.deepStrictEqual([first.isLate, requests.isUnderWay(A), requests.isUnderWay(B)], [true, false, true])
    assert.deepStrictEqual(requests.overdue(at(60_000)), [])
    assert.lengthOf(requests.of(1), 2)
    const second = requests.begin(2, A, at(60_000))!
    requests.end(first)
    assert.isTrue(requests.isUnderWay(A), "the one that is late ends no other")
    requests.end(second)
    assert.isFalse(requests.isUnderWay(A))
  })

  it("of a peer that goes are over; it may be asked again should it come back", () => {
    const requests = packageRequests()
    requests.begin(1, A, at(0))
    requests.overdue(at(60_000))
    const waiting = requests.begin(1, B, at(60_000))!
    assert.deepStrictEqual(requests.gone(1), [waiting])
    assert.deepStrictEqual([requests.of(1), requests.isUnderWay(B), requests.gone(1)], [[], false, []])
    assert.isDefined(requests.begin(1, A, at(0)))
  })

  it("forget who was asked for what is gone, unless it is under way", () => {
    const requests = packageRequests()
    requests.end(requests.begin(1, A, at(0))!)
    requests.tidy(() => true)
    assert.isUndefined(requests.begin(1, A, at(0)))
    const other = requests.begin(1, B, at(0))!
    requests.tidy(() => false)
    assert.isTrue(requests.isUnderWay(B))
    assert.isDefined(requests.begin(1, A, at(0)))
    requests.end(other)
    assert.isUndefined(requests.begin(1, B, at(0)))
  })
})

describe("the transactions of a package", () => {
  const first = unconfirmedTransaction(1)
  const second = unconfirmedTransaction(2, pooled(first).txid)
  const both = spendingTransaction(3, [{ txid: pooled(first).txid, vout: 1 }, { txid: pooled(second).txid, vout: 0 }])
  const packed = (all: ReadonlyArray<Uint8Array>, count = all.length) => concatBytes([encodeCompactSize(count), ...all])
  const scanned = (payload: Uint8Array) => scanPackage(payload, testCrypto)

  it("are read one after another, without bytes behind them", () => {
    const found = scanned(packed([first, second]))
    assert.deepStrictEqual(found.map(({ bytes }) => bytes), [first, second])
    assert.deepStrictEqual(found[1], scanTransaction(second, testCrypto))
    assert.deepStrictEqual(scanned(packed([])), [])
    assert.lengthOf(scanned(packed([first, second], 1)), 1)
  })

  it("are put in order, each once, with what the last descends from alone", () => {
    const [a, b, c, other] = [first, second, both, unconfirmedTransaction(9)].map((each) =>
      scanTransaction(each, testCrypto)!
    )
    assert.deepStrictEqual(ancestorsFirst(c!, [b!, other!, a!]), [a!, b!, c!])
    assert.deepStrictEqual(ancestorsFirst(b!, [c!, a!]), [a!, b!])
    assert.deepStrictEqual(ancestorsFirst(c!, []), [c!])
  })
})
