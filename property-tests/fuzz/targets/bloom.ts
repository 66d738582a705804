import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeTransaction, transactionId } from "@lockstep/kernel/model"
import { addToFilter, type BloomFilter, bloomFilter, mayContain } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { matchAndUpdate } from "@lockstep/protocol/bloom/match-transaction.ts"
import { merkleBlockOf, provenIds } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import { bitsOf } from "../../src/oracles/bloom.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Target } from "../target.ts"

interface Filtering {
  readonly bits: Uint8Array
  readonly hashFunctions: number
  readonly tweak: number
  readonly flags: number
  readonly items: ReadonlyArray<Uint8Array>
  readonly transaction: Uint8Array
}

const MOST_FUNCTIONS = 50

const has = ({ bits }: BloomFilter, bit: number): boolean => (bits[bit >> 3]! & (1 << (bit & 7))) !== 0

/** What is wrong with a filter after an element was added. */
const added = (filter: BloomFilter, item: Uint8Array): string | undefined => {
  addToFilter(filter, item)
  const bits = bitsOf(filter.bits.length, filter.hashFunctions, filter.tweak, item)
  if (!bits.every((bit) => has(filter, bit))) return "an element has not the bits that it should"
  return mayContain(filter, item) ? undefined : "an element that was added is not contained"
}

/** What is wrong with a proof that a transaction, among others, matches. */
const proven = (ids: ReadonlyArray<Uint8Array>, wanted: ReadonlyArray<boolean>): string | undefined => {
  const found = provenIds(merkleBlockOf(new Uint8Array(80), ids, wanted, nobleCrypto), nobleCrypto)
  return difference("proven", found?.ids.map(String), ids.filter((_, i) => wanted[i]).map(String))
}

/** Bloom filters of any form, what they contain, the transactions that match, and the proofs of these. */
export const bloomTarget: Target<Filtering> = {
  name: "bloom",
  about: "bloom filters: their bits, what matches them, and the merkle blocks that prove it",
  generate: (random, { scripts, transactions }) => ({
    bits: random.bytes(random.oneIn(8) ? 0 : 1 + random.below(200)),
    hashFunctions: random.below(MOST_FUNCTIONS + 1),
    tweak: random.below(2 ** 32),
    flags: random.below(256),
    items: Array.from({ length: random.below(5) }, () => mutateBytes(random.pick(scripts), random).subarray(0, 520)),
    transaction: random.oneIn(2) ? random.pick(transactions) : mutateBytes(random.pick(transactions), random)
  }),
  isInput: ({ hashFunctions }) => hashFunctions <= MOST_FUNCTIONS,
  judge: ({ bits, flags, hashFunctions, items, transaction, tweak }) => {
    const filter = bloomFilter({ filter: bits, flags, hashFunctions, tweak })
    for (const item of items) {
      const wrong = added(filter, item)
      if (wrong !== undefined) return wrong
    }
    const decoded = decodeTransaction(transaction)
    if (decoded._tag === "Failure") return undefined
    const txid = transactionId(decoded.success, nobleCrypto)
    const before = mayContain(filter, txid)
    const isMatch = matchAndUpdate(filter, decoded.success, txid)
    if (before && !isMatch) return "a transaction whose id the filter contains does not match"
    if (isMatch !== matchAndUpdate(filter, decoded.success, txid)) return "what matched once does not match again"
    return proven([txid, ...items.map((item) => nobleCrypto.sha256(item))], [isMatch, ...items.map(() => false)])
  }
}
