import { assert, describe, it } from "@effect/vitest"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { addHeader } from "../../../src/engine/header-index/header-index.ts"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { sendGetHeaders } from "../../../src/p2p/sync/headers/request-headers.ts"
import { syncProgress } from "../../../src/p2p/sync/sync-progress.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, GENESIS_HASH, hashOf, minedHeader } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const START = 1_700_000_000
const DAY = 86_400

/** A node without blocks, whose chain grows as a test says. */
const world = () => {
  const model = chainModel(START)
  const { tree } = model.chain
  const more = { progress: 0, cacheBytes: 0, inputs: 0 }
  const chain = {
    ...model.chain,
    state: (): ChainState => ({ ...model.chain.state(), ...more })
  }
  const sync = syncState({ ...model.context, chain }, SETTINGS, plainState(() => true))
  const progress = syncProgress(sync)
  return {
    model,
    more,
    progress,
    sync,
    /** So many headers more, the last of them `age` seconds old. */
    headers: (count: number, age = 0) => {
      for (let i = count; i > 0; i--) {
        const last = tree.bestHeader
        const header = minedHeader(last.hash, model.clock / 1_000 - age - (i - 1) * 600, 0)
        addHeader(tree, last, header.bytes, hashOf(header))
      }
    },
    /** Connects blocks up to a height. */
    blocks: (height: number) => {
      for (let next = tree.tip.height + 1; next <= height; next++) setTip(tree, tree.nodes[next]!)
    },
    source: (known: Partial<PeerSync> = {}) => {
      sync.headersFrom++
      return madePeerSync(sync, "outbound-full-relay", known)
    },
    /** Lets so many milliseconds go by at once, and looks. */
    after: (milliseconds: number) => {
      model.clock += milliseconds
      progress.tick()
      return progress.stage()
    },
    /** Events since the last call. */
    events: (): ReadonlyArray<Readonly<Record<string, unknown>>> =>
      model.events.splice(0).map(({ payload, type }) => ({ type, ...payload as object })),
    lines: (): ReadonlyArray<Readonly<Record<string, unknown>>> =>
      model.logs.splice(0).filter(({ message }) => !message.startsWith("sync: ")).map(({ fields, message }) => ({
        message,
        ...fields
      }))
  }
}

describe("the stage of the sync", () => {
  it("is looked at four times a second", () => {
    const { after, source } = world()
    source()
    assert.strictEqual(after(1), "Headers")
    const later = world()
    assert.strictEqual(later.after(1), "Initial")
    later.source()
    assert.strictEqual(later.after(249), "Initial")
    assert.strictEqual(later.after(1), "Headers")
  })

  it("goes from headers to blocks when the best header is younger than a day, or the peers have no more", () => {
    for (const [age, stage] of [[DAY - 1, "Blocks"], [DAY + 1, "Headers"]] as const) {
      const { after, headers, source } = world()
      source()
      after(0)
      headers(3, age)
      assert.strictEqual(after(250), stage)
    }
    const { after, headers, source } = world()
    const from = source()
    after(0)
    headers(3, 9 * DAY)
    assert.strictEqual(after(250), "Headers")
    from.headersDoneSince = 1
    assert.strictEqual(after(250), "Blocks")
  })

  it("is synced when no block is missing, once all peers have had their chance, or half a minute later", () => {
    const { after, blocks, headers, source } = world()
    const from = source()
    after(0)
    headers(3)
    after(250)
    blocks(3)
    assert.strictEqual(after(250), "Blocks")
    assert.strictEqual(after(29_750), "Blocks")
    // What comes between starts the wait anew.
    headers(1)
    assert.strictEqual(after(250), "Blocks")
    blocks(4)
    assert.strictEqual(after(250), "Blocks")
    assert.strictEqual(after(29_750), "Blocks")
    assert.strictEqual(after(250), "Synced")
    const quick = world()
    const received = quick.source()
    quick.after(0)
    quick.headers(3)
    quick.after(250)
    quick.blocks(3)
    received.headersDoneSince = 1
    assert.strictEqual(quick.after(250), "Synced")
    assert.strictEqual(from.peer.gone, undefined)
  })

  it("is blocks again when more than 144 are missing, in the initial download one", () => {
    for (
      const [initialBlockDownload, count, stage] of [
        [false, 144, "Synced"],
        [false, 145, "Blocks"],
        [true, 1, "Blocks"],
        [true, 0, "Synced"]
      ] as const
    ) {
      const { after, blocks, headers, model, source } = world()
      source({ headersDoneSince: 1 })
      after(0)
      headers(3)
      blocks(3)
      after(250)
      assert.strictEqual(after(250), "Synced")
      model.initialBlockDownload = initialBlockDownload
      headers(count)
      assert.strictEqual(after(250), stage)
    }
  })
})

describe("the progress of the sync", () => {
  it("of headers is reported once a second, when there are more, with the height that they should reach", () => {
    const { after, events, headers, progress, source } = world()
    source({ hasSentHeaders: true })
    after(0)
    assert.deepStrictEqual(events(), [
      { type: "SyncStateChanged", old_state: "Initial", new_state: "Headers" },
      { type: "HeadersSyncStarted", start_height: 0 }
    ])
    // The last is two days old: 288 intervals are missing.
    headers(12, 2 * DAY)
    after(999)
    assert.deepStrictEqual(events(), [])
    after(251)
    assert.deepStrictEqual(events(), [
      { type: "HeadersSyncProgress", current_height: 12, target_height: 300, progress_percent: 4 }
    ])
    assert.strictEqual(progress.percent(), 30 * 12 / 300)
    assert.deepInclude(progress.status(), { stage: "Headers", target: 300, percent: 1.2 })
    after(1_000)
    assert.deepStrictEqual(events(), [])
  })

  it("counts the headers as done where the best one is from the future", () => {
    const { after, headers, progress, source } = world()
    source()
    after(0)
    assert.isAbove(progress.status().target, 0)
    headers(3, -DAY)
    assert.deepInclude(progress.status(), { target: 3, percent: 30 })
  })

  it("of blocks is reported once a second, when there are more, with how many come in a second", () => {
    const { after, blocks, events, headers, lines, model, more, progress, source } = world()
    source()
    after(0)
    headers(300)
    after(250)
    assert.deepStrictEqual(events(), [
      { type: "SyncStateChanged", old_state: "Initial", new_state: "Headers" },
      { type: "HeadersSyncStarted", start_height: 0 },
      { type: "SyncStateChanged", old_state: "Headers", new_state: "Blocks" },
      { type: "HeadersSyncCompleted", final_height: 300, duration_ms: 250 },
      { type: "BlockSyncStarted", start_height: 0, target_height: 300 }
    ])
    assert.strictEqual(lines().length, 1)
    blocks(30)
    after(999)
    assert.deepStrictEqual(events(), [])
    after(251)
    assert.deepStrictEqual(events(), [
      { type: "BlockSyncProgress", current_height: 30, target_height: 300, progress_percent: 10, blocks_per_second: 24 }
    ])
    after(1_000)
    assert.deepStrictEqual([events(), lines(), progress.percent()], [[], [], 33])

    // A line each ten seconds, with what the last while was like.
    blocks(150)
    Object.assign(more, { progress: 0.25, cacheBytes: 3 * 1_048_576, inputs: 900 })
    model.peers.set(1, madePeerSync(syncOf(model), "inbound").peer)
    after(7_749)
    assert.deepStrictEqual(lines(), [])
    after(251)
    const [line] = lines()
    assert.deepInclude(line, { message: "IBD: 150 / 300", percent: 25, peers: 1, cache_mib: 3 })
  })

  it("ends with an event that reports how long it took", () => {
    const { after, blocks, events, headers, progress, source } = world()
    source({ headersDoneSince: 1 })
    after(0)
    headers(3)
    after(250)
    blocks(3)
    events()
    after(2_000)
    assert.deepStrictEqual(events(), [
      { type: "SyncStateChanged", old_state: "Blocks", new_state: "Synced" },
      { type: "BlockSyncCompleted", final_height: 3, duration_ms: 2_000 }
    ])
    assert.deepInclude(progress.status(), { stage: "Synced", percent: 100, since: START * 1_000 + 2_250 })
  })
})

/** Any state of a sync: only its peers are of use. */
const syncOf = (model: ReturnType<typeof chainModel>) => syncState(model.context, SETTINGS, plainState(() => true))

describe("headers whose work is added up", () => {
  it("are reported by the highest of them", () => {
    const { progress, source } = world()
    assert.isUndefined(progress.status().presynced)
    for (const [phase, height] of [["adding up", 7], ["adding up", 5], ["fetching again", 9]] as const) {
      source({ presync: { phase, height } as NonNullable<PeerSync["presync"]> })
    }
    assert.strictEqual(progress.status().presynced, 7)
  })
})

describe("a request for headers", () => {
  it("is not made while one of the last two minutes is awaited", () => {
    const { model, sync } = world()
    const from = madePeerSync(sync, "inbound")
    assert.isTrue(sendGetHeaders(sync, from, [GENESIS_HASH]))
    const [message] = from.peer.sent
    assert.strictEqual(
      message?.command === "getheaders" && `${message.version} ${message.locator.length} ${message.stop.join("")}`,
      `70016 1 ${"0".repeat(32)}`
    )
    model.clock += 120_000
    assert.isFalse(sendGetHeaders(sync, from, [GENESIS_HASH]))
    model.clock++
    assert.isTrue(sendGetHeaders(sync, from, [GENESIS_HASH]))
    assert.strictEqual(from.askedForHeaders, model.clock)
    from.askedForHeaders = 0
    assert.isTrue(sendGetHeaders(sync, from, [GENESIS_HASH]))
    assert.strictEqual(from.peer.sent.length, 3)
  })
})
