import { join, toHex } from "../oracles/byte-string.ts"
import { hash160, sha256 } from "../oracles/hash.ts"
import { pushOf } from "../oracles/instructions.ts"
import type { NaiveOutput, NaiveTransaction } from "../oracles/transaction.ts"
import { type Choices, signed, type SpendKind } from "./spend.ts"
import { KEY_PAIRS } from "./signer.ts"
import { filled } from "./transaction.ts"

/** A way to lock an output that the builder of blocks can satisfy again. */
export interface Lock {
  readonly script: Uint8Array
  /** Opened without a witness, so in blocks before segwit too. */
  readonly isLegacy: boolean
  /** Takes a signature, which costs more than everything else about a block. */
  readonly isSigned: boolean
  /**
   * `tx` with input `index` opened; every input has its outpoint and sequence number, and `spent` is what they spend.
   */
  readonly open: (tx: NaiveTransaction, spent: ReadonlyArray<NaiveOutput>, index: number) => NaiveTransaction
}

const TRUE = Uint8Array.of(0x51)
/** Leaves true; a multisig that is skipped counts 20 signature operations, a checksig one. */
const TWENTY_SIGOPS = Uint8Array.of(0x00, 0x63, 0xae, 0x68, 0x51)
const ONE_SIGOP = Uint8Array.of(0x00, 0x63, 0xac, 0x68, 0x51)

const plainly = (script: Uint8Array, scriptSig: Uint8Array, witness: ReadonlyArray<Uint8Array>): Lock => ({
  script,
  isLegacy: witness.length === 0,
  isSigned: false,
  open: (tx, spent, index) => filled({ tx, spent, index }, scriptSig, script, witness).tx
})

const NOTHING = new Uint8Array(0)
const payToScriptHash = (redeem: Uint8Array): Uint8Array => join([0xa9], pushOf(hash160(redeem)), [0x87])
const payToWitnessScriptHash = (script: Uint8Array): Uint8Array => join([0], pushOf(sha256(script)))
const scriptHash = (redeem: Uint8Array): Lock => plainly(payToScriptHash(redeem), pushOf(redeem), [])
const witnessScriptHash = (script: Uint8Array): Lock => plainly(payToWitnessScriptHash(script), NOTHING, [script])
const nestedScriptHash = (script: Uint8Array): Lock => {
  const program = payToWitnessScriptHash(script)
  return plainly(payToScriptHash(program), pushOf(program), [script])
}

const choices = (kind: SpendKind): Choices => ({
  kind,
  keys: [KEY_PAIRS[0]!, KEY_PAIRS[1]!, KEY_PAIRS[2]!],
  compressed: true,
  hashType: kind.startsWith("P2TR") ? 0 : 1,
  highS: false,
  annex: undefined,
  path: [],
  absent: 0
})

/** The lock of the first three keys that spends of a kind have. */
export const withKey = (kind: SpendKind): Lock => {
  const input = { txid: new Uint8Array(32), vout: 0, script: NOTHING, sequence: 0, witness: [] }
  const example = {
    tx: { version: 1, inputs: [input], outputs: [], lockTime: 0 },
    spent: [{ value: 0n, script: NOTHING }],
    index: 0
  }
  return {
    script: signed(example, choices(kind)).spent[0]!.script,
    isLegacy: !kind.includes("P2W") && !kind.startsWith("P2TR"),
    isSigned: true,
    open: (tx, spent, index) => signed({ tx, spent, index }, choices(kind)).tx
  }
}

/** Locks that open without a signature. */
export const FREE_LOCKS: ReadonlyArray<Lock> = [
  plainly(TRUE, NOTHING, []),
  scriptHash(TRUE),
  witnessScriptHash(TRUE),
  nestedScriptHash(TRUE),
  scriptHash(TWENTY_SIGOPS),
  witnessScriptHash(ONE_SIGOP),
  plainly(join([0x52], pushOf(new Uint8Array(32).fill(7))), NOTHING, [Uint8Array.of(1)])
]

export const SIGNED_LOCKS: ReadonlyArray<Lock> = (["P2PKH", "P2WPKH", "P2TR-key"] as const).map(withKey)

const BY_SCRIPT = new Map([...FREE_LOCKS, ...SIGNED_LOCKS].map((lock) => [toHex(lock.script), lock]))

/** The lock that an output has, if it is one of these. */
export const lockOf = ({ script }: NaiveOutput): Lock | undefined => BY_SCRIPT.get(toHex(script))
