import { sha256 } from "@noble/hashes/sha2.js"
import { type Writer, writeBytes } from "../bytes/writer.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import type { Crypto } from "./crypto.ts"

/** The tags taproot gives meaning to. Distinct tags make hashes of distinct kinds of message disjoint. */
export type HashTag = "TapLeaf" | "TapBranch" | "TapTweak" | "TapSighash"

/** Bytes in front of the message: one SHA-256 block. @internal */
export const TAG_PREFIX_SIZE = 64

/** Returns the prefix of a message: the SHA-256 of the tag, twice. */
export const taggedHashPrefix = (tag: string): Uint8Array => {
  // Tags are ASCII, so code units are bytes.
  const digest = sha256(Uint8Array.from(tag, (character) => character.charCodeAt(0)))
  const prefix = new Uint8Array(TAG_PREFIX_SIZE)
  prefix.set(digest)
  prefix.set(digest, 32)
  return prefix
}

const PREFIXES: Readonly<Record<HashTag, Uint8Array>> = {
  TapLeaf: taggedHashPrefix("TapLeaf"),
  TapBranch: taggedHashPrefix("TapBranch"),
  TapTweak: taggedHashPrefix("TapTweak"),
  TapSighash: taggedHashPrefix("TapSighash")
}

/** Writes the prefix of a message, for a caller that writes the message after it and hashes both. @internal */
export const writeTagPrefix = (writer: Writer, tag: HashTag): void => writeBytes(writer, PREFIXES[tag])

/**
 * The hash of `message` in the domain of `tag`.
 *
 *     taggedHash(t, m) = SHA256(SHA256(t) ‖ SHA256(t) ‖ m)
 *
 * @spec SHH-031 #cb973d69
 */
export const taggedHash = (crypto: Crypto, tag: HashTag, message: Bytes): Bytes32 => {
  const preimage = new Uint8Array(TAG_PREFIX_SIZE + message.length)
  preimage.set(PREFIXES[tag])
  preimage.set(message, TAG_PREFIX_SIZE)
  return crypto.sha256(preimage)
}
