import fc, { type Arbitrary } from "fast-check"
import type { NaiveCoin, NaiveCoins } from "../oracles/coins.ts"
import { outPointKey } from "../oracles/coins.ts"
import type { NaiveTransaction } from "../oracles/transaction.ts"
import { anyBytes, bytesOf } from "./bytes.ts"
import { edgeAmount, edgeUint32 } from "./number.ts"

/** Scripts that make coins and scripts that do not, at the longest that does. */
const outputScript: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: anyBytes(6) },
  { weight: 2, arbitrary: anyBytes(4).map((rest) => Uint8Array.of(0x6a, ...rest)) },
  { weight: 1, arbitrary: fc.constantFrom(9_999, 10_000, 10_001).map((size) => new Uint8Array(size).fill(0x51)) }
)

const money: Arbitrary<bigint> = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 10_000n }) },
  { weight: 1, arbitrary: edgeAmount }
)

/** Coins of heights up to `maxHeight`, of any value. */
export const anyCoin = (maxHeight: number = 0x7fffffff): Arbitrary<NaiveCoin> =>
  fc.record({ value: money, script: outputScript, height: fc.nat(maxHeight), isCoinbase: fc.boolean() })

/** One of a few ids, so that they meet. */
export const fewIds: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3).map((byte) => new Uint8Array(32).fill(byte)) },
  { weight: 1, arbitrary: bytesOf(32) }
)

export const fewOutPoints: Arbitrary<{ readonly txid: Uint8Array; readonly vout: number }> = fc.record({
  txid: fewIds,
  vout: fc.oneof(fc.nat(2), fc.constant(0xffffffff))
})

/** Some coins at outpoints that come up again. */
export const someCoins = (maxHeight?: number): Arbitrary<NaiveCoins> =>
  fc
    .array(fc.tuple(fewOutPoints, anyCoin(maxHeight)), { maxLength: 10 })
    .map((placed) => new Map(placed.map(([{ txid, vout }, coin]) => [outPointKey(txid, vout), coin])))

/** A transaction that spends different ones of those outpoints. */
export const spendingTransaction: Arbitrary<NaiveTransaction> = fc.record({
  version: edgeUint32,
  inputs: fc
    .uniqueArray(fewOutPoints, { minLength: 1, maxLength: 4, selector: ({ txid, vout }) => outPointKey(txid, vout) })
    .chain((prevouts) =>
      fc.tuple(
        ...prevouts.map((prevout) =>
          edgeUint32.map((sequence) => ({ ...prevout, script: new Uint8Array(0), sequence, witness: [] }))
        )
      )
    ),
  outputs: fc.array(fc.record({ value: money, script: outputScript }), { maxLength: 3 }),
  lockTime: edgeUint32
})

/** A transaction with a coin for each of its inputs. */
export const transactionWithCoins = (
  maxHeight: number
): Arbitrary<{ readonly tx: NaiveTransaction; readonly coins: ReadonlyArray<NaiveCoin> }> =>
  spendingTransaction.chain((tx) =>
    fc.tuple(...tx.inputs.map(() => anyCoin(maxHeight))).map((coins) => ({ tx, coins }))
  )
