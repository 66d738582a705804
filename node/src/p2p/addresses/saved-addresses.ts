import { createHash } from "node:crypto"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressKey } from "../../net/endpoint-text.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import { ADDRESS_LIMITS } from "./address-limits.ts"
import {
  addNode,
  type AddressTable,
  dropIfHomeless,
  emptyTable,
  makeTried,
  restoreFresh,
  rivalOf
} from "./table/address-table.ts"
import type { KnownNode } from "./table/known-node.ts"

/** First line of the file. Its checksum reveals damage before any node is read. */
interface Head {
  readonly format: "lockstep addresses"
  readonly version: 1
  /** SHA-256 of everything after this line. */
  readonly checksum: string
}

/**
 * Address, port, services, source, time, last try, last counted try, last success, attempts, new buckets (empty if
 * tried).
 */
type Row = readonly [string, number, string, string, number, number, number, number, number, ReadonlyArray<number>]

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const rowOf = (node: KnownNode): Row => [
  addressKey(node.address),
  node.port,
  node.services.toString(16),
  addressKey(node.source),
  node.time,
  node.lastTry,
  node.lastCountedTry,
  node.lastSuccess,
  node.attempts,
  [...node.newBuckets]
]

/** Encodes a table as the text of its file. */
export const encodeAddresses = (table: AddressTable): string => {
  const body = JSON.stringify({
    key: Buffer.from(table.key).toString("hex"),
    asmap: table.asmap,
    nodes: table.list.map(rowOf)
  })
  const head: Head = { format: "lockstep addresses", version: 1, checksum: sha256(body) }
  return `${JSON.stringify(head)}\n${body}\n`
}

const addressOf = (key: string): NetworkAddress => {
  const [network = "", hex = ""] = key.split(":")
  return { network: Number(network), bytes: new Uint8Array(Buffer.from(hex, "hex")) }
}

/**
 * Adds a saved node. `isRegrouped` means that the buckets of the file follow another grouping; the node's bucket is
 * then chosen by its source.
 */
const restore = (table: AddressTable, row: Row, isRegrouped: boolean): void => {
  const [key, port, services, source, time, lastTry, lastCountedTry, lastSuccess, attempts, buckets] = row
  const address = addressOf(key)
  if (!isRoutable(address)) return
  const node = addNode(table, { address, port, services: BigInt(`0x${services}`), time }, addressOf(source))
  Object.assign(node, { lastTry, lastCountedTry, lastSuccess, attempts })
  if (buckets.length === 0 && rivalOf(table, node) === undefined) makeTried(table, node)
  const places = isRegrouped && buckets.length > 0 ? [table.places.fresh(node, node.source)] : buckets
  for (const bucket of places) if (bucket < ADDRESS_LIMITS.newBuckets.most) restoreFresh(table, node, bucket)
  dropIfHomeless(table, node)
}

interface Saved {
  readonly key: string
  readonly asmap?: string
  readonly nodes: ReadonlyArray<Row>
}

const bodyOf = (text: string): string | undefined => {
  const end = text.indexOf("\n")
  const head = JSON.parse(text.slice(0, Math.max(0, end))) as Partial<Head> | null
  const body = text.slice(end + 1).trimEnd()
  if (head?.format !== "lockstep addresses" || head.version !== 1) return undefined
  return head.checksum === sha256(body) ? body : undefined
}

/** Decodes the text of a file, or returns `undefined` if the text is damaged. */
export const decodeAddresses = (text: string, groups?: NetGroups): AddressTable | undefined => {
  try {
    const body = bodyOf(text)
    if (body === undefined) return undefined
    const { asmap, key, nodes } = JSON.parse(body) as Saved
    const table = emptyTable(new Uint8Array(Buffer.from(key, "hex")), groups)
    for (const row of nodes) restore(table, row, asmap !== table.asmap)
    return table
  } catch {
    return undefined
  }
}
