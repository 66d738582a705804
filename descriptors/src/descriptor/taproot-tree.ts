import { compareBytes, concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"

/** The version of leaves that hold tapscript (BIP342). */
export const TAPSCRIPT_VERSION = 0xc0

/** A script of a tree and its depth. */
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

/** A part of a tree: its hash and its leaves. */
interface Branch {
  readonly depth: number
  readonly hash: Uint8Array
  readonly leaves: ReadonlyArray<number>
}

/** A complete tree: its root, and for each leaf the sibling hashes on its path, the nearest first. */
export interface TaprootTree {
  readonly root: Uint8Array
  readonly paths: ReadonlyArray<ReadonlyArray<Uint8Array>>
}

/** Builds the tree of leaves in the given order. There must be at least one. */
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

/**
 * Compares by the order in which Bitcoin Core infers a descriptor: scripts by their bytes, equal ones by their paths.
 */
const compareKeys = (a: ReadonlyArray<Uint8Array>, b: ReadonlyArray<Uint8Array>): number => {
  const script = Buffer.compare(a[0]!, b[0]!)
  if (script !== 0 || a.length !== b.length) return script || a.length - b.length
  return Buffer.compare(concatBytes(a), concatBytes(b))
}

/**
 * Orders the leaves as Bitcoin Core does when it infers a descriptor from a tree (`InferTaprootTree`): the branch with
 * the lesser script comes first. Returns their indexes, which give the same tree in that order.
 */
export const inferredOrder = (leaves: ReadonlyArray<Leaf>, crypto: Crypto): ReadonlyArray<number> => {
  if (leaves.length < 2) return leaves.map((_, place) => place)
  const { paths } = taprootTree(leaves, crypto)
  const open: Array<{ depth: number; places: ReadonlyArray<number>; key: ReadonlyArray<Uint8Array> }> = []
  for (const [place, { depth, script }] of leaves.entries()) {
    open.push({ depth, places: [place], key: [script, ...paths[place]!] })
    while (open.length > 1 && open.at(-1)!.depth === open.at(-2)!.depth) {
      const [a, b] = open.splice(-2).toSorted((x, y) => compareKeys(x.key, y.key)) as [typeof open[0], typeof open[0]]
      open.push({ depth: a.depth - 1, places: [...a.places, ...b.places], key: a.key })
    }
  }
  return open[0]!.places
}
