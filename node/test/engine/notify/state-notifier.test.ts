import { assert, describe, it } from "vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { RUNNING } from "../../../src/engine/state/engine-status.ts"
import { notifyEvent } from "../../../src/engine/notify/notifications.ts"
import { stateNotifier } from "../../../src/engine/chainstate/state-notifier.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { freshTree } from "../header-index/small-tree.ts"

/** An engine with a clock of its own, and what it has sent since it was last asked. */
const place = (initialBlockDownload: boolean) => {
  let now = 5_000
  const sent: Array<string> = []
  const engine = {
    tree: freshTree(),
    network: REGTEST,
    parameters: REGTEST.parameters,
    options: { pruning: { _tag: "Disabled" } },
    clock: { elapsed: () => now, now: () => 0, mockTime: () => 0 },
    coins: { bytes: () => 0, changes: () => 0 },
    files: { sizeOnDisk: () => 0 },
    feed: { flush: () => void sent.push("flush") },
    status: RUNNING,
    warnings: new Set(),
    verdicts: [],
    pendingNotifications: [],
    initialBlockDownload,
    notify: (news: EngineNotification) => void sent.push(news._tag)
  } as unknown as ChainEngine
  return { engine, at: (time: number) => void (now = 5_000 + time), sent: () => sent.splice(0) }
}

describe("the state during a long turn", () => {
  it("is sent after a tenth of a second since it was last sent, and with it what waits", () => {
    const { at, engine, sent } = place(true)
    const notify = stateNotifier(engine)
    notify()
    at(99)
    notifyEvent(engine, "BlockDisconnected", { block_hash: "00", height: 1 })
    notify()
    assert.deepStrictEqual(sent(), [])
    at(100)
    notify()
    assert.deepStrictEqual(sent(), ["flush", "State", "flush", "Event"])
    at(199)
    notify()
    assert.deepStrictEqual(sent(), [])
    at(200)
    notify()
    assert.deepStrictEqual(sent(), ["flush", "State", "flush"])
  })

  it("waits for the commit out of the initial download", () => {
    const { at, engine, sent } = place(false)
    const notify = stateNotifier(engine)
    at(10_000)
    notify()
    assert.deepStrictEqual(sent(), [])
  })
})
