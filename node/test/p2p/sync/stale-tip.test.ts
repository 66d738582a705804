import { assert, describe, it } from "@effect/vitest"
import { displayHash } from "../../../src/hex.ts"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { staleTipCheck } from "../../../src/p2p/sync/stale-tip.ts"
import { chainModel, type ChainModel } from "./chain-model.ts"
import { SETTINGS } from "./sync-session.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { plainState } from "./plain-preferences.ts"

const MINUTE = 60_000

/** What was asked for, minute by minute. */
const watched = (model: ChainModel, network: "mainnet" | "regtest") => {
  const sync = syncState({ ...model.context, network: networkCalled(network)! }, SETTINGS, plainState(() => false))
  const preferences: Array<boolean> = []
  const { tickAll } = staleTipCheck(sync, (isWanted) => void preferences.push(isWanted))
  const pass = (minutes: number): void => {
    for (let i = 0; i < minutes; i++) {
      model.clock += MINUTE
      tickAll!(unixMilliseconds(model.clock))
    }
  }
  return { sync, preferences, pass, types: () => model.events.map(({ type }) => type) }
}

const ready = (): ChainModel => {
  const model = chainModel(1_700_000_000)
  model.initialBlockDownload = false
  return model
}

describe("a tip that gets old", () => {
  it("makes the node want one more peer after three intervals, until a block comes", () => {
    const model = ready()
    const { pass, sync, types, preferences } = watched(model, "mainnet")
    pass(29)
    assert.isFalse(preferences.includes(true))
    pass(12)
    assert.isTrue(preferences.at(-1))
    assert.deepStrictEqual(types(), ["NetworkPartition"])
    sync.tipSince = model.clock
    pass(1)
    assert.isFalse(preferences.at(-1))
    assert.deepStrictEqual(types(), ["NetworkPartition", "NetworkReconnected"])
    const tip = displayHash(model.context.chain.tree.tip.hash)
    assert.deepStrictEqual(model.events[0]!.payload, { reason: "no new block for long", tip, peers: [] })
    assert.deepInclude(model.events[1]!.payload, { tip, peers: [] })
  })

  it("means nothing in the initial download, and on a network without miners", () => {
    const downloading = chainModel(1_700_000_000)
    const early = watched(downloading, "mainnet")
    early.pass(120)
    assert.isFalse(early.preferences.includes(true))
    const alone = watched(ready(), "regtest")
    alone.pass(120)
    assert.deepStrictEqual(alone.preferences, [])
  })
})
