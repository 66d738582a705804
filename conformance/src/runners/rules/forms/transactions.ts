import { decodeBlock, type Block } from "@lockstep/kernel/internal/model/block.ts"
import { decodeHeader, type Header } from "@lockstep/kernel/internal/model/header.ts"
import type { Transaction, TransactionInput, TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import * as Result from "effect/Result"
import type { Field } from "../../../formats/field.ts"
import { Refused } from "../../../judge/outcome.ts"
import { transactionOf } from "../../../judge/spending.ts"
import { transactionBytes, type TransactionContent } from "../../../judge/transaction-bytes.ts"
import { bitsOf } from "./numbers.ts"
import { hashOf, sha256d } from "./hash.ts"

const NULL_TXID = new Uint8Array(32)
const FINAL = 0xffffffff
const DEFAULT_VERSION = 2
const HEADER_VERSION = 0x20000000
const DEFAULT_BITS = 0x207fffff
/** OP_1: anyone can spend it. */
const DEFAULT_SCRIPT = Uint8Array.of(0x51)

const isWritten = (field: Field): boolean => typeof field.raw === "string" || Array.isArray(field.raw)

/** A scriptPubKey in assembly, `1` where none is given. */
export const scriptPubKeyIn = (field: Field): Uint8Array => field.find("scriptPubKey")?.script ?? DEFAULT_SCRIPT

/** `{value, scriptPubKey?}` */
export const outputIn = (field: Field): TransactionOutput => ({
  value: field.get("value").bigint,
  script: scriptPubKeyIn(field)
})

const witnessIn = (field: Field): ReadonlyArray<Uint8Array> =>
  (field.find("witness")?.items ?? []).map((item) => item.bytes)

/** The id of a transaction, or with `{"of": n}` that of the n-th one before it in the same block. */
const spentIdIn = (field: Field, before: ReadonlyArray<Uint8Array>): Uint8Array => {
  const of = isWritten(field) ? undefined : field.find("of")
  return of === undefined
    ? hashOf(field)
    : before[of.integer] ?? of.fail(`there are ${before.length} transactions before this one`)
}

const inputIn = (field: Field, before: ReadonlyArray<Uint8Array>): TransactionInput => ({
  prevout: { txid: spentIdIn(field.get("txid"), before), vout: field.find("vout")?.integer ?? 0 },
  script: field.find("scriptSig")?.script ?? new Uint8Array(0),
  sequence: field.find("sequence")?.integer ?? FINAL,
  witness: witnessIn(field)
})

const coinbaseInputIn = (field: Field): TransactionInput => ({
  prevout: { txid: NULL_TXID, vout: FINAL },
  script: field.get("coinbase").script,
  sequence: field.find("sequence")?.integer ?? FINAL,
  witness: witnessIn(field)
})

const contentOf = (field: Field, before: ReadonlyArray<Uint8Array>): TransactionContent => ({
  version: field.find("version")?.integer ?? DEFAULT_VERSION,
  inputs: field.find("coinbase") === undefined
    ? field.get("inputs").items.map((input) => inputIn(input, before))
    : [coinbaseInputIn(field)],
  outputs: (field.find("outputs")?.items ?? []).map(outputIn),
  lockTime: field.find("lockTime")?.integer ?? 0
})

const bytesIn = (field: Field, before: ReadonlyArray<Uint8Array>): Uint8Array =>
  isWritten(field) ? field.bytes : transactionBytes(contentOf(field, before))

/** The same behind other transactions, whose ids `before` gives: `"txid": {"of": n}` names one of them. */
export const transactionAfter = (field: Field, before: ReadonlyArray<Uint8Array>): Transaction =>
  transactionOf(bytesIn(field, before))

/** A transaction: its bytes, or `{inputs | coinbase, outputs?, version?, lockTime?}`. */
export const transactionIn = (field: Field): Transaction => transactionOf(bytesIn(field, []))

const strippedBytes = (tx: Transaction): Uint8Array =>
  transactionBytes({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) })

/** The id of `tx`, in wire order. */
export const idOf = (tx: Transaction): Uint8Array => sha256d(strippedBytes(tx))

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

const merkleRootOf = (ids: ReadonlyArray<Uint8Array>): Uint8Array => {
  let level = ids
  while (level.length > 1) {
    level = level.flatMap((left, i) => i % 2 === 0 ? [sha256d(joined([left, level[i + 1] ?? left]))] : [])
  }
  return level[0] ?? new Uint8Array(32)
}

/** The 80 bytes of a header written as `{version?, previous?, merkleRoot?, time?, bits?, nonce?}`. */
export const headerBytes = (
  field: Field,
  merkleRoot: Uint8Array = new Uint8Array(32),
  previous: Uint8Array = new Uint8Array(32)
): Uint8Array => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  const stated = (name: string): Uint8Array | undefined => {
    const member = field.find(name)
    return member === undefined ? undefined : hashOf(member)
  }
  const bits = field.find("bits")
  view.setInt32(0, field.find("version")?.integer ?? HEADER_VERSION, true)
  bytes.set(stated("previous") ?? previous, 4)
  bytes.set(stated("merkleRoot") ?? merkleRoot, 36)
  view.setUint32(68, field.find("time")?.integer ?? 0, true)
  view.setUint32(72, bits === undefined ? DEFAULT_BITS : bitsOf(bits), true)
  view.setUint32(76, field.find("nonce")?.integer ?? 0, true)
  return bytes
}

/** The header in `bytes`. */
export const headerOf = (bytes: Uint8Array): Header => {
  const verdict = decodeHeader(bytes)
  if (Result.isFailure(verdict)) throw new Refused("the header", verdict.failure.rule)
  return verdict.success
}

/** A header: its bytes, or its fields. */
export const headerIn = (field: Field): Header => headerOf(isWritten(field) ? field.bytes : headerBytes(field))

const countBytes = (count: number): Uint8Array =>
  count < 253 ? Uint8Array.of(count) : count < 65536 ?
    Uint8Array.of(253, count & 255, count >> 8)
    : Uint8Array.of(254, count & 255, count >> 8 & 255, count >> 16 & 255, count >>> 24)

/** Transactions in order; `{"repeat": transaction, "times": n}` stands for n of the same. */
const transactionsIn = (
  field: Field
): { readonly bytes: ReadonlyArray<Uint8Array>; readonly ids: ReadonlyArray<Uint8Array> } => {
  const bytes: Array<Uint8Array> = []
  const ids: Array<Uint8Array> = []
  for (const item of field.items) {
    const repeated = isWritten(item) ? undefined : item.find("repeat")
    const each = bytesIn(repeated ?? item, ids)
    const id = idOf(transactionOf(each))
    for (let times = repeated === undefined ? 1 : item.get("times").integer; times > 0; times--) {
      bytes.push(each)
      ids.push(id)
    }
  }
  return { bytes, ids }
}

/**
 * A block: its bytes, or `{header?, transactions}`; the merkle root follows from the transactions unless the header
 * states one.
 */
export const blockIn = (field: Field): Block => {
  const bytes = isWritten(field) ? field.bytes : writtenBlock(field)
  const verdict = decodeBlock(bytes)
  if (Result.isFailure(verdict)) throw new Refused("the block", verdict.failure.rule)
  return verdict.success
}

const writtenBlock = (field: Field): Uint8Array => {
  const { bytes, ids } = transactionsIn(field.get("transactions"))
  return joined([
    headerBytes(field.find("header") ?? field.replaced({}), merkleRootOf(ids)),
    countBytes(bytes.length),
    ...bytes
  ])
}
