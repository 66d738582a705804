import { createHash } from "node:crypto"
import { setBlockPlace } from "../../../src/engine/header-index/block-place.ts"
import { addHeader, type HeaderIndex, headerIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { linkBlock, markLinked } from "../../../src/engine/header-index/link-block.ts"

export const hashOf = (header: Uint8Array): Uint8Array =>
  new Uint8Array(createHash("sha256").update(createHash("sha256").update(header).digest()).digest())

const headerOn = (previous: Uint8Array, time: number, nonce: number): Uint8Array => {
  const header = new Uint8Array(80)
  const view = new DataView(header.buffer)
  view.setInt32(0, 0x20000000, true)
  header.set(previous, 4)
  view.setUint32(68, time, true)
  view.setUint32(72, 0x207fffff, true)
  view.setUint32(76, nonce, true)
  return header
}

export const GENESIS = headerOn(new Uint8Array(32), 1, 0)

/** A tree of nothing but a genesis block that is here. */
export const freshTree = (): HeaderIndex => {
  const tree = headerIndex(GENESIS, hashOf(GENESIS))
  setBlockPlace(tree, tree.tip, { file: 0, offset: 8, size: 285 }, 1)
  setStatus(tree, tree.tip, HeaderStatus.CONNECTED)
  markLinked(tree, tree.tip)
  return tree
}

let nonce = 1
/** Adds a header on top of `parent`. */
export const grow = (tree: HeaderIndex, parent: HeaderIndexNode): HeaderIndexNode => {
  const header = headerOn(parent.hash, parent.header.time + 7, nonce++)
  return addHeader(tree, parent, header, hashOf(header))
}

/** The block of a header arrives. */
export const store = (tree: HeaderIndex, node: HeaderIndexNode): void => {
  setBlockPlace(tree, node, { file: 3, offset: node.index * 100, size: 200 }, 2)
  linkBlock(tree, node)
}
