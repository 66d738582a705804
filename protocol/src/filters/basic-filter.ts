import type { Crypto } from "@lockstep/kernel/crypto"
import type { Block } from "@lockstep/kernel/model"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import { type SipKey, sipKey } from "../siphash/sip-hash.ts"
import { encodeSet, hasAny } from "./coded-set.ts"

const OP_RETURN = 0x6a

/**
 * Returns the scripts of a block's basic filter (BIP158): those of its outputs and of the coins it spends. Empty
 * scripts are excluded, and those of outputs that begin with OP_RETURN.
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

/** Returns the scripts of a block's basic filter, from the block and its undo data. */
export const scriptsOfBlock = ({ transactions }: Block, { spent }: BlockUndo): ReadonlyArray<Uint8Array> =>
  filteredScripts(
    transactions.flatMap(({ outputs }) => outputs.map(({ script }) => script)),
    spent.flatMap((coins) => coins.map(({ script }) => script))
  )

/** Returns the key by which a block's filter hashes its elements: the start of the block hash (wire order). */
const keyOf = (blockHash: Uint8Array): SipKey => sipKey(blockHash)

/** Builds the basic filter of a block with these scripts, which may repeat. */
export const basicFilter = (blockHash: Uint8Array, scripts: ReadonlyArray<Uint8Array>): Uint8Array =>
  encodeSet(keyOf(blockHash), scripts)

/**
 * Reports whether a block may have one of the scripts. False is certain; true may be a false positive. The scripts must
 * not be empty.
 */
export const filterMatches = (filter: Uint8Array, blockHash: Uint8Array, scripts: ReadonlyArray<Uint8Array>): boolean =>
  hasAny(filter, keyOf(blockHash), scripts)

/** Predecessor of the first filter header. */
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
