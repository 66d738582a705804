import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import { assert, describe, it } from "vitest"
import { eventQueue, MAX_WAITING_EVENTS } from "../src/client/event-queue.ts"

const block = (height: number): ModuleEventPayload => ({ _tag: "NewBlock", block_hash: new Uint8Array(32), height })

describe("events that wait for a handler", () => {
  it("are bounded, and the place of dropped ones is marked with their number", async () => {
    const seen: Array<string> = []
    const queue = eventQueue(
      (event) => {
        seen.push(
          event._tag === "NewBlock" ? String(event.height) : event._tag === "EventsDropped" ? `-${event.dropped}` : ""
        )
        if (event._tag === "NewBlock" && event.height === 1) queue.offer(block(5))
      },
      () => assert.fail(),
      2
    )
    for (const height of [1, 2, 3, 4]) queue.offer(block(height))
    await queue.idle()
    assert.deepStrictEqual(seen, ["1", "2", "-2", "5"])
  })

  it("are reported as dropped when no further event comes", async () => {
    const seen: Array<string> = []
    const queue = eventQueue(({ _tag }) => void seen.push(_tag), () => assert.fail(), 2)
    for (const height of [1, 2, 3]) queue.offer(block(height))
    await queue.idle()
    assert.deepStrictEqual(seen, ["NewBlock", "NewBlock", "EventsDropped"])
  })

  it("are reported with how many were dropped since, and in all", async () => {
    const seen: Array<ModuleEventPayload> = []
    const queue = eventQueue((event) => void seen.push(event), () => assert.fail(), 2)
    for (let i = 0; i < 2; i++) {
      for (const height of [1, 2, 3, 4]) queue.offer(block(height))
      await queue.idle()
    }
    assert.deepStrictEqual(seen.filter(({ _tag }) => _tag === "EventsDropped"), [
      { _tag: "EventsDropped", dropped: 2, total: 2 },
      { _tag: "EventsDropped", dropped: 2, total: 4 }
    ])
  })

  it("may be ten thousand, of which none is dropped", async () => {
    assert.strictEqual(MAX_WAITING_EVENTS, 10_000)
    const counts = new Map<string, number>()
    const queue = eventQueue(({ _tag }) => void counts.set(_tag, (counts.get(_tag) ?? 0) + 1), () => assert.fail())
    for (let height = 0; height <= MAX_WAITING_EVENTS; height++) queue.offer(block(height))
    await queue.idle()
    assert.deepStrictEqual([...counts], [["NewBlock", 10_000], ["EventsDropped", 1]])
  })

  it("are handled one at a time, and one whose handler fails is named and holds up no other", async () => {
    const seen: Array<string> = []
    const failed: Array<unknown> = []
    const queue = eventQueue(
      async (event) => {
        seen.push(`begin ${(event as { height: number }).height}`)
        await Promise.resolve()
        if (seen.length === 1) throw new Error("no")
        seen.push("end")
      },
      (event, error) => void failed.push(event, (error as Error).message)
    )
    for (const height of [1, 2]) queue.offer(block(height))
    assert.isEmpty(seen)
    await queue.idle()
    assert.deepStrictEqual(seen, ["begin 1", "begin 2", "end"])
    assert.deepStrictEqual(failed, [block(1), "no"])
    // Nothing waits any more, and the queue begins anew.
    await queue.idle()
    queue.offer(block(3))
    await queue.idle()
    assert.deepStrictEqual(seen.slice(3), ["begin 3", "end"])
  })
})
