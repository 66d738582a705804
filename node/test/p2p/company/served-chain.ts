import { type Header, headerOf } from "@lockstep/kernel/model"
import { framedPayload, wireCrypto } from "../sockets/regtest-wire.ts"

/** A block as a scripted peer serves it. */
export interface ServedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  /** In its frame, ready to be sent. */
  readonly frame: Uint8Array
}

/** A chain without its genesis block. */
export interface ServedChain {
  readonly blocks: ReadonlyArray<ServedBlock>
  /** Place in `blocks` by hash in hex; -1: genesis. */
  readonly places: ReadonlyMap<string, number>
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const servedBlock = (bytes: Uint8Array): ServedBlock => {
  const header = headerOf(bytes.slice(0, 80))
  return { header, hash: wireCrypto.sha256d(header.bytes), bytes, frame: framedPayload("block", bytes) }
}

export const servedChain = (blocks: ReadonlyArray<ServedBlock>): ServedChain => {
  const places = new Map(blocks.map(({ hash }, i) => [hex(hash), i]))
  if (blocks[0] !== undefined) places.set(hex(blocks[0].header.previous), -1)
  return { blocks, places }
}

/** Magic and length in front of each block. */
const FRAME = 8

/** The chain in the bytes of a file: blocks in order, genesis first, each behind magic and length. */
export const chainOfFile = (file: Uint8Array): ServedChain => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const blocks: Array<ServedBlock> = []
  for (let at = 0; at < file.length;) {
    const end = at + FRAME + view.getUint32(at + 4, true)
    if (at > 0) blocks.push(servedBlock(file.subarray(at + FRAME, end)))
    at = end
  }
  return servedChain(blocks)
}

/** Such a file of raw blocks. */
export const fileOfBlocks = (blocks: ReadonlyArray<Uint8Array>): Uint8Array =>
  Buffer.concat(blocks.flatMap((bytes) => {
    const frame = Buffer.from([0xfa, 0xbf, 0xb5, 0xda, 0, 0, 0, 0])
    frame.writeUInt32LE(bytes.length, 4)
    return [frame, bytes]
  }))
