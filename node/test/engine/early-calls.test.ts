import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { CallMessage } from "../../src/engine/api/engine-messages.ts"
import { earlyCalls } from "../../src/engine/host/early-calls.ts"

const FLUSH: CallMessage = { id: 1, name: "flush", input: undefined }
const CLOSE: CallMessage = { id: 2, name: "close", input: undefined }

const opened = () => {
  const port = new EventEmitter()
  return { port, calls: earlyCalls(port) }
}

describe("calls that come before the engine runs", () => {
  it("wait until they are served, in their order", () => {
    const { calls, port } = opened()
    port.emit("message", FLUSH)
    port.emit("message", CLOSE)
    const received: Array<CallMessage> = []
    calls.on("message", (message) => received.push(message))
    port.emit("message", FLUSH)
    assert.deepStrictEqual(received, [FLUSH, CLOSE, FLUSH])
  })

  it("report at once that the engine is to close, whether there is a listener already or not", () => {
    for (const isLate of [false, true]) {
      const { calls, port } = opened()
      let observed = 0
      port.emit("message", FLUSH)
      if (isLate) port.emit("message", CLOSE)
      calls.onClose(() => observed++)
      calls.onClose(() => observed++)
      assert.strictEqual(observed, isLate ? 2 : 0)
      if (!isLate) port.emit("message", CLOSE)
      assert.strictEqual(observed, 2)
    }
  })

  it("report nothing while other calls come, before they are served or after", () => {
    const { calls, port } = opened()
    calls.onClose(() => assert.fail("none of them closes the engine"))
    port.emit("message", FLUSH)
    calls.on("message", () => undefined)
    port.emit("message", FLUSH)
  })
})
