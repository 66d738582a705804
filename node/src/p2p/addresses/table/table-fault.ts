import { ADDRESS_LIMITS } from "../address-limits.ts"
import { type AddressTable, slotOf, triedSlotOf } from "./address-table.ts"
import type { KnownNode } from "./known-node.ts"

const { newBucketsPerAddress } = ADDRESS_LIMITS

const faultOf = (table: AddressTable, node: KnownNode, at: number): string | undefined => {
  if (node.position !== at || table.all.get(node.key) !== node) return "it is not where the list of all has it"
  if (node.isTried) {
    if (node.newBuckets.size > 0) return "it is in new buckets as well"
    return table.tried[triedSlotOf(table, node)] === node ? undefined : "it is not in its tried slot"
  }
  const { size } = node.newBuckets
  if (size === 0 || size > newBucketsPerAddress.most) return `it is in ${size} new buckets`
  for (const bucket of node.newBuckets) {
    if (table.fresh[slotOf(table, node, false, bucket)] !== node) return `it is not in its slot of new bucket ${bucket}`
  }
  return undefined
}

/** Returns the inconsistency of a table (Core: `CheckAddrman`), or `undefined` if it is consistent. */
export const tableFault = (table: AddressTable): string | undefined => {
  if (table.freshCount + table.triedCount !== table.list.length) return "its counts are not those of its addresses"
  if (table.tried.filter((node) => node !== undefined).length !== table.triedCount) return "a tried slot is too much"
  for (const [at, node] of table.list.entries()) {
    const fault = faultOf(table, node, at)
    if (fault !== undefined) return `${node.key}: ${fault}`
  }
  return undefined
}
