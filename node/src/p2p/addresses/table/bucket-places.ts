import { hash } from "node:crypto"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../../../net/address-place.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import type { KnownNode } from "./known-node.ts"

const { bucketSize, newBuckets, newBucketsPerSource, triedBuckets, triedBucketsPerGroup } = ADDRESS_LIMITS

/** The bucket and slot of an address. Without the key they are unpredictable. */
export interface BucketPlaces {
  readonly tried: (node: KnownNode) => number
  readonly fresh: (node: KnownNode, source: NetworkAddress) => number
  /** The slot within a bucket. */
  readonly within: (node: KnownNode, isTried: boolean, bucket: number) => number
}

/** Hexadecimal digits of 48 bits. */
const DIGITS = 12

export const bucketPlaces = (key: Uint8Array): BucketPlaces => {
  const secret = Buffer.from(key).toString("hex")
  const number = (...parts: ReadonlyArray<string | number>): number =>
    Number.parseInt(hash("sha256", `${secret}|${parts.join("|")}`, "hex").slice(0, DIGITS), 16)
  return {
    tried: (node) => {
      const part = number("tried", node.key) % triedBucketsPerGroup.most
      return number("tried bucket", networkGroup(node.address), part) % triedBuckets.most
    },
    fresh: (node, source) => {
      const from = networkGroup(source)
      const part = number("new", networkGroup(node.address), from) % newBucketsPerSource.most
      return number("new bucket", from, part) % newBuckets.most
    },
    within: (node, isTried, bucket) => number(isTried ? "K" : "N", bucket, node.key) % bucketSize.most
  }
}
