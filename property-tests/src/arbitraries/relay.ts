import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import { pushOf } from "../oracles/instructions.ts"
import type { NaiveRate } from "../oracles/relay.ts"
import type { NaiveOutput, NaiveTransaction } from "../oracles/transaction.ts"
import { bytesOf, edgeBytes, mutated } from "./bytes.ts"
import { anyScript, pushOnlyScript } from "./script.ts"

/** Rates of every sign, also none; amounts that make a difference of one satoshi likely. */
export const anyRate: Arbitrary<NaiveRate> = fc.record({
  fee: fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: -5_000n, max: 500_000n })),
  size: fc.oneof(
    fc.integer({ min: -2, max: 20 }),
    fc.constantFrom(1000, 1000, 999),
    fc.integer({ min: 1, max: 100_000 })
  )
})

/** The same with a size above zero. */
export const realRate: Arbitrary<NaiveRate> = anyRate.filter(({ size }) => size > 0)

/** The rates that are set in use: not negative. */
export const setRate: Arbitrary<NaiveRate> = realRate.filter(({ fee }) => fee >= 0n)

export const anySize: Arbitrary<number> = fc.oneof(fc.nat(30), fc.nat(110_000))

const key = fc.oneof(
  fc.tuple(fc.constantFrom(2, 3), bytesOf(32)).map(([first, rest]) => join([first], rest)),
  fc.tuple(fc.constantFrom(4, 6, 7), bytesOf(64)).map(([first, rest]) => join([first], rest)),
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(2, 4, 5), fc.constantFrom(31, 32, 63, 64)).map(([first, size]) =>
      join([first], new Uint8Array(size))
    )
  }
)

const countOpcode: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 81, max: 84 }).map((opcode) => Uint8Array.of(opcode)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom([80], [0], [96], [1, 17], [1, 20], [1, 21], [1, 16], [2, 17, 0]).map((bytes) =>
      Uint8Array.from(bytes)
    )
  }
)

const multisig: Arbitrary<Uint8Array> = fc.tuple(countOpcode, fc.array(key, { maxLength: 5 }), fc.option(countOpcode))
  .map((
    [required, keys, stated]
  ) => join(required, ...keys.map(pushOf), stated ?? [80 + keys.length], [174]))

const hash = (size: number) => bytesOf(size)

/** Outputs of every form, near misses of them, and others. */
export const outputScript: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 3, arbitrary: hash(20).map((h) => join([118, 169, 20], h, [136, 172])) },
  { weight: 2, arbitrary: hash(20).map((h) => join([169, 20], h, [135])) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(0, 0, 81, 81, 82, 96), fc.constantFrom(2, 20, 32, 33, 40)).chain(([v, n]) =>
      hash(n).map((program) => join([v, n], program))
    )
  },
  { weight: 1, arbitrary: fc.constant(Uint8Array.of(0x51, 2, 0x4e, 0x73)) },
  { weight: 2, arbitrary: pushOnlyScript.map((data) => join([106], data)) },
  { weight: 2, arbitrary: key.map((k) => join(pushOf(k), [172])) },
  { weight: 3, arbitrary: multisig },
  { weight: 1, arbitrary: anyScript },
  { weight: 1, arbitrary: fc.constantFrom(252, 253, 10_000, 10_001).map((size) => new Uint8Array(size).fill(0x61)) }
)

/** The same with small damage to some. */
export const doubtfulOutputScript: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: outputScript },
  { weight: 1, arbitrary: mutated(outputScript) }
)

const value: Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(0n, 239n, 240n, 293n, 294n, 329n, 330n, 539n, 540n, 545n, 546n, 576n),
  fc.bigInt({ min: 0n, max: 3_000n }),
  fc.constant(100_000n)
)

export const relayedOutput: Arbitrary<NaiveOutput> = fc.record({ value, script: doubtfulOutputScript })

const txid = fc.nat(3).map((byte) => new Uint8Array(32).fill(byte + 1))

const scriptSig = fc.oneof(
  { weight: 6, arbitrary: pushOnlyScript },
  { weight: 1, arbitrary: anyScript },
  { weight: 1, arbitrary: fc.constantFrom(1_649, 1_650, 1_651).map((size) => new Uint8Array(size)) }
)

const witness = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(edgeBytes(82), { maxLength: 3 }) }
)

/** Transactions that are mostly standard, and break one or the other rule. */
export const relayedTransaction: Arbitrary<NaiveTransaction> = fc.record({
  version: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(1, 2, 3) }, {
    weight: 1,
    arbitrary: fc.constantFrom(0, 4, 0xffffffff)
  }),
  inputs: fc.array(
    fc.record({
      txid,
      vout: fc.nat(3),
      script: scriptSig,
      sequence: fc.constantFrom(0xffffffff, 0xfffffffe, 0xfffffffd, 0, 1, 5, 0x400001),
      witness
    }),
    { minLength: 1, maxLength: 3 }
  ),
  outputs: fc.array(relayedOutput, { minLength: 1, maxLength: 4 }),
  lockTime: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(60) })
})

const control = fc.constantFrom([], [0xc0], [0xc1], [0xc2], [0x50], [0xc0, ...new Uint8Array(32)]).map((
  bytes
) => Uint8Array.from(bytes))

const item = fc.oneof(
  edgeBytes(82),
  fc.constantFrom(79, 80, 81, 3_599, 3_600, 3_601).map((size) => new Uint8Array(size))
)

/** Witnesses at every limit: sizes and number of items, control blocks, annexes. */
export const limitedWitness: Arbitrary<ReadonlyArray<Uint8Array>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.array(item, { maxLength: 3 }), control).map(([items, last]) => [...items, last])
  },
  { weight: 2, arbitrary: fc.array(item, { minLength: 1, maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(100, 101, 102).map((count) => Array.from({ length: count }, () => Uint8Array.of(1)))
  }
)

/** A push of a script that redeems a script hash: operations around the limit, programs, nothing. */
const redeeming: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(14, 15, 16).map((count) => pushOf(new Uint8Array(count).fill(0xac))) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(0, 81), bytesOf(32)).map(([v, h]) => pushOf(join([v, 32], h))) },
  { weight: 1, arbitrary: fc.constantFrom(520, 521).map((size) => pushOf(new Uint8Array(size))) },
  { weight: 1, arbitrary: fc.constantFrom([], [80], [0x51], [80, 0x51]).map((bytes) => Uint8Array.from(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 1_001).map((count) => new Uint8Array(count)) },
  { weight: 2, arbitrary: pushOnlyScript }
)

/** A transaction whose scriptSigs only push, with an output for each input to spend. */
export const pushingSpend: Arbitrary<readonly [NaiveTransaction, ReadonlyArray<NaiveOutput>]> = fc
  .tuple(
    relayedTransaction,
    fc.array(
      fc.record({
        script: redeeming,
        witness: fc.oneof(fc.constant([]), limitedWitness),
        spent: fc.oneof(
          { weight: 9, arbitrary: doubtfulOutputScript },
          { weight: 3, arbitrary: hash(20).map((h) => join([169, 20], h, [135])) },
          { weight: 1, arbitrary: fc.constantFrom(2_500, 2_501).map((count) => new Uint8Array(count).fill(0xac)) }
        )
      }),
      { minLength: 3, maxLength: 3 }
    )
  )
  .map(([tx, fills]) => [
    {
      ...tx,
      inputs: tx.inputs.map((input, i) => ({ ...input, script: fills[i]!.script, witness: fills[i]!.witness }))
    },
    tx.inputs.map((_, i) => ({ value: 1_000_000n, script: fills[i]!.spent }))
  ])
