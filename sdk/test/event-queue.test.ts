import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import { assert, describe, it } from "vitest"
import { eventQueue } from "../src/client/event-queue.ts"

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
})
