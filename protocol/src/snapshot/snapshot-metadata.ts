import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Result from "effect/Result"
import { NETWORKS } from "../networks/table.ts"
import type { Network, NetworkName } from "../networks/network.ts"

/** Metadata of a snapshot, which precede its coins. */
export interface SnapshotMetadata {
  /** Hash of the block after which the coins are unspent, in wire order. */
  readonly base: Uint8Array
  readonly coins: bigint
}

/** Size of a snapshot's head: magic (5), version (2), network (4), block (32), coins (8). */
export const SNAPSHOT_HEAD_SIZE = 51

const MAGIC = Uint8Array.of(0x75, 0x74, 0x78, 0x6f, 0xff)
const VERSION = 2

/** The names of networks in Bitcoin Core's messages. */
const CORE_NAMES: Readonly<Record<NetworkName, string>> = {
  mainnet: "main",
  testnet3: "test",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest"
}

const wrongNetwork = (magic: Uint8Array, network: Network): string => {
  const other = Object.values(NETWORKS).find((each) => bytesEqual(each.magic, magic))
  return other === undefined
    ? "This snapshot has been created for an unrecognized network. This could be a custom signet, a new testnet or " +
      "possibly caused by data corruption."
    : `The network of the snapshot (${CORE_NAMES[other.name]}) does not match the network of this node (${
      CORE_NAMES[network.name]
    }).`
}

/**
 * Reads the first {@link SNAPSHOT_HEAD_SIZE} bytes of a snapshot; `bytes` may be fewer. Fails in Bitcoin Core's words.
 */
export const readSnapshotMetadata = (bytes: Uint8Array, network: Network): Result.Result<SnapshotMetadata, string> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ends = (size: number): boolean => bytes.length < size
  const atEnd = Result.fail("AutoFile::read: end of file")
  if (ends(5)) return atEnd
  if (!bytesEqual(bytes.subarray(0, 5), MAGIC)) {
    return Result.fail(
      "Invalid UTXO set snapshot magic bytes. Please check if this is indeed a snapshot file or if you are using an " +
        "outdated snapshot format."
    )
  }
  if (ends(7)) return atEnd
  const version = view.getUint16(5, true)
  if (version !== VERSION) {
    return Result.fail(`Version of snapshot ${version} does not match any of the supported versions.`)
  }
  if (ends(11)) return atEnd
  const magic = bytes.subarray(7, 11)
  if (!bytesEqual(magic, network.magic)) return Result.fail(wrongNetwork(magic, network))
  if (ends(SNAPSHOT_HEAD_SIZE)) return atEnd
  return Result.succeed({ base: bytes.slice(11, 43), coins: view.getBigUint64(43, true) })
}
