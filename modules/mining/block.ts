import { concatBytes, encodeCompactSize, writerOf, writeUint32 } from "@lockstep/kernel/bytes"
import type { BlockTemplate } from "@lockstep/sdk"
import { coinbaseWithWitness } from "./coinbase.ts"

/** What a header is made of; hashes in internal byte order. */
export interface HeaderParts {
  readonly version: number
  readonly previousHash: Uint8Array
  readonly merkleRoot: Uint8Array
  readonly time: number
  readonly bits: number
  readonly nonce: number
}

const uint32 = (value: number): Uint8Array => {
  const writer = writerOf(4)
  writeUint32(writer, value >>> 0)
  return writer.bytes
}

/** The 80 bytes whose hash is the proof of work. */
export const headerBytes = ({ bits, merkleRoot, nonce, previousHash, time, version }: HeaderParts): Uint8Array =>
  concatBytes([uint32(version), previousHash, merkleRoot, uint32(time), uint32(bits), uint32(nonce)])

/** What a block has beside its header and coinbase. */
export interface BlockContents extends Pick<BlockTemplate, "default_witness_commitment"> {
  readonly transactions: ReadonlyArray<Pick<BlockTemplate["transactions"][number], "data">>
}

/** A whole block: a header, the coinbase without witness that it commits to, and the transactions of the template. */
export const blockBytes = (header: Uint8Array, coinbase: Uint8Array, template: BlockContents): Uint8Array =>
  concatBytes([
    header,
    encodeCompactSize(template.transactions.length + 1),
    coinbaseWithWitness(coinbase, template),
    ...template.transactions.map(({ data }) => data)
  ])
