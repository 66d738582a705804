import { assert, describe, it } from "@effect/vitest"
import { childOf } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { nodeEvent } from "../../../src/events/node-event.ts"
import { notifyRefused } from "../../../src/engine/notify/notify-refused.ts"
import {
  notifyCoinsChecked,
  notifyConnected,
  notifyDisconnected,
  notifyVerdict
} from "../../../src/engine/validation/connect-events.ts"

const HASH = new Uint8Array(32).fill(0xab)
const SHOWN = "ab".repeat(32)
const TIME = 1_700_000_000

const header = (bits: number, version = 0x20000004) => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, version, true)
  view.setUint32(68, TIME, true)
  view.setUint32(72, bits, true)
  return headerOf(bytes)
}

const nodeAt = (height: number, bits = 0x1d00ffff, before = bits): HeaderIndexNode => {
  const parent = { header: header(before), height: height - 1, parent: undefined, index: 1 }
  return { header: header(bits), height, hash: HASH, chainWork: 77n, index: 2, parent } as unknown as HeaderIndexNode
}

const place = (
  options: { readonly tips?: boolean; readonly downloads?: boolean; readonly followed?: boolean } = {},
  network: typeof MAINNET = MAINNET
) => {
  const sent: Array<EngineNotification> = []
  const engine = {
    network,
    parameters: network.parameters,
    options: { notifiesTips: options.tips },
    initialBlockDownload: options.downloads ?? false,
    clock: { now: () => TIME + 700 },
    coins: { bytes: () => 4_321 },
    tree: { bestHeader: { height: 500 }, columns: { chainTransactions: Float64Array.of(0, 0, 90) } },
    feed: { isFollowed: () => options.followed ?? true },
    verdicts: [] as Array<EngineNotification>,
    pendingNotifications: [] as Array<EngineNotification>,
    notify: (news: EngineNotification) => void sent.push(news)
  }
  const eventsOf = () => engine.pendingNotifications.flatMap((news) => news._tag === "Event" ? [news.event] : [])
  return {
    engine: engine as unknown as ChainEngine,
    eventsOf,
    queued: engine.pendingNotifications,
    sent,
    verdicts: engine.verdicts
  }
}

describe("what the engine reports of a connected block", () => {
  it("is the block, and a line in the log unless it is one of a download", () => {
    const block = { block_hash: SHOWN, height: 500, transactions: 3 }
    const { engine, eventsOf, sent } = place()
    notifyConnected(engine, nodeAt(500), 3)
    assert.deepStrictEqual(eventsOf(), [{ type: "NewBlock", payload: block }])
    assert.deepStrictEqual(sent, [{
      _tag: "Log",
      level: "info",
      category: "chain",
      message: "a new tip",
      fields: block
    }])
    const download = place({ downloads: true })
    notifyConnected(download.engine, nodeAt(500), 3)
    assert.deepStrictEqual(download.sent, [])
    assert.lengthOf(download.eventsOf(), 1)
  })

  it("is the tip with all that a line of bitcoind has, where that is wanted", () => {
    const { engine, queued } = place({ tips: true })
    notifyConnected(engine, nodeAt(500), 3)
    const tip = queued.flatMap((news) => news._tag === "Tip" ? [news.tip] : [])[0]!
    const { progress, ...facts } = tip
    assert.deepStrictEqual(facts, {
      hash: HASH,
      height: 500,
      version: 0x20000004,
      time: TIME,
      chainWork: 77n,
      transactions: 90,
      cacheBytes: 4_321
    })
    assert.isTrue(progress > 0 && progress < 1e-6)
    const plain = place({ tips: false })
    notifyConnected(plain.engine, nodeAt(500), 3)
    assert.isFalse(plain.queued.some(({ _tag }) => _tag === "Tip"))
  })

  it.each([[227_931, "bip34"], [363_725, "bip66"], [388_381, "bip65"], [419_328, "csv"], [481_824, "segwit"]] as const)(
    "at height %i is that %s comes into force",
    (height, name) => {
      const { engine, eventsOf } = place()
      notifyConnected(engine, nodeAt(height), 1)
      const observed = eventsOf().filter(({ type }) => type === "SoftForkActivated")
      assert.deepStrictEqual(observed, [{ type: "SoftForkActivated", payload: { name, height } }])
    }
  )

  it("is a period of difficulty that begins, with the bits before and now", () => {
    const observed = (node: HeaderIndexNode) => {
      const { engine, eventsOf } = place()
      notifyConnected(engine, node, 1)
      return eventsOf().slice(1)
    }
    const adjusted = (old_bits: string, new_bits: string) =>
      nodeEvent("DifficultyAdjusted", { height: 4_032, old_bits, new_bits })
    assert.deepStrictEqual(observed(nodeAt(4_032)), [adjusted("1d00ffff", "1d00ffff")])
    assert.deepStrictEqual(observed(nodeAt(4_032, 0x04123456, 0x1d00ffff)), [
      adjusted("1d00ffff", "04123456"),
      nodeEvent("MiningDifficultyChanged", { height: 4_032, old_bits: "1d00ffff", bits: "04123456" })
    ])
    assert.deepStrictEqual(observed(nodeAt(4_033, 0x04123456, 0x1d00ffff)), [])
  })

  it("is that a signalled deployment is locked in, and then active, once each and at no other state", () => {
    const SIGNALS = 0x30000000
    const period = 144
    let node: HeaderIndexNode | undefined
    const observed: Array<unknown> = []
    for (let height = 0; height <= 4 * period; height++) {
      const bits = height >= period && height < 2 * period ? SIGNALS : 0x20000000
      node = { ...childOf(node, header(0x207fffff, bits), HASH), index: 2 } as HeaderIndexNode
      const { engine, eventsOf } = place({}, REGTEST)
      notifyConnected(engine, node, 1)
      observed.push(...eventsOf().filter(({ type }) => type.startsWith("SoftFork")))
    }
    const about = (height: number) => ({ name: "testdummy", height })
    assert.deepStrictEqual(observed.filter((each) => JSON.stringify(each).includes("testdummy")), [
      nodeEvent("SoftForkLockedIn", about(2 * period)),
      nodeEvent("SoftForkActivated", about(3 * period))
    ])
  })
})

describe("what the engine reports of a disconnected block", () => {
  it("is its hash and height", () => {
    const { engine, eventsOf, sent } = place()
    notifyDisconnected(engine, nodeAt(500))
    assert.deepStrictEqual(sent, [{ _tag: "Disconnected", hash: HASH }])
    assert.deepStrictEqual(eventsOf(), [{ type: "BlockDisconnected", payload: { block_hash: SHOWN, height: 500 } }])
  })
})

describe("what the engine reports of the verdict on a block", () => {
  const REJECTION: Rejection = { reason: "bad-cb-amount", class: "invalid", rule: "BLK-018" }

  it("is that it is valid, and how long that took", () => {
    const { engine, eventsOf, sent, verdicts } = place()
    notifyVerdict(engine, nodeAt(500), undefined, 12)
    assert.deepStrictEqual(eventsOf(), [{
      type: "BlockValidationCompleted",
      payload: { block_hash: SHOWN, height: 500, valid: true, duration_ms: 12 }
    }])
    assert.deepStrictEqual(sent, [])
    assert.deepStrictEqual(verdicts, [{ _tag: "Judged", index: 2, rejection: undefined }])
  })

  it("is why it is invalid, as events and in the log", () => {
    const { engine, eventsOf, sent, verdicts } = place()
    notifyVerdict(engine, nodeAt(500), REJECTION, 12)
    assert.deepStrictEqual(eventsOf(), [
      {
        type: "BlockValidationCompleted",
        payload: { block_hash: SHOWN, height: 500, valid: false, reason: "bad-cb-amount", duration_ms: 12 }
      },
      { type: "ConsensusRuleViolation", payload: { block_hash: SHOWN, rule: "BLK-018", reason: "bad-cb-amount" } }
    ])
    assert.deepStrictEqual(sent, [{
      _tag: "Log",
      level: "warn",
      category: "chain",
      message: "a block is invalid",
      fields: { block_hash: SHOWN, height: 500, reason: "bad-cb-amount", rule: "BLK-018" }
    }])
    assert.deepStrictEqual(verdicts, [{ _tag: "Judged", index: 2, rejection: REJECTION }])
  })

  it("names no rule where there is none, and goes to no replica that is not there", () => {
    const { engine, eventsOf, sent, verdicts } = place({ followed: false })
    notifyVerdict(engine, nodeAt(500), { ...REJECTION, rule: undefined }, 12)
    assert.deepStrictEqual(eventsOf().map(({ type }) => type), ["BlockValidationCompleted"])
    assert.deepStrictEqual(sent.map((news) => news._tag === "Log" && Object.keys(news.fields)), [[
      "block_hash",
      "height",
      "reason"
    ]])
    assert.deepStrictEqual(verdicts, [])
  })

  it.each([true, false])("has one for its coins before, valid: %s", (valid) => {
    const { engine, eventsOf, sent } = place()
    notifyCoinsChecked(engine, nodeAt(500), valid, 7)
    assert.deepStrictEqual(eventsOf(), [{
      type: "UTXOValidationCompleted",
      payload: { block_hash: SHOWN, height: 500, valid, duration_ms: 7 }
    }])
    assert.deepStrictEqual(sent, [])
  })
})

describe("what the engine reports of something that was not accepted", () => {
  it("is its hash and why, at once, where tips are followed", () => {
    const { engine, sent } = place({ tips: true })
    notifyRefused(engine, HASH, { what: "too little work" })
    assert.deepStrictEqual(sent, [{ _tag: "Refused", hash: HASH, why: { what: "too little work" } }])
    const silent = place()
    notifyRefused(silent.engine, HASH, { what: "too little work" })
    assert.deepStrictEqual(silent.sent, [])
  })
})
