import { createScratch, type Scratch, writerOn, written } from "../bytes/scratch.ts"
import { sizedLength, writeInt64, writerOf, writeSized, writeUint32 } from "../bytes/writer.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { SpentOutputs, Transaction, TransactionOutput } from "../model/transaction.ts"
import { outputLength, writeOutput, writePrevout } from "../model/transaction-writer.ts"
import { isTaprootProgram } from "../script/witness-program.ts"

/** Single SHA-256 over all inputs and outputs, as BIP341 commits to them. */
export interface TaprootDigests {
  readonly prevouts: Uint8Array
  readonly amounts: Uint8Array
  readonly scripts: Uint8Array
  readonly sequences: Uint8Array
  readonly outputs: Uint8Array
}

/** Double SHA-256 over all inputs and outputs, as BIP143 commits to them. */
export interface WitnessV0Digests {
  readonly prevouts: Uint8Array
  readonly sequences: Uint8Array
  readonly outputs: Uint8Array
}

/** Serialized parts of a legacy hash: every input with an empty script (41 bytes each), every output. */
export interface LegacyParts {
  readonly inputs: Uint8Array
  readonly outputs: Uint8Array
}

/**
 * Parts of the signature hashes that all inputs of one transaction share. Computed once and passed in: without it,
 * hashing a transaction of n inputs takes n² work. A part that no input of the transaction can use is absent.
 */
export interface SpendDigests {
  readonly legacy?: LegacyParts
  readonly witnessV0?: WitnessV0Digests
  readonly taproot?: TaprootDigests
}

/** One output. @internal */
export const encodedOutput = (output: TransactionOutput): Uint8Array => {
  const writer = writerOf(outputLength(output))
  writeOutput(writer, output)
  return writer.bytes
}

/** Returns the serialized outputs as a view of the transaction. @internal */
export const serializedOutputs = ({ body, outputs }: Transaction): Uint8Array => {
  let size = 0
  for (const output of outputs) size += outputLength(output)
  return body.subarray(body.length - size)
}

/** Every outpoint, one after another. @internal */
export const serializedPrevouts = (tx: Transaction, scratch: Scratch): Uint8Array => {
  const writer = writerOn(scratch, tx.inputs.length * 36)
  for (const input of tx.inputs) writePrevout(writer, input)
  return written(writer)
}

/** Every sequence number, one after another. @internal */
export const serializedSequences = (tx: Transaction, scratch: Scratch): Uint8Array => {
  const writer = writerOn(scratch, tx.inputs.length * 4)
  for (const input of tx.inputs) writeUint32(writer, input.sequence)
  return written(writer)
}

const serializedAmounts = (spentOutputs: SpentOutputs, scratch: Scratch): Uint8Array => {
  const writer = writerOn(scratch, spentOutputs.length * 8)
  for (const output of spentOutputs) writeInt64(writer, output.value)
  return written(writer)
}

const serializedScripts = (spentOutputs: SpentOutputs, scratch: Scratch): Uint8Array => {
  let size = 0
  for (const output of spentOutputs) size += sizedLength(output.script)
  const writer = writerOn(scratch, size)
  for (const output of spentOutputs) writeSized(writer, output.script)
  return written(writer)
}

/** Bytes of an input with an empty script: outpoint, length 0, sequence. @internal */
export const BLANK_INPUT_SIZE = 41

/** The parts of a legacy hash that do not depend on the input being signed. @internal */
export const legacyParts = (tx: Transaction): LegacyParts => {
  const inputs = writerOf(tx.inputs.length * BLANK_INPUT_SIZE)
  for (const input of tx.inputs) {
    writePrevout(inputs, input)
    inputs.offset++
    writeUint32(inputs, input.sequence)
  }
  return { inputs: inputs.bytes, outputs: serializedOutputs(tx) }
}

/** The digests of BIP341 for all inputs. Precondition: one spent output per input. @internal */
export const taprootDigests = (
  tx: Transaction,
  spentOutputs: SpentOutputs,
  crypto: Crypto,
  scratch: Scratch = createScratch()
): TaprootDigests => ({
  prevouts: crypto.sha256(serializedPrevouts(tx, scratch)),
  amounts: crypto.sha256(serializedAmounts(spentOutputs, scratch)),
  scripts: crypto.sha256(serializedScripts(spentOutputs, scratch)),
  sequences: crypto.sha256(serializedSequences(tx, scratch)),
  outputs: crypto.sha256(serializedOutputs(tx))
})

const witnessV0Digests = (tx: Transaction, crypto: Crypto, scratch: Scratch): WitnessV0Digests => ({
  prevouts: crypto.sha256d(serializedPrevouts(tx, scratch)),
  sequences: crypto.sha256d(serializedSequences(tx, scratch)),
  outputs: crypto.sha256d(serializedOutputs(tx))
})

/**
 * The digests that the inputs of `tx` share. Precondition: one spent output per input.
 *
 * An input without witness can only ask for a legacy hash, which is computed on demand. One with a witness asks for
 * BIP341 where it spends a taproot program, otherwise for BIP143, or a legacy one where the flags leave witnesses out.
 *
 * @spec SHH-030 #aa147e99
 */
export const spendDigests = (
  tx: Transaction,
  spentOutputs: SpentOutputs,
  crypto: Crypto,
  scratch: Scratch = createScratch()
): SpendDigests => {
  let legacy = false
  let witnessV0 = false
  let taproot = false
  for (let i = 0; i < tx.inputs.length; i++) {
    if (tx.inputs[i]!.witness.length === 0) legacy = true
    else if (isTaprootProgram(spentOutputs[i]!.script)) taproot = true
    else witnessV0 = true
  }
  const digests: { -readonly [Part in keyof SpendDigests]: SpendDigests[Part] } = {}
  if (legacy) digests.legacy = legacyParts(tx)
  if (witnessV0) digests.witnessV0 = witnessV0Digests(tx, crypto, scratch)
  if (taproot) digests.taproot = taprootDigests(tx, spentOutputs, crypto, scratch)
  return digests
}
