import { sizedLength, writeInt64, writerOf, writeSized } from "@lockstep/kernel/bytes"

const AMOUNT_BYTES = 8

/** Serializes an output as in a transaction. */
export const serializedOutput = (
  { script, value }: { readonly script: Uint8Array; readonly value: bigint }
): Uint8Array => {
  const writer = writerOf(AMOUNT_BYTES + sizedLength(script))
  writeInt64(writer, value)
  writeSized(writer, script)
  return writer.bytes
}
