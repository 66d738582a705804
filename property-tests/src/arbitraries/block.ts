import fc, { type Arbitrary } from "fast-check"
import type { NaiveBlock } from "../oracles/block.ts"
import { bytesOf } from "./bytes.ts"
import { anyTransaction } from "./transaction.ts"

/** A header of any bytes and a few transactions: what a codec must carry, not what the chain would take. */
export const anyBlock: Arbitrary<NaiveBlock> = fc.record({
  header: bytesOf(80),
  transactions: fc.array(anyTransaction, { maxLength: 5 })
})

/** Leaves of a merkle tree, some of them alike. */
export const merkleLeaves: Arbitrary<ReadonlyArray<Uint8Array>> = fc.oneof(
  fc.array(
    fc.nat(3).map((byte) => new Uint8Array(32).fill(byte)),
    { maxLength: 12 }
  ),
  fc.array(bytesOf(32), { maxLength: 20 }),
  fc
    .array(bytesOf(32), { minLength: 1, maxLength: 6 })
    .map((leaves) => [...leaves, ...leaves.slice(-(1 << Math.floor(Math.log2(leaves.length))))])
)
