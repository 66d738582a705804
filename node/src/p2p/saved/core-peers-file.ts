import { type UnixSeconds, unixSeconds } from "../../quantities.ts"
import { concatBytes, bytesEqual } from "@lockstep/kernel/bytes"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { createHash } from "node:crypto"
import { endpointKey } from "../../net/endpoint-text.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import { ADDRESS_LIMITS } from "../addresses/address-limits.ts"
import {
  addNode,
  type AddressTable,
  dropIfHomeless,
  emptyTable,
  makeTried,
  restoreFresh,
  rivalOf
} from "../addresses/table/address-table.ts"
import type { KnownNode } from "../addresses/table/known-node.ts"
import { type ByteReader, byteReader, writtenNumber } from "./byte-reader.ts"
import { decodeCoreRecord, decodeOldPlace, decodePlace, encodePlace, encodeCoreRecord } from "./core-record.ts"

const { bucketSize, newBuckets, newBucketsPerAddress, triedBuckets } = ADDRESS_LIMITS

/** Core's `AddrManImpl::FILE_FORMAT`: several ports for one address. */
const FORMAT = 4
/** Core's formats, by the feature that each introduced. */
const SINCE = { bucketsMark: 1, asmap: 2, bip155: 3 } as const
/** Added to the oldest format that can read the file. */
const COMPAT_BASE = 32
const BUCKETS_MARK = 1 << 30
const KEY_BYTES = 32
const MAGIC_BYTES = 4
const HASH_BYTES = 32

/** The reason why a `peers.dat` cannot be used. `isOther` means that it is intact, but of another version. */
export interface PeersFileFault {
  readonly reason: string
  readonly isOther: boolean
}

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/** Returns the checksum at the end of Core's files, over the network magic and everything after it. */
export const peersChecksum = (bytes: Uint8Array): Uint8Array => new Uint8Array(sha256(sha256(bytes)))

const asmapBytes = ({ asmap }: AddressTable): Uint8Array =>
  asmap === undefined ? new Uint8Array(HASH_BYTES) : new Uint8Array(Buffer.from(asmap, "hex").reverse())

const encodeNode = (node: KnownNode): Uint8Array =>
  concatBytes([
    encodeCoreRecord(node),
    encodePlace(node.source),
    writtenNumber.int64(BigInt(node.lastSuccess)),
    writtenNumber.int32(node.attempts)
  ])

/** Encodes a table as Core's `peers.dat`. */
export const encodePeersFile = (table: AddressTable, magic: Uint8Array): Uint8Array => {
  const fresh = table.list.filter(({ isTried }) => !isTried)
  const tried = table.list.filter(({ isTried }) => isTried)
  const buckets: Array<Array<number>> = Array.from({ length: newBuckets.most }, () => [])
  for (const [index, { newBuckets: of }] of fresh.entries()) for (const bucket of of) buckets[bucket]!.push(index)
  const body = concatBytes([
    magic,
    Uint8Array.of(FORMAT, COMPAT_BASE + FORMAT),
    table.key,
    writtenNumber.int32(fresh.length),
    writtenNumber.int32(tried.length),
    writtenNumber.int32(newBuckets.most ^ BUCKETS_MARK),
    ...[...fresh, ...tried].map(encodeNode),
    ...buckets.map((indexes) =>
      concatBytes([writtenNumber.int32(indexes.length), ...indexes.map(writtenNumber.int32)])
    ),
    asmapBytes(table)
  ])
  return concatBytes([body, peersChecksum(body)])
}

const other = (reason: string): PeersFileFault => ({ reason, isOther: true })

class Unusable extends Error {
  readonly fault: PeersFileFault
  constructor(fault: PeersFileFault) {
    super(fault.reason)
    this.fault = fault
  }
}

const refuse = (reason: string): never => {
  throw new Unusable({ reason, isOther: false })
}

/**
 * Appends the suffix of the C++ library for a failed read, which Core shows for all faults but those of the magic and
 * the checksum.
 */
const refuseRead = (reason: string): never => refuse(`${reason}: iostream error`)

/** Reads the format. Throws if it, or the oldest compatible one, is unknown to this node. */
const readFormat = (from: ByteReader): number => {
  const format = from.uint8()
  const compat = from.uint8()
  if (compat < COMPAT_BASE) {
    refuseRead(
      `Corrupted addrman database: The compat value (${compat}) is lower than the expected minimum value ${COMPAT_BASE}.`
    )
  }
  const least = compat - COMPAT_BASE
  if (least > FORMAT) {
    throw new Unusable(
      other(
        `Unsupported format of addrman database: ${format}. It is compatible with formats >=${least}, but the maximum ` +
          `supported by this version of Bitcoin Core is ${FORMAT}.`
      )
    )
  }
  return format
}

const countOf = (from: ByteReader, name: string, most: number): number => {
  const count = from.int32()
  return count < 0 || count > most
    ? refuseRead(`Corrupt AddrMan serialization: ${name}=${count}, should be in [0, ${most}]`)
    : count
}

interface Entry extends ReturnType<typeof decodeCoreRecord> {
  readonly source: KnownNode["source"]
  readonly lastSuccess: UnixSeconds
  readonly attempts: number
}

const decodeEntry = (from: ByteReader, format: number): Entry => ({
  ...decodeCoreRecord(from, format < SINCE.bip155),
  source: format < SINCE.bip155 ? decodeOldPlace(from) : decodePlace(from),
  lastSuccess: unixSeconds(Number(from.int64())),
  attempts: from.int32()
})

/** Adds an entry without a bucket. Returns `undefined` if its address is not routable or known already. */
const addEntry = (table: AddressTable, entry: Entry): KnownNode | undefined => {
  if (!isRoutable(entry.address) || table.all.has(endpointKey(entry))) return undefined
  const { attempts, lastSuccess, source } = entry
  return Object.assign(addNode(table, entry, source), { attempts, lastSuccess })
}

/** Reads the indexes of new entries, each with the number of a bucket that holds it. */
const readBuckets = (from: ByteReader, count: number): ReadonlyArray<readonly [bucket: number, index: number]> => {
  const found: Array<readonly [number, number]> = []
  for (let bucket = 0; bucket < count; bucket++) {
    for (let left = from.int32(); left > 0; left--) found.push([bucket, from.int32()])
  }
  return found
}

const readTable = (from: ByteReader, groups: NetGroups | undefined): AddressTable => {
  const format = readFormat(from)
  const table = emptyTable(from.bytes(KEY_BYTES), groups)
  const freshCount = countOf(from, "nNew", newBuckets.most * bucketSize.most)
  const triedCount = countOf(from, "nTried", triedBuckets.most * bucketSize.most)
  const bucketCount = from.int32() ^ (format < SINCE.bucketsMark ? 0 : BUCKETS_MARK)
  const fresh = Array.from({ length: freshCount }, () => addEntry(table, decodeEntry(from, format)))
  for (let i = 0; i < triedCount; i++) {
    const node = addEntry(table, decodeEntry(from, format))
    if (node === undefined) continue
    if (rivalOf(table, node) === undefined) makeTried(table, node)
    else dropIfHomeless(table, node)
  }
  const places = readBuckets(from, bucketCount)
  const asmap = format < SINCE.asmap ? new Uint8Array(HASH_BYTES) : from.bytes(HASH_BYTES)
  const isSame = bytesEqual(asmap, asmapBytes(table)) && bucketCount === newBuckets.most
  for (const [bucket, index] of places) {
    const node = fresh[index]
    if (node === undefined || node.newBuckets.size >= newBucketsPerAddress.most) continue
    restoreFresh(table, node, isSame ? bucket : table.places.fresh(node, node.source))
  }
  for (const node of fresh) if (node !== undefined) dropIfHomeless(table, node)
  // Without a secret key, anyone could compute the buckets of addresses.
  if (table.key.every((byte) => byte === 0)) refuseRead("Corrupt data. Consistency check failed with code -16")
  return table
}

/** Decodes the table of a `peers.dat`, or returns the fault in Core's words. */
export const decodePeersFile = (
  bytes: Uint8Array,
  magic: Uint8Array,
  groups?: NetGroups
): AddressTable | PeersFileFault => {
  const from = byteReader(bytes)
  try {
    if (!bytesEqual(from.bytes(MAGIC_BYTES), magic)) refuse("Invalid network magic number")
    const table = readTable(from, groups)
    const end = from.offset()
    if (!bytesEqual(from.bytes(HASH_BYTES), peersChecksum(bytes.subarray(0, end)))) {
      refuse("Checksum mismatch, data corrupted")
    }
    return table
  } catch (fault) {
    return fault instanceof Unusable ? fault.fault : { reason: (fault as Error).message, isOther: false }
  }
}
