import { join } from "./byte-string.ts"
import { compactSize, readCompactSize } from "./compact-size.ts"
import { sha256d } from "./hash.ts"
import { readTransaction } from "./read-transaction.ts"
import { type NaiveTransaction, serializeTransaction, serializeWithoutWitness } from "./transaction.ts"

/** `header` is the 80 bytes as they are. */
export interface NaiveBlock {
  readonly header: Uint8Array
  readonly transactions: ReadonlyArray<NaiveTransaction>
}

const serializeWith = (form: (tx: NaiveTransaction) => Uint8Array, block: NaiveBlock): Uint8Array =>
  join(block.header, compactSize(block.transactions.length), ...block.transactions.map(form))

export const serializeBlock = (block: NaiveBlock): Uint8Array => serializeWith(serializeTransaction, block)

export const blockHash = (block: NaiveBlock): Uint8Array => sha256d(block.header)

export const blockWeight = (block: NaiveBlock): number =>
  3 * serializeWith(serializeWithoutWitness, block).length + serializeBlock(block).length

/** The block that is the whole of `bytes`, or the id of the rule that is broken. */
export const parseBlock = (bytes: Uint8Array): NaiveBlock | string => {
  if (bytes.length < 80) return "SER-003"
  const count = readCompactSize(bytes.subarray(80))
  if (typeof count === "string") return count
  const transactions: Array<NaiveTransaction> = []
  let rest = bytes.subarray(80 + count.size)
  while (transactions.length < count.value) {
    const read = readTransaction(rest)
    if (typeof read === "string") return read
    transactions.push(read[0])
    rest = read[1]
  }
  return rest.length === 0 ? { header: bytes.subarray(0, 80), transactions } : "SER-004"
}
