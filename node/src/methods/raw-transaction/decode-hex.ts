import { concatBytes } from "@lockstep/kernel/bytes"
import { MAX_SCRIPT_SIZE } from "@lockstep/kernel/constants"
import { decodeTransaction, isCoinbase, type Transaction } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { bytesOfDigits } from "../../hex.ts"
import { hasValidOperations } from "./valid-operations.ts"

/** Serializations to try: with a segwit marker, and without. */
export interface Forms {
  readonly withWitness: boolean
  readonly withoutWitness: boolean
}

const INPUTS_AT = 4

/** A placeholder for the missing inputs of a transaction, which makes its outputs readable. */
const ONE_INPUT = Uint8Array.of(1, ...new Uint8Array(41))

const decoded = (bytes: Uint8Array): Transaction | undefined => Result.getOrUndefined(decodeTransaction(bytes))

const decodedWithoutWitness = (bytes: Uint8Array): Transaction | undefined => {
  if (bytes[INPUTS_AT] !== 0) return decoded(bytes)
  const tx = decoded(concatBytes([bytes.subarray(0, INPUTS_AT), ONE_INPUT, bytes.subarray(INPUTS_AT + 1)]))
  return tx && { ...tx, bytes, body: bytes.subarray(INPUTS_AT, -4), inputs: [] }
}

const isSane = (script: Uint8Array): boolean => script.length <= MAX_SCRIPT_SIZE && hasValidOperations(script)

const hasSaneScripts = (tx: Transaction): boolean =>
  (isCoinbase(tx) || tx.inputs.every(({ script }) => isSane(script))) &&
  tx.outputs.every(({ script }) => isSane(script))

/**
 * Decodes a transaction from hexadecimal digits. If both serializations can be decoded, the one with plausible scripts
 * counts.
 */
export const transactionOfHex = (digits: string, { withWitness, withoutWitness }: Forms): Transaction | undefined => {
  const bytes = bytesOfDigits(digits)
  if (bytes === undefined) return undefined
  const extended = withWitness ? decoded(bytes) : undefined
  if (extended !== undefined && (!withoutWitness || hasSaneScripts(extended))) return extended
  const plain = withoutWitness ? decodedWithoutWitness(bytes) : undefined
  if (plain !== undefined && hasSaneScripts(plain)) return plain
  return extended ?? plain
}
