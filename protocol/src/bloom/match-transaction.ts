import type { Transaction } from "@lockstep/kernel/model"
import { outputType } from "@lockstep/kernel/relay"
import { instructionEnd, lengthFieldSize, Opcode } from "@lockstep/kernel/script"
import { addToFilter, type BloomFilter, matchesAll, mayContain } from "./bloom-filter.ts"

const OUTPOINT_SIZE = 36
const HASH_SIZE = 32

const outpointOf = (txid: Uint8Array, index: number): Uint8Array => {
  const bytes = new Uint8Array(OUTPOINT_SIZE)
  bytes.set(txid)
  new DataView(bytes.buffer).setUint32(HASH_SIZE, index, true)
  return bytes
}

/** Whether the filter may have one of the items that a script pushes, up to where it is cut off. */
const pushesMatch = (filter: BloomFilter, script: Uint8Array): boolean => {
  for (let pc = 0; pc < script.length;) {
    const end = instructionEnd(script, pc)
    if (end > script.length) return false
    const isPush = script[pc]! <= Opcode.OP_PUSHDATA4
    const data = pc + 1 + lengthFieldSize(script[pc]!)
    if (isPush && end > data && mayContain(filter, script.subarray(data, end))) return true
    pc = end
  }
  return false
}

/** Whether the outpoint of a matching output goes into the filter. */
const isTakenIn = ({ update }: BloomFilter, script: Uint8Array): boolean => {
  if (update !== "pubkey-only") return update === "all"
  const { kind } = outputType(script)
  return kind === "pubkey" || kind === "multisig"
}

/**
 * Whether a transaction matches the filter (BIP37): its id, something that its outputs push, an outpoint that it
 * spends, or something that its inputs push. The outpoints of matching outputs go into the filter where it says so, so
 * that the transactions that spend them match as well.
 */
export const matchAndUpdate = (filter: BloomFilter, transaction: Transaction, txid: Uint8Array): boolean => {
  if (matchesAll(filter)) return true
  let isMatch = mayContain(filter, txid)
  for (const [index, { script }] of transaction.outputs.entries()) {
    if (!pushesMatch(filter, script)) continue
    isMatch = true
    if (isTakenIn(filter, script)) addToFilter(filter, outpointOf(txid, index))
  }
  return isMatch ||
    transaction.inputs.some(({ prevout, script }) =>
      mayContain(filter, outpointOf(prevout.txid, prevout.vout)) || pushesMatch(filter, script)
    )
}
