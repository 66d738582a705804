import { createBase58check } from "@scure/base"
import { hash } from "node:crypto"

const base58check = createBase58check((data: Uint8Array) => new Uint8Array(hash("sha256", data, "buffer")))

/** Space characters of C, which Bitcoin Core skips around addresses and keys; no others are skipped. */
const AROUND = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g

/** Removes the space around a base58 text, as Bitcoin Core does wherever it reads base58. */
export const withoutSpaceAround = (text: string): string => text.replaceAll(AROUND, "")

/** Decodes a base58 text with a checksum, with or without space around it. Returns `undefined` if it is invalid. */
export const base58CheckBytes = (text: string): Uint8Array | undefined => {
  try {
    return base58check.decode(withoutSpaceAround(text))
  } catch {
    return undefined
  }
}

/** Encodes bytes in base58 with a checksum. */
export const base58CheckText = (bytes: Uint8Array): string => base58check.encode(bytes)
