import { concatBytes, encodeCompactSize, writeInt64, writerOf, writeUint32 } from "@lockstep/kernel/bytes"
import type { BlockTemplate } from "@lockstep/sdk"

/** The coinbase around the bytes that miners change, without its witness: what its txid is the hash of. */
export interface CoinbaseParts {
  readonly before: Uint8Array
  readonly after: Uint8Array
}

const OP_1 = 0x51
const MOST_OF_OPCODE = 16
const SEQUENCE = 0xffff_ffff

const uint32 = (value: number): Uint8Array => {
  const writer = writerOf(4)
  writeUint32(writer, value)
  return writer.bytes
}

const int64 = (value: number): Uint8Array => {
  const writer = writerOf(8)
  writeInt64(writer, BigInt(value))
  return writer.bytes
}

/** The height as a script pushes it (BIP34): an opcode up to 16, then the shortest number, little-endian with a sign. */
export const heightPush = (height: number): Uint8Array => {
  if (height <= MOST_OF_OPCODE) return Uint8Array.of(OP_1 + height - 1)
  const bytes: Array<number> = []
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  if (bytes.at(-1)! >= 0x80) bytes.push(0)
  return Uint8Array.of(bytes.length, ...bytes)
}

/** An output as a transaction has it. */
export const outputBytes = (value: number, script: Uint8Array): Uint8Array =>
  concatBytes([int64(value), encodeCompactSize(script.length), script])

/** The outputs that a template asks for, their number before them. */
export const coinbaseOutputs = (template: BlockTemplate, script: Uint8Array): Uint8Array => {
  const { coinbase_value, default_witness_commitment: commitment } = template
  const outputs = [outputBytes(coinbase_value, script), ...commitment === undefined ? [] : [outputBytes(0, commitment)]]
  return concatBytes([encodeCompactSize(outputs.length), ...outputs])
}

/** The coinbase of a template that pays to a script, with room for so many bytes of miners behind the height. */
export const coinbaseParts = (template: BlockTemplate, script: Uint8Array, extranonceBytes: number): CoinbaseParts => {
  const push = heightPush(template.height)
  return {
    before: concatBytes([
      uint32(2),
      Uint8Array.of(1),
      new Uint8Array(32),
      uint32(0xffff_ffff),
      encodeCompactSize(push.length + 1 + extranonceBytes),
      push,
      Uint8Array.of(extranonceBytes)
    ]),
    after: concatBytes([uint32(SEQUENCE), coinbaseOutputs(template, script), uint32(0)])
  }
}

/** A coinbase as a block has it: with the witness that its commitment needs. */
export const coinbaseWithWitness = (
  stripped: Uint8Array,
  { default_witness_commitment }: Pick<BlockTemplate, "default_witness_commitment">
): Uint8Array => {
  if (default_witness_commitment === undefined) return stripped
  const [version, rest, lockTime] = [stripped.subarray(0, 4), stripped.subarray(4, -4), stripped.subarray(-4)]
  return concatBytes([version, Uint8Array.of(0, 1), rest, Uint8Array.of(1, 32), new Uint8Array(32), lockTime])
}
