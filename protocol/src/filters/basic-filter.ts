import type { Crypto } from "@lockstep/kernel/crypto"
import type { Block } from "@lockstep/kernel/model"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import { type SipKey, sipKey } from "../siphash/sip-hash.ts"
import { encodeSet, hasAny } from "./coded-set.ts"

const OP_RETURN = 0x6a

/**
 * The scripts that the basic filter (BIP158) of a block has. They are those of its outputs and of the coins it spends,
 * but for empty ones, and for those of outputs that begin with OP_RETURN.
 */
export const filteredScripts = (
  outputs: Iterable<Uint8Array>,
  spent: Iterable<Uint8Array>
): ReadonlyArray<Uint8Array> => {
  const all: Array<Uint8Array> = []
  for (const script of outputs) if (script.length > 0 && script[0] !== OP_RETURN) all.push(script)
  for (const script of spent) if (script.length > 0) all.push(script)
  return all
}

/** The scripts of the basic filter of a block, with what it spent. */
export const scriptsOfBlock = ({ transactions }: Block, { spent }: BlockUndo): ReadonlyArray<Uint8Array> =>
  filteredScripts(
    transactions.flatMap(({ outputs }) => outputs.map(({ script }) => script)),
    spent.flatMap((coins) => coins.map(({ script }) => script))
  )

/** The filters of a block hash their elements with what the hash of the block (wire order) begins with. */
const keyOf = (blockHash: Uint8Array): SipKey => sipKey(blockHash)

/** The basic filter of a block with these scripts, of which some may be the same. */
export const basicFilter = (blockHash: Uint8Array, scripts: ReadonlyArray<Uint8Array>): Uint8Array =>
  encodeSet(keyOf(blockHash), scripts)

/**
 * Whether a block has one of the scripts: when not, it has none; when so, it may still have none. Scripts are not
 * empty.
 */
export const filterMatches = (filter: Uint8Array, blockHash: Uint8Array, scripts: ReadonlyArray<Uint8Array>): boolean =>
  hasAny(filter, keyOf(blockHash), scripts)

/** What comes before the header of the first filter. */
export const NO_FILTER_HEADER: Uint8Array = new Uint8Array(32)

export const filterHash = (filter: Uint8Array, crypto: Crypto): Uint8Array => crypto.sha256d(filter)

/**
 * Headers of filters (BIP157) form a chain of their own: one that is right vouches for all before it.
 *
 *     header = SHA256d(hash of the filter ‖ previous header)
 */
export const filterHeader = (hash: Uint8Array, previous: Uint8Array, crypto: Crypto): Uint8Array => {
  const both = new Uint8Array(64)
  both.set(hash)
  both.set(previous, 32)
  return crypto.sha256d(both)
}
