import { assert, describe, it } from "@effect/vitest"
import { type Block, decodeBlock, type Transaction, witnessTransactionId } from "@lockstep/kernel/model"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import {
  missingIndexes,
  type Reconstruction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TransactionOutcome } from "../../../src/engine/api/mempool-calls.ts"
import type { AcceptedBlock } from "../../../src/engine/api/network-calls.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { compactBlockHandlers } from "../../../src/engine/host/compact-block-handlers.ts"
import { extraTransactions } from "../../../src/engine/state/extra-transactions.ts"
import { keepExtra } from "../../../src/engine/compact-blocks/keep-extra.ts"
import { matchTransactions } from "../../../src/engine/compact-blocks/match-transactions.ts"
import { openBlocks } from "../../../src/engine/compact-blocks/open-blocks.ts"
import type { TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { idOf, loose } from "../mempool/loose-transactions.ts"
import { testCrypto } from "../test-engine.ts"

const transaction = (tag: number, more: Partial<Parameters<typeof loose>[0]> = {}): Transaction =>
  loose({ inputs: [{ txid: new Uint8Array(32).fill(1), vout: tag }], values: [BigInt(tag)], ...more })

const wtxid = (tx: Transaction): Uint8Array => witnessTransactionId(tx, testCrypto)

const blockOf = (transactions: ReadonlyArray<Transaction>): Block =>
  Result.getOrThrow(decodeBlock(Buffer.concat([
    new Uint8Array(80).fill(9),
    Uint8Array.of(transactions.length),
    ...transactions.map(({ bytes }) => bytes)
  ])))

/** Five transactions, of which the first comes with the compact block. */
const FIVE = Array.from({ length: 5 }, (_, i) => transaction(i))
const BLOCK = blockOf(FIVE)
const COMPACT = encodeMessage(compactBlockOf(BLOCK, 7n, testCrypto))

const opened = (): Reconstruction =>
  Result.getOrThrow(reconstruction(compactBlockOf(BLOCK, 7n, testCrypto), testCrypto))

/** A mempool of these in mining order; counts how many were looked at. */
const mempoolOf = (transactions: ReadonlyArray<Transaction>) => {
  const looked: Array<number> = []
  const mempool = {
    graph: { miningOrder: () => transactions.keys() },
    wtxid: (i: number) => {
      looked.push(i)
      return wtxid(transactions[i]!)
    },
    txid: (i: number) => idOf(transactions[i]!),
    bytes: (i: number) => transactions[i]!.bytes
  }
  return { looked, mempool: mempool as unknown as TxMempool }
}

const extraOf = (transactions: ReadonlyArray<Transaction>) => {
  const extra = extraTransactions(100)
  for (const tx of transactions) extra.add({ wtxid: wtxid(tx), bytes: tx.bytes })
  return extra
}

describe("transactions that a compact block lacks", () => {
  it("are looked for in the mempool until none is missing, then beside it", () => {
    const { looked, mempool } = mempoolOf([FIVE[1]!, transaction(50), FIVE[2]!, FIVE[3]!, FIVE[4]!, transaction(51)])
    const all = opened()
    assert.deepStrictEqual(matchTransactions(all, mempool, extraOf([])), { found: 4, extra: 0 })
    assert.deepStrictEqual(looked, [0, 1, 2, 3, 4], "what stands behind the last one is not looked at")
    assert.deepStrictEqual(all.slots, FIVE.map(({ bytes }) => bytes))
    assert.deepStrictEqual([...all.known.has], [0, 1, 1, 1, 1], "the mempool knows the ids of its transactions")
    for (const i of [1, 2, 3, 4]) {
      assert.deepStrictEqual(all.known.transactionIds.slice(i * 32, i * 32 + 32), idOf(FIVE[i]!))
      assert.deepStrictEqual(all.known.witnessIds.slice(i * 32, i * 32 + 32), wtxid(FIVE[i]!))
    }
    const some = opened()
    const few = mempoolOf([FIVE[2]!])
    assert.deepStrictEqual(matchTransactions(some, few.mempool, extraOf([FIVE[4]!, transaction(60)])), {
      found: 2,
      extra: 1
    })
    assert.strictEqual(some.missing, 2)
  })

  it("are missing again where one beside the mempool fits the place of one in it, which does not count as found", () => {
    const rival = { wtxid: wtxid(FIVE[2]!), bytes: FIVE[3]!.bytes }
    const cases = [
      [[], { found: 1, extra: 0 }, [2, 3, 4]],
      [[FIVE[4]!], { found: 2, extra: 0 }, [2, 3]],
      [[FIVE[3]!, FIVE[4]!], { found: 3, extra: 1 }, [2]]
    ] as const
    for (const [others, matched, missing] of cases) {
      const extra = extraOf(others)
      extra.add(rival)
      const block = opened()
      const { mempool } = mempoolOf([FIVE[1]!, FIVE[2]!])
      assert.deepStrictEqual(matchTransactions(block, mempool, extra), matched)
      assert.deepStrictEqual(missingIndexes(block), missing)
    }
  })

  it("are not looked for in a mempool where none is missing, and may all be beside it", () => {
    const { looked, mempool } = mempoolOf(FIVE)
    const whole = opened()
    matchTransactions(whole, undefined, extraOf(FIVE.slice(1)))
    assert.strictEqual(whole.missing, 0)
    assert.deepStrictEqual(matchTransactions(whole, mempool, extraOf([])), { found: 0, extra: 0 })
    assert.deepStrictEqual(looked, [])
    assert.deepStrictEqual(matchTransactions(opened(), undefined, extraOf(FIVE)), { found: 4, extra: 4 })
  })

  it("stay as they are when the mempool forgets them", () => {
    const bytes = FIVE[1]!.bytes.slice()
    const block = opened()
    const { mempool } = mempoolOf([{ ...FIVE[1]!, bytes }])
    matchTransactions(block, mempool, extraOf([]))
    bytes.fill(0)
    assert.deepStrictEqual(block.slots[1], FIVE[1]!.bytes)
  })
})

describe("transactions that are kept for compact blocks", () => {
  it("are the last so many: each more takes the place of the oldest", () => {
    const kept = (most: number, count: number) => {
      const extra = extraTransactions(most)
      for (let i = 0; i < count; i++) extra.add({ wtxid: Uint8Array.of(i), bytes: new Uint8Array(1) })
      return [...extra.all()].map(({ wtxid: [tag] }) => tag!).toSorted((a, b) => a - b)
    }
    assert.deepStrictEqual(kept(3, 2), [0, 1])
    assert.deepStrictEqual(kept(3, 3), [0, 1, 2])
    assert.deepStrictEqual(kept(3, 5), [2, 3, 4])
    assert.deepStrictEqual(kept(0, 5), [])
  })

  /** Which transactions are kept, by witness id. */
  const keptOf = (tx: Transaction, outcome: object, origin: "first sight" | "again" | undefined) => {
    const extra = extraTransactions(10)
    keepExtra(
      { crypto: testCrypto, extra },
      tx,
      { txid: idOf(tx), wtxid: wtxid(tx), ...outcome } as TransactionOutcome,
      origin
    )
    return [...extra.all()]
  }
  const rejected = (what: string) => ({ _tag: "Rejected", rejection: { what }, missing: [] })

  it("are a peer's that were refused at first sight, unless the witness was stripped", () => {
    const tx = transaction(3)
    const kept = [{ wtxid: wtxid(tx), bytes: tx.bytes }]
    assert.deepStrictEqual(keptOf(tx, rejected("missing inputs"), "first sight"), kept)
    assert.deepStrictEqual(keptOf(tx, rejected("missing inputs"), "again"), [])
    assert.deepStrictEqual(keptOf(tx, rejected("missing inputs"), undefined), [], "a user's")
    assert.deepStrictEqual(keptOf(tx, rejected("witness stripped"), "first sight"), [])
    assert.deepStrictEqual(keptOf(tx, { _tag: "InMempool" }, "first sight"), [])
  })

  it("are smaller than 100,000 bytes by Bitcoin Core's count", () => {
    // 192 for the transaction, 128 for its input, 64 for its output, and the script in steps of 16.
    const ofUsage = (usage: number) => transaction(1, { outputScript: new Uint8Array(usage - 384 - 31), values: [1n] })
    assert.lengthOf(keptOf(ofUsage(99_984), rejected("x"), "first sight"), 1)
    assert.lengthOf(keptOf(ofUsage(100_000), rejected("x"), "first sight"), 0)
  })

  it("are those that an accepted one replaced, whenever it was judged", () => {
    const [tx, old, older] = [transaction(1), transaction(2), transaction(3)]
    const outcome = {
      _tag: "Accepted",
      replaced: [old, older].map((each) => ({ txid: idOf(each), bytes: each.bytes }))
    }
    const kept = [old, older].map((each) => ({ wtxid: wtxid(each), bytes: each.bytes }))
    assert.deepStrictEqual(keptOf(tx, outcome, "again"), kept)
    assert.deepStrictEqual(keptOf(tx, outcome, undefined), [])
  })
})

describe("compact blocks that are being put together", () => {
  it("are at most 24: the oldest is dropped for another one", () => {
    const blocks = openBlocks()
    for (let id = 0; id < 24; id++) blocks.open(id, opened())
    assert.deepStrictEqual([blocks.size(), blocks.find(0) === undefined], [24, false])
    blocks.open(24, opened())
    assert.deepStrictEqual([blocks.size(), blocks.find(0), blocks.find(1) === undefined], [24, undefined, false])
    blocks.close(1)
    assert.deepStrictEqual([blocks.size(), blocks.find(1)], [23, undefined])
  })

  const place = (transactions: ReadonlyArray<Transaction> = [], rejection?: AcceptedBlock["rejection"]) => {
    const accepted: Array<{ readonly bytes: Uint8Array; readonly requested: boolean }> = []
    const answer: AcceptedBlock = { hash: new Uint8Array(32).fill(3), isNew: true, rejection }
    const handlers = compactBlockHandlers(
      { crypto: testCrypto, extra: extraOf([]) } as unknown as ChainEngine,
      mempoolOf(transactions).mempool,
      (block) => Effect.sync(() => (accepted.push(block), answer))
    )
    return {
      accepted,
      answer,
      begin: (payload: Uint8Array = COMPACT) => handlers.beginCompactBlock({ id: 5, payload: payload.slice() }),
      fill: (payload?: Uint8Array, id = 5) => handlers.fillCompactBlock({ id, payload }),
      drop: handlers.dropCompactBlock({ id: 5 })
    }
  }

  const blocktxn = (transactions: ReadonlyArray<Transaction>): Uint8Array =>
    encodeMessage({ command: "blocktxn", block: new Uint8Array(32), transactions })

  it.effect("name what is missing, and are accepted as requested with what was sent for them", () =>
    Effect.gen(function*() {
      const { accepted, answer, begin, fill } = place([FIVE[3]!, FIVE[1]!])
      assert.deepStrictEqual(yield* begin(), { _tag: "Begun", missing: [2, 4], prefilled: 1, found: 2, extra: 0 })
      const sent = [FIVE[2]!, FIVE[4]!]
      assert.deepStrictEqual(yield* fill(blocktxn(sent)), {
        _tag: "Accepted",
        block: answer,
        requestedBytes: sent.reduce((sum, { bytes }) => sum + bytes.length, 0)
      })
      assert.deepStrictEqual(accepted.map(({ bytes, requested }) => [Buffer.from(bytes).toString("hex"), requested]), [
        [Buffer.from(BLOCK.bytes).toString("hex"), true]
      ])
      assert.deepStrictEqual(yield* fill(blocktxn(sent)), { _tag: "Failed" }, "it is not open any more")
    }))

  it.effect("need no message where nothing is missing", () =>
    Effect.gen(function*() {
      const { answer, begin, fill } = place(FIVE)
      assert.deepStrictEqual(yield* begin(), { _tag: "Begun", missing: [], prefilled: 1, found: 4, extra: 0 })
      assert.deepStrictEqual(yield* fill(), { _tag: "Accepted", block: answer, requestedBytes: 0 })
    }))

  it.effect("are impossible with more or fewer transactions than asked for, and then gone", () =>
    Effect.gen(function*() {
      for (const sent of [FIVE.slice(2, 4), FIVE.slice(2)]) {
        const { accepted, begin, fill } = place([FIVE[1]!, FIVE[4]!].slice(0, 1))
        yield* begin()
        const wrong = sent.length === 3 ? [...sent, FIVE[1]!] : sent
        assert.deepStrictEqual(yield* fill(blocktxn(wrong)), {
          _tag: "Impossible",
          why: "not as many transactions as missing"
        })
        assert.deepStrictEqual(yield* fill(blocktxn(FIVE.slice(2))), { _tag: "Failed" })
        assert.deepStrictEqual(accepted, [])
      }
    }))

  it.effect("stay as they were after a payload that is no message", () =>
    Effect.gen(function*() {
      const { begin, fill } = place([FIVE[1]!])
      yield* begin()
      assert.deepStrictEqual(yield* fill(Uint8Array.of(1, 2, 3)), { _tag: "Malformed" })
      assert.strictEqual((yield* fill(blocktxn(FIVE.slice(2))))._tag, "Accepted")
    }))

  it.effect("fail when they turn out to be another block, and are accepted when only a rule refuses them", () =>
    Effect.gen(function*() {
      for (const kind of ["mutated", "invalid"] as const) {
        const { begin, fill } = place(FIVE, { reason: "no", class: kind, rule: "BLK-018" })
        yield* begin()
        assert.strictEqual((yield* fill())._tag, kind === "mutated" ? "Failed" : "Accepted")
      }
    }))

  it.effect("are refused where they are no message, or no block can be meant, or two have one short id", () =>
    Effect.gen(function*() {
      const { begin, drop, fill } = place()
      assert.deepStrictEqual(yield* begin(COMPACT.subarray(0, 50)), { _tag: "Malformed" })
      const none = { ...compactBlockOf(BLOCK, 7n, testCrypto), shortIds: [], prefilled: [] }
      assert.deepStrictEqual(yield* begin(encodeMessage(none)), { _tag: "Impossible", why: "no transactions" })
      const twice = { ...compactBlockOf(BLOCK, 7n, testCrypto), shortIds: [1, 1] }
      assert.deepStrictEqual(yield* begin(encodeMessage(twice)), { _tag: "Collision" })
      assert.deepStrictEqual(yield* fill(), { _tag: "Failed" }, "none of them was kept")
      yield* begin()
      yield* drop
      assert.deepStrictEqual(yield* fill(), { _tag: "Failed" })
    }))
})
