import { assert, describe, it } from "@effect/vitest"
import {
  beginAgain,
  isHalted,
  noteRefused,
  noteTaken,
  refusesBlocks
} from "../../../src/p2p/sync/blocks/engine-refusals.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const world = () => {
  const model = chainModel(1_700_000_000)
  const state = { ...model.chain.state() }
  const chain = { ...model.chain, state: () => state }
  const sync = syncState({ ...model.context, chain }, SETTINGS, plainState(() => true))
  return { model, state, sync }
}

describe("refusals of the engine", () => {
  it("make the sync rest a second, then twice as long each time, a minute at most; one that was accepted ends that", () => {
    const { model, sync } = world()
    const rests = Array.from({ length: 12 }, () => {
      noteRefused(sync)
      const rest = sync.restUntil - model.clock
      model.clock = sync.restUntil
      return rest
    })
    assert.deepStrictEqual(rests, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, ...Array<number>(6).fill(60_000)])
    assert.strictEqual(sync.refusals, 12)
    noteRefused(sync)
    assert.isTrue(refusesBlocks(sync))
    noteTaken(sync)
    assert.deepStrictEqual([sync.refusals, sync.restUntil, refusesBlocks(sync)], [0, 0, false])
  })

  it("of the same moment count once, and the rest ends at its time", () => {
    const { model, sync } = world()
    noteRefused(sync)
    noteRefused(sync)
    model.clock += 999
    noteRefused(sync)
    assert.strictEqual(sync.refusals, 1)
    assert.isTrue(refusesBlocks(sync))
    model.clock++
    assert.isFalse(refusesBlocks(sync))
    noteRefused(sync)
    assert.strictEqual(sync.refusals, 2)
  })

  it("are expected while it takes nothing in, or reads blocks of files", () => {
    const { state, sync } = world()
    assert.deepStrictEqual([isHalted(sync), refusesBlocks(sync)], [false, false])
    Object.assign(state, { loadingBlocks: true })
    assert.deepStrictEqual([isHalted(sync), refusesBlocks(sync)], [false, true])
    Object.assign(state, { loadingBlocks: false, halted: "no space" })
    assert.deepStrictEqual([isHalted(sync), refusesBlocks(sync)], [true, true])
  })
})

describe("a sync that begins again", () => {
  it("requests headers again of all, and gives each its time anew", () => {
    const { sync } = world()
    sync.headersFrom = 1
    const peer = madePeerSync(sync, "outbound-full-relay", { headersFailures: 3, headersDeadline: 5 })
    const other = madePeerSync(sync, "inbound", { syncStarted: false, headersFailures: 1 })
    peer.chainSync.timeout = other.chainSync.timeout = 9
    beginAgain(sync)
    assert.strictEqual(sync.headersFrom, 0)
    for (const each of [peer, other]) {
      assert.deepStrictEqual([each.syncStarted, each.headersFailures, each.chainSync.timeout], [false, 0, 0])
    }
    assert.strictEqual(peer.headersDeadline, Infinity)
  })
})
