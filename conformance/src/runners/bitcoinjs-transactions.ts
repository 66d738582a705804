import { decodeTransaction, encodeWithoutWitness } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import { transactionWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { legacySighash } from "@lockstep/kernel/internal/sighash/legacy.ts"
import { taprootSighash } from "@lockstep/kernel/internal/sighash/taproot.ts"
import { witnessV0Sighash } from "@lockstep/kernel/internal/sighash/witness-v0.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import * as Result from "effect/Result"
import { assembleBitcoinjs, AssemblyError } from "../formats/assembler.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { transactionOf } from "../judge/spending.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import type { Case, Runner } from "./runner.ts"

const EMPTY = new Uint8Array(0)

const scriptIn = (field: Field): Uint8Array => {
  try {
    return assembleBitcoinjs(field.text)
  } catch (error) {
    if (error instanceof AssemblyError) return field.fail(error.message)
    throw error
  }
}

/** A script given as bytes (`data`, `scriptHex`) or as assembly. */
const scriptHexOf = (part: Field): string => {
  const bytes = part.find("data") ?? part.find("scriptHex")
  if (bytes !== undefined) return hexOf(bytes.bytes)
  const script = part.find("script")
  return script === undefined ? "" : hexOf(scriptIn(script))
}

const judgeInputs = (tx: Transaction, ins: ReadonlyArray<Field>): Outcome => {
  let outcome = same("inputs", ins.length, tx.inputs.length)
  for (const [i, given] of ins.entries()) {
    const input = tx.inputs[i]
    if (input === undefined || outcome !== undefined) return outcome
    outcome = same(`input ${i} txid`, given.get("hash").text, hexOf(input.prevout.txid)) ??
      same(`input ${i} index`, given.get("index").integer, input.prevout.vout) ??
      same(`input ${i} sequence`, given.find("sequence")?.integer ?? input.sequence, input.sequence) ??
      same(`input ${i} script`, scriptHexOf(given), hexOf(input.script)) ??
      same(
        `input ${i} witness`,
        given.find("witness")?.items.map((item) => item.text).join() ?? "",
        input.witness.map(hexOf).join()
      )
  }
  return outcome
}

const judgeOutputs = (tx: Transaction, outs: ReadonlyArray<Field>): Outcome => {
  let outcome = same("outputs", outs.length, tx.outputs.length)
  for (const [i, given] of outs.entries()) {
    const output = tx.outputs[i]
    if (output === undefined) return outcome
    outcome ??= same(`output ${i} value`, given.get("value").bigint, output.value) ??
      same(`output ${i} script`, scriptHexOf(given), hexOf(output.script))
  }
  return outcome
}

const judgeValid = (row: Field, { crypto }: Bench): Outcome => {
  const full = row.find("whex")?.text || row.get("hex").text
  const tx = transactionOf(row.replaced(full).bytes)
  const weight = transactionWeight(tx)
  return same("re-serialization", full, hexOf(transactionBytes(tx))) ??
    same("form without witness", row.get("hex").text, hexOf(encodeWithoutWitness(tx))) ??
    same("id", row.get("id").text, displayHexOf(transactionId(tx, crypto))) ??
    same("weight", row.get("weight").integer, weight) ??
    same("virtual size", row.get("virtualSize").integer, Math.ceil(weight / 4)) ??
    same("version", row.get("raw").get("version").integer, tx.version) ??
    same("lock time", row.get("raw").get("locktime").integer, tx.lockTime) ??
    judgeInputs(tx, row.get("raw").get("ins").items) ??
    judgeOutputs(tx, row.get("raw").get("outs").items)
}

/** The number one, which that library writes as a number and not, like every other hash, in the order of its bytes. */
const ONE = "1".padStart(64, "0")

const judgeLegacy = (row: Field, { crypto }: Bench): Outcome => {
  const hash = legacySighash(
    transactionOf(row.get("txHex").bytes),
    row.get("inIndex").integer,
    scriptIn(row.get("script")),
    row.get("type").integer,
    {},
    crypto
  )
  const expected = row.get("hash").text
  return same("hash", expected, expected === ONE ? displayHexOf(hash) : hexOf(hash))
}

const judgeWitnessV0 = (row: Field, { crypto }: Bench): Outcome => {
  const tx = transactionOf(row.get("txHex").bytes)
  const script = scriptIn(row.get("script"))
  const hash = witnessV0Sighash(
    tx,
    row.get("inIndex").integer,
    script,
    row.get("value").bigint,
    row.get("type").integer,
    {},
    crypto
  )
  return same("hash", row.get("hash").text, hexOf(hash))
}

const judgeTaproot = (row: Field, signing: Field, { crypto }: Bench): Outcome => {
  const spent = signing.get("utxos").items.map((output) => ({
    value: output.get("value").bigint,
    script: output.get("scriptHex").bytes
  }))
  const extension = { annexHash: EMPTY, leafHash: EMPTY, separatorInstruction: 0xffffffff }
  const hashType = Number.parseInt(row.get("typeHex").text, 16)
  const tx = transactionOf(signing.get("txHex").bytes)
  const hash = taprootSighash(tx, row.get("vin").integer, spent, hashType, extension, {}, crypto)
  return same("hash", row.get("hash").text, hash && hexOf(hash))
}

const judgeInvalid = (row: Field, { coverage }: Bench): Outcome => {
  const verdict = decodeTransaction(row.get("hex").bytes)
  if (Result.isSuccess(verdict)) return { expected: "no transaction", actual: "a transaction" }
  coverage.rejected(verdict.failure.rule)
  return undefined
}

const nameOf = (row: Field, list: string): string => row.find("description")?.text ?? list

const cases = function*(list: string, rows: Field, judge: (row: Field, bench: Bench) => Outcome): Iterable<Case> {
  for (const [index, row] of rows.items.entries()) {
    yield { index: `${list}-${index}`, name: nameOf(row, list), judge: (bench) => judge(row, bench) }
  }
}

/**
 * Tests of bitcoinjs-lib: transactions field by field (`valid`), signature hashes (`hashForSignature`,
 * `hashForWitnessV0`, `taprootSigning`), and bytes that are no transaction (`invalid.fromBuffer`; `invalid.addInput` is
 * about that library's API).
 */
export const bitcoinjsTransactions: Runner = function*(file) {
  const vectors = readJson(file)
  yield* cases("valid", vectors.get("valid"), judgeValid)
  yield* cases("hashForSignature", vectors.get("hashForSignature"), judgeLegacy)
  yield* cases("hashForWitnessV0", vectors.get("hashForWitnessV0"), judgeWitnessV0)
  for (const [index, signing] of vectors.get("taprootSigning").items.entries()) {
    yield* cases(`taprootSigning-${index}`, signing.get("cases"), (row, bench) => judgeTaproot(row, signing, bench))
  }
  yield* cases("fromBuffer", vectors.get("invalid").get("fromBuffer"), judgeInvalid)
}
