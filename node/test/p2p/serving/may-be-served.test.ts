import { assert, describe, it } from "@effect/vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { addHeader, clearStatus, setStatus } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { mayBeServed } from "../../../src/p2p/serving/may-be-served.ts"
import { chainModel, hashOf, minedChain, minedHeader } from "../sync/chain-model.ts"

const DAY = 86_400
const CHAIN = minedChain(4_400)
const TIP_TIME = CHAIN.at(-1)!.time

/** A node at the end of the chain. */
const world = () => {
  const { chain: { tree }, context } = chainModel(TIP_TIME)
  for (const header of CHAIN) {
    const node = addHeader(tree, tree.tip, header.bytes, hashOf(header))
    setStatus(tree, node, HeaderStatus.CONNECTED)
    setTip(tree, node)
  }
  let salt = 100
  /** A block beside the best chain at `height`, connected once, that says it is `age` seconds older than the tip. */
  const stale = (height: number, age: number): HeaderIndexNode => {
    const parent = tree.nodes[height - 1]!
    const header = minedHeader(parent.hash, TIP_TIME - age, salt++)
    const node = addHeader(tree, parent, header.bytes, hashOf(header))
    setStatus(tree, node, HeaderStatus.CONNECTED)
    return node
  }
  return { tree, stale, served: (node: HeaderIndexNode) => mayBeServed(node, context) }
}

describe("a stale block", () => {
  it("is not served when it says it is 30 days older than the tip, however near it is in work", () => {
    const { served, stale } = world()
    assert.isTrue(served(stale(4_399, 30 * DAY - 1)))
    assert.isFalse(served(stale(4_399, 30 * DAY)))
  })

  it("is not served when 30 days of work are between it and the tip, however young it says it is", () => {
    const { served, stale } = world()
    // 30 days are 4,320 blocks.
    assert.isTrue(served(stale(4_400 - 4_319, 0)))
    assert.isFalse(served(stale(4_400 - 4_320, 0)))
  })

  it("is served only when it was connected once and is not invalid", () => {
    const { served, stale, tree } = world()
    const never = stale(4_399, 0)
    clearStatus(tree, never, HeaderStatus.CONNECTED)
    assert.isFalse(served(never))
    const invalid = stale(4_398, 0)
    setStatus(tree, invalid, HeaderStatus.INVALID)
    assert.isFalse(served(invalid))
  })
})

describe("a block of the best chain", () => {
  it("is served however old it is", () => {
    const { served, tree } = world()
    assert.isTrue(served(tree.nodes[1]!))
    assert.isTrue(served(tree.tip))
  })
})
