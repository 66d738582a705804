import { concatBytes } from "@lockstep/kernel/bytes"
import { hash } from "node:crypto"

/** SHA-256 twice. */
export const sha256d = (bytes: Uint8Array): Uint8Array => {
  const once = hash("sha256", bytes, "buffer")
  return new Uint8Array(hash("sha256", once, "buffer"))
}

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256d(concatBytes([left, right]))

/** The hashes beside the way from the first transaction to the root, lowest first; `txids` are those of the others. */
export const merkleBranch = (txids: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const branch: Array<Uint8Array> = []
  // The hashes of a level without the first one, which is not known.
  for (let level = txids; level.length > 0;) {
    branch.push(level[0]!)
    const next: Array<Uint8Array> = []
    for (let i = 1; i < level.length; i += 2) next.push(joined(level[i]!, level[i + 1] ?? level[i]!))
    level = next
  }
  return branch
}

/** The root above the first transaction. */
export const merkleRoot = (first: Uint8Array, branch: ReadonlyArray<Uint8Array>): Uint8Array =>
  branch.reduce(joined, first)
