import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import type { TransactionContent } from "../judge/transaction-bytes.ts"
import { fromHex, join, toHex } from "./bytes.ts"
import { secretKey, signSchnorr, tweakedKey } from "./curve.ts"
import { paysOne, paysTwo } from "./sample-transactions.ts"
import { taprootHash } from "./signature-hash.ts"
import { CONSENSUS, spendSubject, withInput } from "./spends.ts"
import { breaks, type RuleVectors, type VectorCase } from "./vector.ts"

const owner = tweakedKey(secretKey(3), new Uint8Array(0))
const script = join(fromHex("5120"), owner.xOnly)
/** Both inputs spend the same key, with different amounts. */
const spent: ReadonlyArray<TransactionOutput> = [{ value: 700n, script }, { value: 800n, script }]
const dearer: ReadonlyArray<TransactionOutput> = [{ value: 700n, script }, { value: 801n, script }]

interface KeyPath {
  readonly tx?: TransactionContent
  readonly index?: number
  readonly type?: number
  readonly annex?: Uint8Array
  /** What is signed, where it differs from what is spent. */
  readonly signedAnnex?: Uint8Array | null
  readonly signedSpent?: ReadonlyArray<TransactionOutput>
  readonly signedTx?: TransactionContent
  readonly secret?: bigint
  /** What is done to the signature before it goes into the witness. */
  readonly edit?: (signature: Uint8Array) => Uint8Array
  readonly rules?: ReadonlyArray<string>
}

const typeByte = (type: number): Uint8Array => type === 0 ? new Uint8Array(0) : Uint8Array.of(type)

const keyPath = (name: string, expect: unknown, given: KeyPath = {}): VectorCase => {
  const { tx = paysTwo, index = 0, type = 0, annex, secret = owner.secret, edit = (s) => s, rules } = given
  const signedAnnex = given.signedAnnex === undefined ? annex : given.signedAnnex ?? undefined
  const extension = signedAnnex === undefined ? {} : { annex: signedAnnex }
  const digest = taprootHash(given.signedTx ?? tx, index, given.signedSpent ?? spent, type, extension)
  const signature = edit(join(signSchnorr(secret, digest), typeByte(type)))
  const signed = withInput(tx, index, new Uint8Array(0), annex === undefined ? [signature] : [signature, annex])
  return { name, ...rules !== undefined && { rules }, spend: spendSubject(signed, spent, index, CONSENSUS), expect }
}

/** A spend whose signature signs nothing. */
const unsigned = (name: string, expect: unknown, signature: Uint8Array): VectorCase => ({
  name,
  spend: spendSubject(withInput(paysOne, 1, new Uint8Array(0), [signature]), spent, 1, CONSENSUS),
  expect
})

const SIZE = breaks("SIG-005", "SCHNORR_SIG_SIZE")
const TYPE = breaks("SIG-006", "SCHNORR_SIG_HASHTYPE")
const REFUSED = breaks("SIG-007", "SCHNORR_SIG")
const annex = fromHex("50aabb")
const otherLockTime: TransactionContent = { ...paysTwo, lockTime: 1 }
const otherOutputs: TransactionContent = {
  ...paysTwo,
  outputs: paysTwo.outputs.map(({ value, script: to }) => ({ value: value + 1n, script: to }))
}
const otherSecond: TransactionContent = { ...paysTwo, outputs: [paysTwo.outputs[0]!, otherOutputs.outputs[1]!] }
const otherSequence: TransactionContent = {
  ...paysTwo,
  inputs: [paysTwo.inputs[0]!, { ...paysTwo.inputs[1]!, sequence: 6 }]
}

export const keyPathSpends: RuleVectors = {
  rule: "TAP-003",
  cases: [
    keyPath("the default hash type", "holds", { rules: ["TAP-017", "SIG-005", "SIG-006", "SIG-007", "SHH-020"] }),
    ...[1, 2, 3, 0x81, 0x82, 0x83].map((type) => keyPath(`hash type ${toHex(Uint8Array.of(type))}`, "holds", { type })),
    keyPath("the other input", "holds", { index: 1 }),
    keyPath("NONE without an output of its index", "holds", { tx: paysOne, index: 1, type: 2 }),
    keyPath("an annex is signed", "holds", { annex }),
    keyPath("an annex is added to a signed witness", REFUSED, { annex, signedAnnex: null }),
    keyPath("an annex is taken from a signed witness", REFUSED, { signedAnnex: annex }),
    keyPath("another annex", REFUSED, { annex, signedAnnex: fromHex("50aabc") }),
    keyPath("the untweaked key signed", REFUSED, { secret: secretKey(3) }),
    keyPath("an explicit default", TYPE, { edit: (s) => join(s, Uint8Array.of(0)) }),
    keyPath("a hash type is added to a default signature", REFUSED, { edit: (s) => join(s, Uint8Array.of(1)) }),
    keyPath("the hash type is cut from a signature", REFUSED, { type: 1, edit: (s) => s.subarray(0, 64) }),
    keyPath("the hash type is exchanged", REFUSED, { type: 1, edit: (s) => join(s.subarray(0, 64), Uint8Array.of(2)) }),
    keyPath("another lock time was signed", REFUSED, { signedTx: otherLockTime, type: 0x82 }),
    keyPath("other outputs were signed", REFUSED, { signedTx: otherOutputs }),
    keyPath("NONE signs no outputs", "holds", { signedTx: otherOutputs, type: 2 }),
    keyPath("SINGLE signs the output of its index alone", "holds", { signedTx: otherSecond, type: 3 }),
    keyPath("SINGLE with another output of its index", REFUSED, { signedTx: otherSecond, index: 1, type: 3 }),
    keyPath("NONE still signs the sequence numbers of all inputs", REFUSED, { signedTx: otherSequence, type: 2 }),
    keyPath("the amount of the other input is signed", REFUSED, { signedSpent: dearer }),
    keyPath("under ANYONECANPAY it is not", "holds", { signedSpent: dearer, type: 0x81 }),
    keyPath("the own amount is signed under ANYONECANPAY", REFUSED, { signedSpent: dearer, index: 1, type: 0x81 }),
    unsigned("63 bytes", SIZE, new Uint8Array(63)),
    unsigned("66 bytes", SIZE, new Uint8Array(66)),
    unsigned("the size comes before the hash type", SIZE, new Uint8Array(66).fill(0x80)),
    unsigned("SINGLE without an output of its index", TYPE, join(new Uint8Array(64), Uint8Array.of(3))),
    unsigned("the hash type comes before the signature", TYPE, join(new Uint8Array(64), Uint8Array.of(0x80))),
    unsigned("64 zeros", REFUSED, new Uint8Array(64))
  ]
}
