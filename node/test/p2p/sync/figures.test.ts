import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { syncFigures } from "../../../src/p2p/sync/sync-figures.ts"
import { chainModel, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(2_500)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400

describe("the figures of the sync", () => {
  it.effect("is real while a chain's work is added up, while blocks come, and when all is there", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER, 2n * 2_400n)
      const session = yield* syncSession(model)
      const peer = session.add("outbound-full-relay", CHAIN)
      const figures = () => syncFigures(session.sync.state, peer.peer)
      const status = () => session.sync.progress.status()
      assert.deepInclude(figures(), {
        presyncedHeight: undefined,
        headersHeight: undefined,
        blocksHeight: undefined,
        inFlight: []
      })
      peer.sendsHeaders = false
      yield* session.pass(600)
      yield* session.give(peer.peer, { command: "headers", headers: CHAIN.slice(0, 2_000) })
      assert.deepInclude(figures(), { presyncedHeight: 2_000, headersHeight: undefined, blocksHeight: undefined })
      assert.deepInclude(status(), { stage: "Headers", headers: 0, presynced: 2_000, headersFrom: 1, blocksFrom: 0 })

      peer.answered = peer.peer.sent.length - 1
      peer.sendsHeaders = true
      peer.rate = 10
      yield* session.pass(12_000)
      const { height } = model.chain.tree.tip
      assert.isTrue(height > 100 && height < 2_500, `${height}`)
      const { inFlight, ...others } = figures()
      assert.deepInclude(others, { presyncedHeight: undefined, headersHeight: 2_500, blocksHeight: height })
      assert.strictEqual(Math.min(...inFlight), height + 1)
      const now = status()
      assert.deepInclude(now, {
        stage: "Blocks",
        height,
        headers: 2_500,
        target: 2_500,
        blocksFrom: 1,
        blocksInFlight: inFlight.length
      })
      assert.isTrue(now.percent > 30 && now.percent < 60)
      // Ten blocks a tick, ten ticks a second, three inputs each.
      assert.approximately(now.rates.blocksPerSecond, 100, 10)
      assert.approximately(now.rates.inputsPerSecond, 300, 30)

      yield* session.pass(30_000)
      assert.deepInclude(figures(), { headersHeight: 2_500, blocksHeight: 2_500, inFlight: [] })
      assert.deepInclude(status(), { stage: "Synced", percent: 100, blocksInFlight: 0 })
    }).pipe(Effect.scoped))

  it.effect("are rates of the stage the sync is in: how long headers took does not count for blocks", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER, 2n * 2_400n)
      const session = yield* syncSession(model)
      const peer = session.add("outbound-full-relay", CHAIN)
      peer.sendsHeaders = false
      yield* session.pass(600)
      yield* session.give(peer.peer, { command: "headers", headers: CHAIN.slice(0, 2_000) })
      yield* session.pass(20_000)
      peer.answered = peer.peer.sent.length - 1
      peer.sendsHeaders = true
      peer.rate = 10
      yield* session.pass(4_000)
      const { rates, stage } = session.sync.progress.status()
      assert.strictEqual(stage, "Blocks")
      assert.isAbove(rates.blocksPerSecond, 70)
    }).pipe(Effect.scoped))
})
