import fc, { type Arbitrary } from "fast-check"
import type { NaiveInput, NaiveOutput, NaiveTransaction } from "../oracles/transaction.ts"
import { anyBytes, bytesOf, edgeBytes } from "./bytes.ts"
import { edgeAmount, edgeUint32 } from "./number.ts"
import { anyScript } from "./script.ts"

const shortScript: Arbitrary<Uint8Array> = fc.oneof(anyBytes(8), edgeBytes(80), anyScript)

const anyId: Arbitrary<Uint8Array> = bytesOf(32)

export const witnessStack: Arbitrary<ReadonlyArray<Uint8Array>> = fc.array(edgeBytes(80), { maxLength: 4 })

const inputWithout: Arbitrary<NaiveInput> = fc.record({
  txid: anyId,
  vout: edgeUint32,
  script: shortScript,
  sequence: edgeUint32,
  witness: fc.constant([])
})

export const inputWith: Arbitrary<NaiveInput> = fc.record({
  txid: anyId,
  vout: edgeUint32,
  script: shortScript,
  sequence: edgeUint32,
  witness: witnessStack
})

export const anyOutput: Arbitrary<NaiveOutput> = fc.record({ value: edgeAmount, script: shortScript })

const transactionOf = (
  input: Arbitrary<NaiveInput>,
  outputs: Arbitrary<Array<NaiveOutput>>
): Arbitrary<NaiveTransaction> =>
  fc.record({
    version: edgeUint32,
    inputs: fc.array(input, { minLength: 1, maxLength: 4 }),
    outputs,
    lockTime: edgeUint32
  })

/** At least one input (less has no serialization of its own), any number of outputs up to four, witnesses or none. */
export const anyTransaction: Arbitrary<NaiveTransaction> = fc.oneof(
  transactionOf(inputWithout, fc.array(anyOutput, { maxLength: 4 })),
  transactionOf(inputWith, fc.array(anyOutput, { maxLength: 4 }))
)

const nullInput: Arbitrary<NaiveInput> = fc.record({
  txid: fc.constant(new Uint8Array(32)),
  vout: fc.constant(0xffffffff),
  script: fc.oneof(edgeBytes(3), bytesOf(99), bytesOf(100), bytesOf(101)),
  sequence: edgeUint32,
  witness: fc.constant([])
})
const smallOutput: Arbitrary<NaiveOutput> = fc.record({
  value: fc.oneof(fc.constant(0n), edgeAmount),
  script: anyBytes(4)
})
const fewTxids = fc.constantFrom(0, 1).map((byte) => new Uint8Array(32).fill(byte))
const collidingInput: Arbitrary<NaiveInput> = fc.record({
  txid: fewTxids,
  vout: fc.constantFrom(0, 1, 0xffffffff),
  script: anyBytes(3),
  sequence: edgeUint32,
  witness: fc.constant([])
})

/**
 * Transactions near the rules on a transaction alone: coinbases, null and repeated outpoints, edge amounts, nothing at
 * all.
 */
export const doubtfulTransaction: Arbitrary<NaiveTransaction> = fc.oneof(
  anyTransaction,
  fc.record({
    version: edgeUint32,
    inputs: fc.array(nullInput, { maxLength: 1 }),
    outputs: fc.array(smallOutput, { maxLength: 3 }),
    lockTime: edgeUint32
  }),
  fc.record({
    version: edgeUint32,
    inputs: fc.array(collidingInput, { maxLength: 5 }),
    outputs: fc.array(smallOutput, { maxLength: 4 }),
    lockTime: edgeUint32
  })
)

/** A transaction with an output to spend for each input, and the index of one of them. */
export interface SpendFrame {
  readonly tx: NaiveTransaction
  readonly spent: ReadonlyArray<NaiveOutput>
  readonly index: number
}

/** Version, locks, sequences and outputs of any kind around inputs that do not say anything yet. */
export const spendFrame: Arbitrary<SpendFrame> = fc
  .record({
    version: edgeUint32,
    lockTime: edgeUint32,
    inputs: fc.array(
      fc.record({ txid: anyId, vout: edgeUint32, sequence: edgeUint32, amount: edgeAmount, script: anyBytes(36) }),
      { minLength: 1, maxLength: 3 }
    ),
    outputs: fc.array(fc.record({ value: edgeAmount, script: anyBytes(40) }), { maxLength: 3 }),
    index: fc.nat()
  })
  .map(({ version, lockTime, inputs, outputs, index }) => ({
    tx: {
      version,
      lockTime,
      outputs,
      inputs: inputs.map(({ txid, vout, sequence }) => ({
        txid,
        vout,
        sequence,
        script: new Uint8Array(0),
        witness: []
      }))
    },
    spent: inputs.map(({ amount, script }) => ({ value: amount, script })),
    index: index % inputs.length
  }))

/** `frame` whose input at the index is unlocked by `scriptSig` and `witness` and spends `scriptPubKey`. */
export const filled = (
  frame: SpendFrame,
  scriptSig: Uint8Array,
  scriptPubKey: Uint8Array,
  witness: ReadonlyArray<Uint8Array>
): SpendFrame => ({
  ...frame,
  tx: {
    ...frame.tx,
    inputs: frame.tx.inputs.map((input, i) => (i === frame.index ? { ...input, script: scriptSig, witness } : input))
  },
  spent: frame.spent.map((output, i) => (i === frame.index ? { ...output, script: scriptPubKey } : output))
})
