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

/** Reports whether the filter may have an item that a script pushes. Stops where the script is truncated. */
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

/** Reports whether the outpoint of a matching output is added to the filter. */
const isTakenIn = ({ update }: BloomFilter, script: Uint8Array): boolean => {
  if (update !== "pubkey-only") return update === "all"
  const { kind } = outputType(script)
  return kind === "pubkey" || kind === "multisig"
}

/**
 * Reports whether a transaction matches the filter (BIP37): by its id, data pushed by its outputs, an outpoint that it
 * spends, or data pushed by its inputs. Adds the outpoints of matching outputs if the filter requires it, so that
 * transactions that spend them match, too.
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
