import { assert, describe, it } from "vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { notifyReorganization } from "../../../src/engine/validation/activate-best-chain.ts"
import { displayHash } from "../../../src/hex.ts"
import { freshTree, grow } from "../header-index/small-tree.ts"

describe("a move of the tip", () => {
  const tree = freshTree()
  const fork = grow(tree, tree.tip)
  const old = grow(tree, grow(tree, fork))
  const other = grow(tree, grow(tree, grow(tree, fork)))
  /** What is reported of the move from one tip to another. */
  const observed = (from: HeaderIndexNode, to: HeaderIndexNode) => {
    const [events, lines]: [Array<unknown>, Array<EngineNotification>] = [[], []]
    setTip(tree, to)
    notifyReorganization({
      tree,
      pendingNotifications: { push: (news: { readonly event: unknown }) => events.push(news.event) },
      notify: (news: EngineNotification) => lines.push(news)
    } as unknown as ChainEngine, from)
    return { events, lines }
  }

  it("to another branch is a reorganization, with both tips, the fork, and the blocks on either side", () => {
    const move = {
      old_tip: displayHash(old.hash),
      new_tip: displayHash(other.hash),
      fork_hash: displayHash(fork.hash),
      fork_height: 1,
      disconnected: 2,
      connected: 3
    }
    const { events, lines } = observed(old, other)
    assert.deepStrictEqual(events, [{ type: "ChainReorg", payload: move }])
    assert.deepStrictEqual(lines, [{
      _tag: "Log",
      level: "warn",
      category: "chain",
      message: "the chain moved to another branch",
      fields: move
    }])
  })

  it("up or down one branch is none, nor is one that stays", () => {
    for (const [from, to] of [[fork, old], [old, fork], [old, old]] as const) {
      assert.deepStrictEqual(observed(from, to), { events: [], lines: [] })
    }
  })
})
