import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainModel, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(300)
const LAST = CHAIN.at(-1)!.time

describe("while blocks are taken in that stand in the node's own files", () => {
  for (const [where, seconds] of [["far behind", LAST + 3 * 86_400], ["near the tip", CHAIN[0]!.time]] as const) {
    it.effect(`headers are fetched and no block is asked for, ${where}; then the missing ones are, of the same peer`, () =>
      Effect.gen(function*() {
        const model = chainModel(seconds)
        model.loadingBlocks = true
        const session = yield* syncSession(model)
        const peer = session.add("outbound-full-relay", CHAIN)
        yield* session.pass(300_000)
        assert.strictEqual(model.chain.tree.bestHeader.height, 300)
        assert.deepStrictEqual(peer.asked, [])
        assert.isUndefined(peer.peer.gone)
        assert.strictEqual(session.sync.progress.stage(), "Blocks")
        model.loadingBlocks = false
        yield* session.pass(10_000)
        assert.strictEqual(model.chain.tree.tip.height, 300)
        assert.strictEqual(new Set(peer.asked).size, peer.asked.length)
        assert.strictEqual(session.sync.progress.stage(), "Synced")
      }).pipe(Effect.scoped))
  }

  it.effect("in the middle of a download, no peer is blamed for what was in flight", () =>
    Effect.gen(function*() {
      const model = chainModel(LAST + 3 * 86_400)
      const session = yield* syncSession(model, { downloadTimeout: 2_000 })
      const peers = [1, 2].map(() => session.add("outbound-full-relay", CHAIN))
      for (const each of peers) each.rate = 1
      yield* session.pass(1_000)
      model.loadingBlocks = true
      for (const each of peers) each.sendsBlocks = false
      // What they were asked for just before reaches them.
      yield* session.pass(200)
      const asked = peers.map((each) => each.asked.length)
      yield* session.pass(60_000)
      assert.deepStrictEqual(peers.map((each) => each.asked.length), asked)
      assert.deepStrictEqual(peers.map(({ peer }) => peer.gone), [undefined, undefined])
      model.loadingBlocks = false
      for (const each of peers) each.sendsBlocks = true
      yield* session.pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 300)
    }).pipe(Effect.scoped))
})
