import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { chainModel, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(30)
const SOON = CHAIN.at(-1)!.time + 60

describe("the next message of a peer whose block the engine is judging", () => {
  it.effect("waits at the tip, and the peer owes nothing meanwhile; then the time for its other blocks begins anew", () =>
    Effect.gen(function*() {
      const model = chainModel(SOON)
      model.initialBlockDownload = false
      const session = yield* syncSession(model)
      const { peer } = session.add("outbound-full-relay", CHAIN)
      const state = session.sync.state.peers.get(peer.id)!
      const judged = yield* Deferred.make<void>()
      model.holds = Deferred.await(judged)
      for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
      const [header] = CHAIN
      const giving = yield* Effect.forkChild(
        session.give(peer, { command: "block", header: header!, bytes: header!.bytes }),
        { startImmediately: true }
      )
      assert.isTrue(state.isHeldUp)
      model.clock += 5_000
      yield* Deferred.succeed(judged, undefined)
      yield* Effect.yieldNow
      for (let i = 0; i < 1_000 && giving.pollUnsafe() === undefined; i++) yield* Effect.yieldNow
      assert.isFalse(state.isHeldUp)
      assert.strictEqual(state.downloadingSince, model.clock)
      assert.strictEqual(model.chain.tree.tip.height, 1)
    }).pipe(Effect.scoped))

  it.effect("does not wait in the initial download", () =>
    Effect.gen(function*() {
      const model = chainModel(SOON)
      const session = yield* syncSession(model)
      const { peer } = session.add("outbound-full-relay", CHAIN)
      const judged = yield* Deferred.make<void>()
      model.holds = Deferred.await(judged)
      for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
      const [header] = CHAIN
      yield* session.give(peer, { command: "block", header: header!, bytes: header!.bytes })
      assert.isFalse(session.sync.state.peers.get(peer.id)!.isHeldUp)
      assert.strictEqual(model.chain.tree.tip.height, 0)
      yield* Deferred.succeed(judged, undefined)
    }).pipe(Effect.scoped))
})
