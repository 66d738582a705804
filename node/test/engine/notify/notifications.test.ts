import { assert, describe, it } from "vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { notifyEvent, notifyLog, notifyVerdicts, publishPending } from "../../../src/engine/notify/notifications.ts"
import { notifyRefused } from "../../../src/engine/notify/notify-refused.ts"

const JUDGED: ReadonlyArray<EngineNotification> = [1, 2].map((index) => ({
  _tag: "Judged",
  index,
  rejection: undefined
}))
const EVENT = { type: "BlockDisconnected", payload: { block_hash: "00", height: 1 } } as const

const place = (notifiesTips?: boolean) => {
  const sent: Array<EngineNotification | string> = []
  const engine = {
    options: { notifiesTips },
    feed: { flush: () => void sent.push("flush") },
    verdicts: [...JUDGED],
    pendingNotifications: [],
    notify: (news: EngineNotification) => void sent.push(news)
  } as unknown as ChainEngine
  return { engine, sent: () => sent.splice(0) }
}

describe("what waits to be sent", () => {
  it("is sent once: the header index, the verdicts, then the events in their order", () => {
    const { engine, sent } = place()
    notifyEvent(engine, EVENT.type, EVENT.payload)
    notifyEvent(engine, EVENT.type, { ...EVENT.payload, height: 2 })
    assert.deepStrictEqual(sent(), [])
    publishPending(engine)
    assert.deepStrictEqual(sent(), [
      "flush",
      ...JUDGED,
      { _tag: "Event", event: EVENT },
      { _tag: "Event", event: { ...EVENT, payload: { block_hash: "00", height: 2 } } }
    ])
    publishPending(engine)
    assert.deepStrictEqual(sent(), ["flush"])
  })

  it("stays when the verdicts are sent, which are not sent twice", () => {
    const { engine, sent } = place()
    notifyEvent(engine, EVENT.type, EVENT.payload)
    notifyVerdicts(engine)
    notifyVerdicts(engine)
    assert.deepStrictEqual(sent(), ["flush", ...JUDGED, "flush"])
    assert.lengthOf(engine.pendingNotifications, 1)
  })
})

describe("a line for the log", () => {
  it("is of the chain, and has no fields unless some are given", () => {
    const { engine, sent } = place()
    notifyLog(engine, "info", "said")
    notifyLog(engine, "error", "said more", { height: 3 })
    assert.deepStrictEqual(sent(), [
      { _tag: "Log", level: "info", category: "chain", message: "said", fields: {} },
      { _tag: "Log", level: "error", category: "chain", message: "said more", fields: { height: 3 } }
    ])
  })
})

describe("a block that was not taken", () => {
  it("is reported with a hash of its own, where tips are followed and nowhere else", () => {
    const why = { what: "too little work" } as const
    const hash = new Uint8Array(32).fill(7)
    for (const notifiesTips of [undefined, false]) {
      const { engine, sent } = place(notifiesTips)
      notifyRefused(engine, hash, why)
      assert.deepStrictEqual(sent(), [])
    }
    const { engine, sent } = place(true)
    notifyRefused(engine, hash, why)
    const [news] = sent() as [Extract<EngineNotification, { _tag: "Refused" }>]
    assert.deepStrictEqual(news, { _tag: "Refused", hash, why })
    assert.notStrictEqual(news.hash, hash)
  })
})
