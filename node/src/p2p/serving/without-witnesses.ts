import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { type Block, encodeWithoutWitness } from "@lockstep/kernel/model"

/** A block as nodes from before witnesses know it. */
export const withoutWitnesses = ({ header, transactions }: Block): Uint8Array =>
  concatBytes([header.bytes, encodeCompactSize(transactions.length), ...transactions.map(encodeWithoutWitness)])
