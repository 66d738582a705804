import { assert, describe, it } from "vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { displayHash } from "../../../src/hex.ts"
import { scriptsNeeded, notifyScriptsNeeded } from "../../../src/engine/validation/scripts-needed.ts"
import { markScriptsVerified, verifiedScripts } from "../../../src/engine/state/verified-scripts.ts"
import { freshTree, grow } from "../header-index/small-tree.ts"

/** A block a week: more than two on top of a block are enough to assume it valid. */
const WEEK = 7 * 24 * 60 * 60
const BEST = 9

const place = (more: { readonly minimumChainWork?: bigint; readonly spacing?: number } = {}) => {
  const tree = freshTree()
  const chain = [tree.tip]
  for (let i = 0; i < BEST; i++) chain.push(grow(tree, chain.at(-1)!))
  const side = grow(tree, chain[3]!)
  const verified = verifiedScripts()
  const engineOf = (assumedValid: unknown, ofNetwork: { readonly hash: Uint8Array } | undefined): ChainEngine =>
    ({
      tree,
      verifiedScripts: verified,
      options: { assumedValid },
      network: { assumedValid: ofNetwork, minimumChainWork: more.minimumChainWork ?? 0n },
      parameters: { work: { targetSpacing: more.spacing ?? WEEK } }
    }) as unknown as ChainEngine
  const needed = (
    assumedValid: unknown,
    node: HeaderIndexNode,
    ofNetwork: { readonly hash: Uint8Array } | undefined = undefined
  ): boolean => scriptsNeeded(engineOf(assumedValid, ofNetwork), node)
  /** Heights of the main chain whose scripts are verified. */
  const heights = (assumedValid: unknown, ofNetwork?: { readonly hash: Uint8Array }) =>
    chain.filter((node) => needed(assumedValid, node, ofNetwork)).map(({ height }) => height)
  /** What the log has to say while the main chain is connected. */
  const told = (assumedValid: unknown): ReadonlyArray<unknown> => {
    const news: Array<EngineNotification> = []
    const engine = { ...engineOf(assumedValid, undefined), notify: (each: EngineNotification) => void news.push(each) }
    for (const node of chain) notifyScriptsNeeded(engine as ChainEngine, node)
    return news.map((each) => each._tag === "Log" && { height: each.fields["height"], reason: each.fields["reason"] })
  }
  return { chain, heights, needed, side, told, verified }
}

const ALL = Array.from({ length: BEST + 1 }, (_, height) => height)
const above = (height: number) => ALL.filter((each) => each > height)
const byHash = ({ hash }: HeaderIndexNode) => ({ _tag: "Block", hash: displayHash(hash) })

describe("the scripts of a block", () => {
  it("are all verified where no block is assumed valid", () => {
    const { chain, heights } = place()
    assert.deepStrictEqual(heights({ _tag: "Nothing" }, { hash: chain[5]!.hash }), ALL)
    assert.deepStrictEqual(heights({ _tag: "NetworkDefault" }), ALL)
  })

  it("are not verified up to the network's block, the one named by its hash, or that of a height", () => {
    const { chain, heights } = place()
    assert.deepStrictEqual(heights({ _tag: "NetworkDefault" }, { hash: chain[5]!.hash }), above(5))
    assert.deepStrictEqual(heights(byHash(chain[4]!), { hash: chain[5]!.hash }), above(4))
    assert.deepStrictEqual(heights({ _tag: "Height", height: 3 }, { hash: chain[5]!.hash }), above(3))
  })

  it("are verified where the header of that block is not known, or is on another branch", () => {
    const { heights, needed, side } = place()
    assert.deepStrictEqual(heights({ _tag: "Block", hash: "77".repeat(32) }), ALL)
    assert.deepStrictEqual(heights(byHash(side)), above(3))
    assert.isTrue(needed(byHash(side), side), "it is not on the best header's chain")
    assert.deepStrictEqual(heights({ _tag: "Height", height: BEST + 1 }), ALL)
  })

  it("are verified where two weeks of work or less are on top of it, by the network's time between blocks", () => {
    const last = (of: ReturnType<typeof place>) => of.heights(byHash(of.chain[BEST]!))
    assert.deepStrictEqual(last(place()), above(BEST - 3))
    assert.deepStrictEqual(last(place({ spacing: WEEK + 1 })), above(BEST - 2))
    assert.deepStrictEqual(last(place({ spacing: WEEK / 2 })), above(BEST - 5))
  })

  it("are verified where the best header has less work than the network's chain", () => {
    // Each header has two units of work.
    const most = place({ minimumChainWork: 2n * BigInt(BEST + 1) })
    assert.deepStrictEqual(most.heights(byHash(most.chain[5]!)), above(5))
    const more = place({ minimumChainWork: 2n * BigInt(BEST + 1) + 1n })
    assert.deepStrictEqual(more.heights(byHash(more.chain[5]!)), ALL)
  })

  it("have a line in the log where they are verified otherwise than before, and why", () => {
    const { chain, told } = place()
    assert.deepStrictEqual(told(byHash(chain[3]!)), [
      { height: 0, reason: undefined },
      { height: 4, reason: "block height above assumevalid height" }
    ])
    assert.deepStrictEqual(told({ _tag: "Nothing" }), [{ height: 0, reason: "assumevalid=0 (always verify)" }])
  })

  it("are not verified a second time", () => {
    const { chain, heights, verified } = place()
    markScriptsVerified(verified, chain[7]!)
    assert.deepStrictEqual(heights({ _tag: "Nothing" }), ALL.filter((height) => height !== 7))
  })
})
