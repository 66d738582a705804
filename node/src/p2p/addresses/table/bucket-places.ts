import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressBytes, groupBytes } from "../../../net/group-bytes.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { type NetGroups, PREFIX_GROUPS } from "../../../net/net-groups.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import type { KnownNode } from "./known-node.ts"

const { bucketSize, newBuckets, newBucketsPerSource, triedBuckets, triedBucketsPerGroup } = ADDRESS_LIMITS

/**
 * The bucket and slot of an address, by the hashes of Core's `AddrInfo`, so that both programs can read a `peers.dat`.
 * They are unpredictable without the key.
 */
export interface BucketPlaces {
  readonly tried: (node: KnownNode) => number
  readonly fresh: (node: KnownNode, source: NetworkAddress) => number
  /** Position within a bucket. */
  readonly within: (node: KnownNode, isTried: boolean, bucket: number) => number
}

const sized = (bytes: Uint8Array): Uint8Array => concatBytes([encodeCompactSize(bytes.length), bytes])

/** Returns the key of an endpoint (Core: `CService::GetKey`). */
const keyOf = ({ address, port }: Endpoint): Uint8Array =>
  sized(concatBytes([addressBytes(address), Uint8Array.of(port >> 8, port & 0xff)]))

const uint64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

const int32 = (value: number): Uint8Array => Uint8Array.of(value, value >> 8, value >> 16, value >> 24)

const letter = (text: "K" | "N"): Uint8Array => Uint8Array.of(text.charCodeAt(0))

export const bucketPlaces = (key: Uint8Array, { asn }: NetGroups = PREFIX_GROUPS): BucketPlaces => {
  const { sha256d } = nativeHashes().hashes
  /** Returns the first eight bytes of the double SHA-256, little-endian, modulo `most` (Core: `GetCheapHash`). */
  const number = (most: number, ...parts: ReadonlyArray<Uint8Array>): bigint => {
    const { buffer, byteOffset } = sha256d(concatBytes([key, ...parts]))
    return new DataView(buffer, byteOffset).getBigUint64(0, true) % BigInt(most)
  }
  const group = (address: NetworkAddress): Uint8Array => sized(groupBytes(address, asn(address)))
  return {
    tried: (node) => {
      const part = number(triedBucketsPerGroup.most, keyOf(node))
      return Number(number(triedBuckets.most, group(node.address), uint64(part)))
    },
    fresh: (node, source) => {
      const from = group(source)
      const part = number(newBucketsPerSource.most, group(node.address), from)
      return Number(number(newBuckets.most, from, uint64(part)))
    },
    within: (node, isTried, bucket) =>
      Number(number(bucketSize.most, letter(isTried ? "K" : "N"), int32(bucket), keyOf(node)))
  }
}
