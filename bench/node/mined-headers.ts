import type { Crypto } from "../../kernel/src/index.ts"
import { expandTarget } from "../../kernel/src/work/compact-target.ts"
import { hashNumber } from "../../kernel/src/work/proof-of-work.ts"

/** The bits of every block on regtest. */
const BITS = 0x207fffff
const TARGET = expandTarget(BITS)!

/** Where headers go on: a block's hash, in wire order, and its time. */
export interface HeaderEnd {
  readonly hash: Uint8Array
  readonly time: number
}

/** The hash of `header` once its nonce is such that it is enough work. */
export const mine = (header: Uint8Array, crypto: Crypto): Uint8Array => {
  const view = new DataView(header.buffer, header.byteOffset, 80)
  for (let nonce = 0;; nonce++) {
    view.setUint32(76, nonce, true)
    const hash = crypto.sha256d(header.subarray(0, 80))
    if (hashNumber(hash) <= TARGET) return hash
  }
}

/** Headers of regtest one on another, ten minutes apart. */
export const minedHeaders = (end: HeaderEnd, count: number, crypto: Crypto): ReadonlyArray<Uint8Array> => {
  let { hash, time } = end
  return Array.from({ length: count }, (_, i) => {
    const header = new Uint8Array(80)
    const view = new DataView(header.buffer)
    time += 600
    view.setInt32(0, 0x20000000, true)
    header.set(hash, 4)
    view.setUint32(36, i, true)
    view.setUint32(68, time, true)
    view.setUint32(72, BITS, true)
    hash = mine(header, crypto)
    return header
  })
}
