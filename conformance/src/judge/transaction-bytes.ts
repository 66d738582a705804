import type { TransactionInput, TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"

/** What a transaction says, apart from how the kernel keeps it. */
export interface TransactionContent {
  readonly version: number
  readonly inputs: ReadonlyArray<TransactionInput>
  readonly outputs: ReadonlyArray<TransactionOutput>
  readonly lockTime: number
}

const uint32 = (value: number): Uint8Array =>
  Uint8Array.of(value & 255, value >>> 8 & 255, value >>> 16 & 255, value >>> 24)

const int64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value, true)
  return bytes
}

const count = (value: number): Uint8Array =>
  value < 253
    ? Uint8Array.of(value)
    : value < 65536
    ? Uint8Array.of(253, value & 255, value >> 8)
    : Uint8Array.of(254, ...uint32(value))

const sized = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => [count(bytes.length), bytes]

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

const inputBytes = (
  { prevout, script, sequence }: TransactionInput
): ReadonlyArray<Uint8Array> => [prevout.txid, uint32(prevout.vout), ...sized(script), uint32(sequence)]

/** Serialization of one output. */
export const outputBytes = (
  { value, script }: TransactionOutput
): ReadonlyArray<Uint8Array> => [int64(value), ...sized(script)]

/**
 * Serialization of a transaction, with witnesses if it has any. Written apart from the kernel's codec, which slices the
 * bytes it decoded from: comparing the two shows that every decoded field is what the bytes say.
 */
export const transactionBytes = ({ version, inputs, outputs, lockTime }: TransactionContent): Uint8Array => {
  const hasWitness = inputs.some((input) => input.witness.length > 0)
  return joined([
    uint32(version),
    ...(hasWitness ? [Uint8Array.of(0, 1)] : []),
    count(inputs.length),
    ...inputs.flatMap(inputBytes),
    count(outputs.length),
    ...outputs.flatMap(outputBytes),
    ...(hasWitness ? inputs.flatMap(({ witness }) => [count(witness.length), ...witness.flatMap(sized)]) : []),
    uint32(lockTime)
  ])
}
