import {
  compactSizeLength,
  readInt64,
  writeBytes,
  writeCompactSize,
  writeInt64,
  writerOf
} from "@lockstep/kernel/bytes"
import { readTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { LIMITS } from "../limits.ts"
import { passTransaction } from "../pass-transaction.ts"
import { readHash, readList } from "../payload-cursor.ts"
import { writeHashes } from "../payload-writer.ts"

/** Package capabilities of a node: bits of `sendpackages` (BIP331). */
export const PackageVersion = {
  /** `getpkgtxns` and `pkgtxns`. */
  TRANSACTIONS: 1n << 0n,
  /** `ancpkginfo`. */
  ANCESTORS: 1n << 1n
} as const

/** Package capabilities of the sender, uint64; sent before `verack`. Unassigned bits are tolerated. */
export interface SendPackagesMessage {
  readonly command: "sendpackages"
  readonly versions: bigint
}

/**
 * Wtxids: the unconfirmed ancestors of the last one, in any order (`ancpkginfo`), or transactions that are requested
 * together (`getpkgtxns`).
 */
export interface PackageIdsMessage<C extends "ancpkginfo" | "getpkgtxns"> {
  readonly command: C
  readonly wtxids: ReadonlyArray<Uint8Array>
}

/** The requested transactions, in the order of the request. Their byte fields are views of the payload. */
export interface PkgTxnsMessage {
  readonly command: "pkgtxns"
  readonly transactions: ReadonlyArray<Transaction>
}

const MOST = LIMITS.packageRequest.most

const ids = <C extends "ancpkginfo" | "getpkgtxns">(command: C): Codec<PackageIdsMessage<C>> => ({
  read: (cursor) => ({ command, wtxids: readList(cursor, "transactions", MOST, readHash) }),
  write: ({ wtxids }) => {
    const writer = writerOf(compactSizeLength(wtxids.length) + 32 * wtxids.length)
    writeCompactSize(writer, wtxids.length)
    writeHashes(writer, wtxids)
    return writer.bytes
  }
})

export const ancpkginfo = ids("ancpkginfo")
export const getpkgtxns = ids("getpkgtxns")

export const sendpackages: Codec<SendPackagesMessage> = {
  read: (cursor) => ({ command: "sendpackages", versions: BigInt.asUintN(64, readInt64(cursor)) }),
  write: ({ versions }) => {
    const writer = writerOf(8)
    writeInt64(writer, BigInt.asIntN(64, versions))
    return writer.bytes
  }
}

export const pkgtxns: Codec<PkgTxnsMessage> = {
  read: (cursor) => ({
    command: "pkgtxns",
    transactions: readList(cursor, "transactions", MOST, readTransaction)
  }),
  pass: (cursor) => void readList(cursor, "transactions", MOST, passTransaction),
  write: ({ transactions }) => {
    const size = transactions.reduce((sum, { bytes }) => sum + bytes.length, compactSizeLength(transactions.length))
    const writer = writerOf(size)
    writeCompactSize(writer, transactions.length)
    for (const { bytes } of transactions) writeBytes(writer, bytes)
    return writer.bytes
  }
}
