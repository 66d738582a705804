import { assert, describe, it } from "vitest"
import { compactFigures } from "../../../src/p2p/sync/compact-blocks/compact-figures.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { syncStatus } from "../../../src/p2p/sync/sync-status.ts"
import { chainModel, scriptedPeer } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const PROGRESS = {
  stage: "Headers",
  since: 5,
  error: "why",
  percent: 12.5,
  target: 800,
  rates: { blocks: 1, inputs: 2 }
} as unknown as Parameters<typeof syncStatus>[1]

const presync = (height: number, phase = "adding up") => ({ phase, height }) as unknown as PeerSync["presync"]

describe("the status of the sync", () => {
  it("is what the state machine says, with the chain, the peers and what is awaited of them", () => {
    const model = chainModel(1_700_000_000)
    const sync = syncState(model.context, SETTINGS, plainState(() => true))
    for (let id = 0; id < 3; id++) model.peers.set(id, scriptedPeer(id, "inbound"))
    const status = () => syncStatus(sync, PROGRESS)
    assert.deepStrictEqual(status(), {
      ...PROGRESS,
      height: 0,
      headers: 0,
      verified: 0.5,
      initialBlockDownload: true,
      peers: 3,
      headersFrom: 0,
      blocksFrom: 0,
      blocksInFlight: 0,
      presynced: undefined,
      cacheBytes: 0
    })
    const [one, other] = [madePeerSync(sync, "inbound"), madePeerSync(sync, "inbound")]
    one.inFlight.set(7, {} as never)
    sync.inFlight.set(7, [])
    sync.inFlight.set(8, [])
    sync.headersFrom = 2
    const { blocksFrom, blocksInFlight, headersFrom } = status()
    assert.deepStrictEqual([blocksFrom, blocksInFlight, headersFrom], [1, 2, 2])
    one.presync = presync(40, "handing out")
    assert.isUndefined(status().presynced)
    other.presync = presync(0)
    assert.strictEqual(status().presynced, 0)
    one.presync = presync(50)
    other.presync = presync(30)
    assert.strictEqual(status().presynced, 50)
  })
})

describe("what is counted of compact blocks", () => {
  it("begins at zero", () => {
    assert.deepStrictEqual(compactFigures(), {
      received: 0,
      withoutRequest: 0,
      withRequest: 0,
      failed: { collision: 0, mismatch: 0, impossible: 0 },
      transactions: { prefilled: 0, mempool: 0, extra: 0, requested: 0 },
      requestedBytes: 0,
      milliseconds: 0,
      announced: { early: 0, late: 0 }
    })
  })
})
