import { blockIsMutated } from "@lockstep/kernel/block"
import { nobleCrypto } from "@lockstep/kernel/noble"
import {
  type Block,
  blockIdentity,
  decodeBlock,
  type Transaction,
  transactionOf,
  witnessTransactionId
} from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import fc from "fast-check"
import siphash from "siphash"
import { assert, describe, it } from "vitest"
import { sipHash, sipKey, sipNumber } from "../../src/siphash/sip-hash.ts"
import { compactBlockOf } from "../../src/wire/compact-block/compact-block-of.ts"
import {
  type CompactBlockFault,
  completed,
  missingIndexes,
  offerTransaction,
  type Reconstruction,
  reconstruction
} from "../../src/wire/compact-block/reconstruction.ts"
import { shortId, shortIdKey } from "../../src/wire/compact-block/short-id.ts"
import { decodeMessage, encodeMessage } from "../../src/wire/message.ts"
import type { CmpctBlockMessage } from "../../src/wire/messages/compact-blocks.ts"
import { check } from "./check.ts"
import { fromHex, toHex } from "./hex.ts"
import { bytesAt, conversation, jsonAt, recorded } from "./recorded-messages.ts"

const wtxid = (tx: Transaction): Uint8Array => witnessTransactionId(tx, nobleCrypto)
const offer = (parts: Reconstruction, tx: Transaction): boolean => offerTransaction(parts, wtxid(tx), () => tx.bytes)
const bytesOf = ({ transactions }: Block): ReadonlyArray<Uint8Array> => transactions.map(({ bytes }) => bytes)
const opened = (message: CmpctBlockMessage): Reconstruction => Result.getOrThrow(reconstruction(message, nobleCrypto))
const faultOf = (message: CmpctBlockMessage): CompactBlockFault | undefined => {
  const answer = reconstruction(message, nobleCrypto)
  return Result.isFailure(answer) ? answer.failure : undefined
}
const compact = (bytes: Uint8Array): CmpctBlockMessage => Result.getOrThrow(decodeMessage("cmpctblock", bytes)).message

interface SipHashRow {
  readonly key: ReadonlyArray<string>
  readonly input: ReadonlyArray<string>
  readonly expected: { readonly siphash24: string }
}

/** A transaction that `tag` sets apart from others. */
const transaction = (tag: number): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid: new Uint8Array(32).fill(1), vout: tag },
      script: new Uint8Array(0),
      sequence: 0,
      witness: []
    }],
    outputs: [{ value: BigInt(tag), script: new Uint8Array(1) }],
    lockTime: 0
  })

const blockOf = (count: number): Block => {
  const transactions = Array.from({ length: count }, (_, i) => transaction(i))
  const header = new Uint8Array(80).fill(9)
  return Result.getOrThrow(
    decodeBlock(Buffer.concat([header, Uint8Array.of(count), ...transactions.map(({ bytes }) => bytes)]))
  )
}

describe("SipHash", () => {
  it("is that of another implementation, for keys and messages of any kind", () => {
    fc.assert(fc.property(
      fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: 4, maxLength: 4 }),
      fc.uint8Array({ maxLength: 80 }),
      (words, message) => {
        const key = Uint32Array.from(words)
        const { h, l } = siphash.hash(key, message)
        assert.deepStrictEqual(sipHash(key, message), { high: h >>> 0, low: l >>> 0 })
      }
    ))
  })

  it("is the one of its authors: the key of 0 to 15, the message of 0 to 14", () => {
    const digest = sipHash(
      sipKey(Uint8Array.from({ length: 16 }, (_, i) => i)),
      Uint8Array.from({ length: 15 }, (_, i) => i)
    )
    assert.strictEqual(sipNumber(digest), 0xa129ca6149be45e5n)
  })

  it.skipIf(recorded("crypto/siphash.json") === undefined)("is that of the recorded values", () => {
    const rows = jsonAt(recorded("crypto/siphash.json")!) as ReadonlyArray<SipHashRow>
    assert.lengthOf(rows, 146)
    for (const { expected, input, key } of rows) {
      const message = fromHex(input.join(""))
      // The halves of a key are numbers, so their digits run backwards.
      const digest = sipHash(sipKey(Buffer.concat(key.map((half) => fromHex(half).reverse()))), message)
      assert.strictEqual(sipNumber(digest).toString(16).padStart(16, "0"), expected.siphash24)
    }
  })
})

describe("a compact block", () => {
  it("comes back as the block it was made of, whatever the receiver had", () => {
    check(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.bigInt(0n, 2n ** 64n - 1n), fc.nat(), (count, nonce, had) => {
        const block = blockOf(count)
        const message = compact(encodeMessage(compactBlockOf(block, nonce, nobleCrypto)))
        const parts = opened(message)
        assert.deepStrictEqual(
          missingIndexes(parts),
          Array.from({ length: count - 1 }, (_, i) => i + 1)
        )
        for (let i = 1; i < count; i++) {
          if (((had >> i) & 1) === 1) offer(parts, block.transactions[i]!)
        }
        offer(parts, transaction(99))
        const missing = missingIndexes(parts)
        assert.strictEqual(parts.missing, missing.length)
        assert.deepStrictEqual(
          missing,
          Array.from({ length: count }, (_, i) => i).filter((i) => i > 0 && ((had >> i) & 1) === 0)
        )
        const whole = Result.getOrThrow(
          completed(
            parts,
            missing.map((i) => block.transactions[i]!.bytes)
          )
        )
        assert.strictEqual(toHex(whole), toHex(block.bytes))
      })
    )
  })

  it("with prefilled transactions anywhere is put together around them", () => {
    const { header, transactions } = blockOf(6)
    const key = shortIdKey(header, 5n, nobleCrypto)
    const id = (i: number): number => shortId(key, wtxid(transactions[i]!))
    const prefilled = [1, 2, 5].map((index) => ({ index, transaction: transactions[index]! }))
    const parts = opened({ command: "cmpctblock", header, nonce: 5n, shortIds: [id(0), id(3), id(4)], prefilled })
    for (const i of [4, 0, 3]) offer(parts, transactions[i]!)
    assert.deepStrictEqual(missingIndexes(parts), [])
    assert.isTrue(Result.isSuccess(completed(parts, [])))
    assert.deepStrictEqual(parts.slots, transactions.map(({ bytes }) => bytes))
  })

  it("asks for a transaction that two candidates could be, and for none that the same one could be twice", () => {
    const block = blockOf(3)
    const parts = opened(compactBlockOf(block, 1n, nobleCrypto))
    const id = wtxid(block.transactions[1]!)
    offerTransaction(parts, id, () => block.transactions[1]!.bytes)
    offerTransaction(parts, id, () => block.transactions[1]!.bytes)
    assert.deepStrictEqual(missingIndexes(parts), [2])
    offerTransaction(parts, id, () => transaction(77).bytes)
    assert.deepStrictEqual(missingIndexes(parts), [1, 2])
    offerTransaction(parts, id, () => block.transactions[1]!.bytes)
    assert.deepStrictEqual(missingIndexes(parts), [1, 2])
  })

  it("is impossible without a header, without transactions, with an empty one, or with one outside", () => {
    const good = compactBlockOf(blockOf(3), 1n, nobleCrypto)
    const nothing = { ...transaction(0), inputs: [], outputs: [] }
    const at = (index: number, tx = transaction(0)) => ({ ...good, prefilled: [{ index, transaction: tx }] })
    const why = (message: CmpctBlockMessage): string | undefined => {
      const fault = faultOf(message)
      return fault?._tag === "Impossible" ? fault.why : fault?._tag
    }
    assert.isUndefined(why(good))
    assert.strictEqual(why({ ...good, header: { ...good.header, bits: 0 } }), "no header")
    assert.strictEqual(why({ ...good, shortIds: [], prefilled: [] }), "no transactions")
    assert.strictEqual(why(at(0, nothing)), "an empty transaction")
    assert.isUndefined(why(at(0, { ...nothing, outputs: transaction(0).outputs })))
    assert.isUndefined(why(at(2)))
    assert.strictEqual(why(at(3)), "an index beyond the block")
  })

  it("whose short ids repeat is no fault of the peer", () => {
    const good = compactBlockOf(blockOf(3), 1n, nobleCrypto)
    assert.deepStrictEqual(faultOf({ ...good, shortIds: [7, 3, 7] }), { _tag: "ShortIdCollision" })
  })

  it("answered with too few or too many transactions is impossible", () => {
    const block = blockOf(4)
    const parts = opened(compactBlockOf(block, 1n, nobleCrypto))
    for (const count of [2, 4]) assert.isTrue(Result.isFailure(completed(parts, bytesOf(block).slice(0, count))))
    assert.isTrue(Result.isSuccess(completed(parts, bytesOf(block).slice(0, 3))))
  })

  it("of chosen short ids takes no longer than any other", () => {
    const shortIds = Array.from({ length: 65_000 }, (_, i) => i * 2 ** 32)
    const parts = opened({ command: "cmpctblock", header: blockOf(1).header, nonce: 0n, shortIds, prefilled: [] })
    for (let i = 0; i < 1_000; i++) offerTransaction(parts, new Uint8Array(32).fill(i), () => transaction(i).bytes)
    assert.lengthOf(missingIndexes(parts), 65_000)
  })
})

describe.skipIf(recorded("p2p/compact_mainnet_426884.raw") === undefined)("recorded compact blocks", () => {
  it.each(["mainnet_426884", "testnet3_898352"])("of %s name the transactions of their block", (name) => {
    const message = compact(bytesAt(recorded(`p2p/compact_${name}.raw`)!))
    assert.strictEqual(toHex(encodeMessage(message)), toHex(bytesAt(recorded(`p2p/compact_${name}.raw`)!)))
    const bytes = bytesAt(recorded(`p2p/block_${name}.blk`)!)
    const block = Result.getOrThrow(decodeBlock(bytes))
    const parts = opened(message)
    assert.isAbove(missingIndexes(parts).length, 0)
    for (const tx of block.transactions) offer(parts, tx)
    assert.deepStrictEqual(missingIndexes(parts), [])
    const whole = Result.getOrThrow(completed(parts, []))
    assert.strictEqual(Buffer.compare(whole, bytes), 0)
    assert.isFalse(blockIsMutated(block, blockIdentity(block, nobleCrypto), true, nobleCrypto))
    // The coinbase is the only one that came along, so we would have made the same message.
    const { nonce, prefilled } = message
    if (prefilled.length === 1) {
      assert.deepStrictEqual(compactBlockOf(block, nonce, nobleCrypto).shortIds, message.shortIds)
    }
  })

  it("of a conversation are put together from the transactions that follow, or are impossible where it says so", () => {
    const rows = conversation(recorded("oracle/p2p/transcripts.jsonl.gz")!)
    const impossible: Array<string> = []
    let finished = 0
    let parts: Reconstruction | undefined
    for (const { command, payload, scenario } of rows) {
      if (command === "cmpctblock") {
        const answer = reconstruction(compact(payload), nobleCrypto)
        if (Result.isFailure(answer)) {
          impossible.push(`${scenario}: ${answer.failure._tag === "Impossible" ? answer.failure.why : ""}`)
        }
        parts = Result.isSuccess(answer) ? answer.success : undefined
        const known = rows.filter((row) => row.command === "tx" && row.payload.length > 60)
        for (const row of known) {
          const decoded = decodeMessage("tx", row.payload)
          if (parts !== undefined && Result.isSuccess(decoded)) {
            offer(parts, decoded.success.message.transaction)
          }
        }
      }
      if (command !== "blocktxn" || parts === undefined) continue
      const { transactions } = Result.getOrThrow(decodeMessage("blocktxn", payload)).message
      if (transactions.length !== missingIndexes(parts).length) continue
      const block = Result.getOrThrow(
        decodeBlock(Result.getOrThrow(completed(parts, transactions.map(({ bytes }) => bytes))))
      )
      const mutated = blockIsMutated(block, blockIdentity(block, nobleCrypto), true, nobleCrypto)
      assert.strictEqual(mutated, scenario === "cmpct_wrong_blocktxn", scenario)
      finished++
    }
    assert.deepStrictEqual(impossible, [
      "bad:cmpctblock bad prefilled index: an index beyond the block",
      "bad:cmpctblock empty after request: no transactions"
    ])
    assert.isAbove(finished, 0)
  })
})
