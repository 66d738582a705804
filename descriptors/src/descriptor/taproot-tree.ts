import { compareBytes, concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"

/** The version of leaves that hold tapscript (BIP342). */
export const TAPSCRIPT_VERSION = 0xc0

/** A script of a tree, and how deep it hangs. */
export interface Leaf {
  readonly depth: number
  readonly script: Uint8Array
}

export const leafHash = (script: Uint8Array, version: number, crypto: Crypto): Uint8Array =>
  taggedHash(
    crypto,
    "TapLeaf",
    concatBytes([Uint8Array.of(version), encodeCompactSize(script.length), script])
  )

const branchHash = (a: Uint8Array, b: Uint8Array, crypto: Crypto): Uint8Array =>
  taggedHash(crypto, "TapBranch", concatBytes(compareBytes(a, b) <= 0 ? [a, b] : [b, a]))

/** A part of a tree: its hash, and which leaves are in it. */
interface Branch {
  readonly depth: number
  readonly hash: Uint8Array
  readonly leaves: ReadonlyArray<number>
}

/** A whole tree: its root, and for each leaf the hashes beside its way there, the nearest first. */
export interface TaprootTree {
  readonly root: Uint8Array
  readonly paths: ReadonlyArray<ReadonlyArray<Uint8Array>>
}

/** The tree of leaves that stand in its order, at least one. */
export const taprootTree = (leaves: ReadonlyArray<Leaf>, crypto: Crypto): TaprootTree => {
  const paths: Array<Array<Uint8Array>> = leaves.map(() => [])
  const open: Array<Branch> = []
  for (const [i, { depth, script }] of leaves.entries()) {
    open.push({ depth, hash: leafHash(script, TAPSCRIPT_VERSION, crypto), leaves: [i] })
    while (open.length > 1 && open.at(-1)!.depth === open.at(-2)!.depth) {
      const right = open.pop()!
      const left = open.pop()!
      for (const leaf of left.leaves) paths[leaf]!.push(right.hash)
      for (const leaf of right.leaves) paths[leaf]!.push(left.hash)
      open.push({
        depth: left.depth - 1,
        hash: branchHash(left.hash, right.hash, crypto),
        leaves: [...left.leaves, ...right.leaves]
      })
    }
  }
  return { root: open[0]!.hash, paths }
}
