import { headerOf } from "@lockstep/kernel/model"
import { wireCrypto } from "../sockets/regtest-wire.ts"
import { type ServedBlock, servedBlock, type ServedChain, servedChain } from "./served-chain.ts"

const BITS = 0x207fffff

/** The same block with something changed in its last transaction: its header commits to something else. */
export const mutated = ({ bytes }: ServedBlock): ServedBlock => {
  const changed = Uint8Array.from(bytes)
  changed[changed.length - 5]! ^= 0xff
  return servedBlock(changed)
}

/** A coinbase that claims far more than there is. Precondition: the height is one from 17 to 32,767. */
const greedyCoinbase = (height: number): Uint8Array => {
  const script = Buffer.from([...(height < 128 ? [1, height] : [2, height & 0xff, height >> 8]), 1, 7])
  const output = Buffer.alloc(8)
  output.writeBigInt64LE(1_000n * 100_000_000n)
  return Buffer.concat([
    Buffer.from(`0100000001${"00".repeat(32)}ffffffff`, "hex"),
    Buffer.from([script.length]),
    script,
    Buffer.from("ffffffff01", "hex"),
    output,
    Buffer.from("015100000000", "hex")
  ])
}

const greedyBlock = (previous: ServedBlock, height: number): ServedBlock => {
  const coinbase = greedyCoinbase(height)
  const bytes = Buffer.alloc(80)
  bytes.writeInt32LE(0x20000000)
  bytes.set(previous.hash, 4)
  bytes.set(wireCrypto.sha256d(coinbase), 36)
  bytes.writeUInt32LE(headerOf(previous.bytes.slice(0, 80)).time + 1, 68)
  bytes.writeUInt32LE(BITS, 72)
  for (let nonce = 0;; nonce++) {
    bytes.writeUInt32LE(nonce, 76)
    if (wireCrypto.sha256d(bytes)[31]! < 0x7f) break
  }
  return servedBlock(Uint8Array.from(Buffer.concat([bytes, Buffer.from([1]), coinbase])))
}

/** Half of a chain, and on top of it more blocks than it has, with work but against the rules. */
export const forkOf = ({ blocks }: ServedChain): ServedChain => {
  const made = blocks.slice(0, Math.floor(blocks.length / 2))
  while (made.length < blocks.length + 20) made.push(greedyBlock(made.at(-1)!, made.length + 1))
  return servedChain(made)
}
