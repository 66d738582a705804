import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import type { BlockTemplate } from "@lockstep/sdk"
import { merkleBranch, merkleRoot, sha256d } from "../../../mining/merkle.ts"

/** Maximum size and sigops of the outputs that a client adds to the coinbase. */
export interface OutputConstraints {
  readonly size: number
  readonly sigops: number
}

/**
 * Weight of the header, the number of transactions, and a coinbase with the longest script and the commitment, as the
 * specification counts it.
 */
const RESERVED_WEIGHT = 1_168

const WEIGHT_OF_BYTE = 4

/** Cost of a signature operation in a script without witness. */
const COST_OF_SIGOP = 4

/** `OP_RETURN`, a push of 36 bytes, and what marks a commitment (BIP141). */
const COMMITMENT = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed)

const NONE = new Uint8Array(32)

/** Returns the script that commits to the witnesses of transactions, for a coinbase with the usual reserved value. */
const commitmentTo = (transactions: BlockTemplate["transactions"]): Uint8Array => {
  const root = merkleRoot(NONE, merkleBranch(transactions.map(({ wtxid }) => wtxid)))
  return concatBytes([COMMITMENT, sha256d(concatBytes([root, NONE]))])
}

/** Returns the number of transactions, counted from the first, that fit. No transaction depends on a later one. */
const fitting = (
  { sigop_limit, transactions, weight_limit }: BlockTemplate,
  { sigops, size }: OutputConstraints
): number | undefined => {
  let weight = RESERVED_WEIGHT + WEIGHT_OF_BYTE * size
  let cost = COST_OF_SIGOP * sigops
  if (weight > weight_limit || cost > sigop_limit) return undefined
  const over = transactions.findIndex((each) => {
    weight += each.weight
    cost += each.sigops
    return weight > weight_limit || cost > sigop_limit
  })
  return over === -1 ? transactions.length : over
}

/**
 * Fits a template to a coinbase with the client's additions. Returns `undefined` if a block lacks the room for them.
 */
export const fittedTemplate = (template: BlockTemplate, constraints: OutputConstraints): BlockTemplate | undefined => {
  const count = fitting(template, constraints)
  if (count === undefined || count === template.transactions.length) return count === undefined ? undefined : template
  const left = template.transactions.slice(count)
  const transactions = template.transactions.slice(0, count)
  const lost = left.reduce((sum, { fee }) => sum + fee, 0)
  const { coinbase_value, default_witness_commitment: before } = template
  // A commitment other than BIP141's is unchanged, such as that of a network with its own rule.
  const isKnown = before !== undefined && bytesEqual(before, commitmentTo(template.transactions))
  if (before !== undefined && !isKnown) return undefined
  return {
    ...template,
    transactions,
    coinbase_value: coinbase_value - lost,
    default_witness_commitment: before === undefined ? undefined : commitmentTo(transactions)
  }
}
