import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import type { Field } from "../formats/field.ts"
import { bytesOf, hexOf } from "../formats/hex.ts"
import { outputBytes } from "../judge/transaction-bytes.ts"

const SCRIPT_LENGTH_AT = 8

/** An output written as its serialization. */
export const outputOf = (field: Field): TransactionOutput => {
  const bytes = field.bytes
  if (bytes.length <= SCRIPT_LENGTH_AT) return field.fail("expected a serialized output")
  const first = bytes[SCRIPT_LENGTH_AT]!
  const output = {
    value: new DataView(bytes.buffer).getBigInt64(0, true),
    script: bytes.subarray(SCRIPT_LENGTH_AT + (first < 253 ? 1 : first === 253 ? 3 : 5))
  }
  return hexOf(new Uint8Array(Buffer.concat(outputBytes(output)))) === hexOf(bytes)
    ? output
    : field.fail("is no serialized output")
}

/** An output written as `[satoshis, scriptPubKey]`. */
export const pairedOutputOf = (field: Field): TransactionOutput => ({
  value: field.at(0).bigint,
  script: field.at(1).bytes
})

/** An output that no vector gives, because nothing reads it. */
export const ABSENT_OUTPUT: TransactionOutput = { value: 0n, script: bytesOf("") }
