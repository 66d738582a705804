import { concatBytes } from "@lockstep/kernel/bytes/equal.ts"
import { encodeCompactSize } from "@lockstep/kernel/bytes/compact-size.ts"
import type { Block } from "@lockstep/kernel/model/block.ts"
import { encodeWithoutWitness } from "@lockstep/kernel/model/transaction-codec.ts"

/** A block as nodes from before witnesses know it. */
export const withoutWitnesses = ({ header, transactions }: Block): Uint8Array =>
  concatBytes([header.bytes, encodeCompactSize(transactions.length), ...transactions.map(encodeWithoutWitness)])
