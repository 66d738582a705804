import {
  CONSENSUS_FLAGS,
  type Crypto,
  decodeTransaction,
  type Spend,
  spendDigests,
  type SpentOutputs
} from "../kernel/src/index.ts"
import { KEY_PAIRS } from "../property-tests/src/arbitraries/signer.ts"
import { type Choices, signed, type SpendKind } from "../property-tests/src/arbitraries/spend.ts"
import { serializeTransaction } from "../property-tests/src/oracles/transaction.ts"

/** A signed transaction of one input as it arrives, and the output that the input spends. */
export interface SignedSpend {
  readonly bytes: Uint8Array
  readonly spentOutputs: SpentOutputs
}

/** The outputs whose spending is measured, in the order of the table. */
export const MEASURED_KINDS: ReadonlyArray<readonly [title: string, kind: SpendKind]> = [
  ["P2PK", "P2PK"],
  ["P2PKH", "P2PKH"],
  ["P2WPKH", "P2WPKH"],
  ["P2SH-P2WPKH", "P2SH-P2WPKH"],
  ["2-of-3 P2WSH", "P2WSH-multisig"],
  ["P2TR key path", "P2TR-key"],
  ["P2TR script path", "P2TR-script"]
]

/** Spends of a kind, so that a provider does not see the same signature all the time. */
const SPENDS = 16

const choicesOf = (kind: SpendKind, number: number): Choices => {
  const key = (i: number) => KEY_PAIRS[(number + i) % KEY_PAIRS.length]!
  return {
    kind,
    keys: [key(0), key(1), key(2)],
    compressed: true,
    hashType: kind.startsWith("P2TR") ? 0 : 1,
    highS: false,
    annex: undefined,
    path: [new Uint8Array(32).fill(number), new Uint8Array(32).fill(0xa5)],
    absent: 0
  }
}

const EMPTY = new Uint8Array(0)

const signedSpend = (kind: SpendKind, number: number): SignedSpend => {
  const input = {
    txid: new Uint8Array(32).fill(number + 1),
    vout: number,
    script: EMPTY,
    sequence: 0xfffffffd,
    witness: []
  }
  const paid = { value: 40_000n, script: Uint8Array.of(0, 20, ...new Uint8Array(20).fill(number)) }
  const tx = { version: 2, inputs: [input], outputs: [paid, { ...paid, value: 50_000n }], lockTime: 0 }
  const frame = signed({ tx, spent: [{ value: 100_000n, script: EMPTY }], index: 0 }, choicesOf(kind, number))
  return { bytes: serializeTransaction(frame.tx), spentOutputs: frame.spent }
}

/** Different spends of one kind of output, always the same ones. */
export const signedSpends = (kind: SpendKind): ReadonlyArray<SignedSpend> =>
  Array.from({ length: SPENDS }, (_, number) => signedSpend(kind, number))

/** A signed spend ready to be judged under the rules of a block of today. */
export const judgeable = ({ bytes, spentOutputs }: SignedSpend, crypto: Crypto): Spend => {
  const verdict = decodeTransaction(bytes)
  if (verdict._tag === "Failure") {
    throw new Error(`the bench made bytes that are no transaction (${verdict.failure.rule})`)
  }
  const tx = verdict.success
  return { tx, inputIndex: 0, spentOutputs, digests: spendDigests(tx, spentOutputs, crypto), flags: CONSENSUS_FLAGS }
}
