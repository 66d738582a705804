import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { type ChainPeer, syncSession } from "./sync-session.ts"
import { receiveBlockAnnouncements } from "../../../src/p2p/sync/blocks/announced-blocks.ts"

const CHAIN = minedChain(600)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400

const askedForHeaders = ({ peer: { sent } }: ChainPeer): number =>
  sent.filter(({ command }) => command === "getheaders").length

const session = Effect.fnUntraced(function*() {
  const model = chainModel(LATER)
  return yield* syncSession(model, { isPatient: true })
})

describe("a node that waits for peers as Bitcoin Core does", () => {
  it.effect("fetches headers from one peer, and from one more for each new block that is announced", () =>
    Effect.gen(function*() {
      const { add, pass, sync } = yield* session()
      const first = add("inbound", [])
      yield* pass(1_000)
      const others = [add("inbound", CHAIN), add("outbound-full-relay", CHAIN)]
      yield* pass(10_000)
      assert.deepStrictEqual([first, ...others].map(askedForHeaders), [1, 0, 0])
      for (let block = 1; block <= 2; block++) {
        const hash = new Uint8Array(32).fill(block)
        for (const { peer } of others) receiveBlockAnnouncements(sync.state, sync.state.peers.get(peer.id)!, [hash])
        assert.deepStrictEqual(others.map(askedForHeaders), [1, block - 1])
      }
    }).pipe(Effect.scoped))

  it.effect("leaves blocks to a peer that does not send them, unless it stalls the window", () =>
    Effect.gen(function*() {
      const { add, model, pass, sync } = yield* session()
      const staller = add("outbound-full-relay", CHAIN)
      staller.pendingNotifications = new Set([Buffer.from(hashOf(CHAIN[0]!)).toString("hex")])
      yield* pass(500)
      const other = add("outbound-full-relay", CHAIN)
      yield* sync.part.handlers.headers!(other.peer, { command: "headers", headers: CHAIN })
      yield* pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 0)
      assert.isUndefined(staller.peer.gone)
      assert.strictEqual(staller.asked.length + other.asked.length, CHAIN.length)
    }).pipe(Effect.scoped))
})
