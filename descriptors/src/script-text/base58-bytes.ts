import { createBase58check } from "@scure/base"
import { hash } from "node:crypto"

const base58check = createBase58check((data: Uint8Array) => new Uint8Array(hash("sha256", data, "buffer")))

/** Space as C has it, of which people paste some around addresses and keys; no other is. */
const AROUND = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g

/** Returns a text in base58 without the space around it, which Bitcoin Core skips wherever it reads base58. */
export const withoutSpaceAround = (text: string): string => text.replaceAll(AROUND, "")

/** Returns the bytes of a text in base58 with a checksum, with space around it or not; none: it is no such text. */
export const base58CheckBytes = (text: string): Uint8Array | undefined => {
  try {
    return base58check.decode(withoutSpaceAround(text))
  } catch {
    return undefined
  }
}

/** Returns bytes in base58 with a checksum. */
export const base58CheckText = (bytes: Uint8Array): string => base58check.encode(bytes)
