import { nobleCrypto } from "@lockstep/kernel/noble"
import {
  basicFilter,
  filteredScripts,
  filterHash,
  filterHeader,
  NO_FILTER_HEADER
} from "@lockstep/protocol/filters/basic-filter.ts"

type Ask = (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>

interface Script {
  readonly scriptPubKey: { readonly hex: string }
}

interface BlockWithCoins {
  readonly previousblockhash?: string
  readonly tx: ReadonlyArray<
    { readonly vin: ReadonlyArray<{ readonly prevout?: Script }>; readonly vout: ReadonlyArray<Script> }
  >
}

interface Filter {
  readonly filter: string
  readonly header: string
}

const bytes = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, "hex"))
const scriptOf = ({ scriptPubKey }: Script): Uint8Array => bytes(scriptPubKey.hex)

/** What is wrong with the filter of a block, made again from the block, and with its place in the chain of headers. */
export const filterFault = async (ask: Ask, hash: string): Promise<string | undefined> => {
  const { previousblockhash, tx } = await ask("getblock", hash, 3) as BlockWithCoins
  const { filter, header } = await ask("getblockfilter", hash) as Filter
  const spent = tx.flatMap(({ vin }) => vin.flatMap(({ prevout }) => prevout === undefined ? [] : [scriptOf(prevout)]))
  const right = basicFilter(bytes(hash).reverse(), filteredScripts(tx.flatMap(({ vout }) => vout.map(scriptOf)), spent))
  if (Buffer.compare(right, bytes(filter)) !== 0) {
    return `the filter of ${hash} is ${filter} instead of ${Buffer.from(right).toString("hex")}`
  }
  const before = previousblockhash === undefined
    ? NO_FILTER_HEADER
    : bytes((await ask("getblockfilter", previousblockhash) as Filter).header).reverse()
  const next = Buffer.from(filterHeader(filterHash(right, nobleCrypto), before, nobleCrypto)).reverse().toString("hex")
  return next === header ? undefined : `the filter header of ${hash} is ${header} instead of ${next}`
}
