import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { mostConnections } from "../../../src/http/most-connections.ts"
import { openHttpConnections } from "../../../src/http/open-connections.ts"

class FakeSocket extends EventEmitter {
  destroyed = false
  destroy(): void {
    this.destroyed = true
    this.emit("close")
  }
}

const open = (connections: ReturnType<typeof openHttpConnections>): FakeSocket => {
  const socket = new FakeSocket()
  connections.opened(socket as unknown as Socket)
  return socket
}

/** A request on a connection, of which so much is over. */
const ask = (
  connections: ReturnType<typeof openHttpConnections>,
  socket: FakeSocket,
  so: "sending" | "waiting" | "answered"
): void => {
  const request = { socket, complete: so !== "sending" }
  const response = { req: request, writableFinished: so === "answered", destroyed: false }
  connections.asked(request as unknown as IncomingMessage, response as unknown as ServerResponse)
}

describe("connections at their limit", () => {
  it("end where nothing is under way, the one that was quiet for the longest time first", () => {
    const connections = openHttpConnections(3)
    const [first, second, third] = [open(connections), open(connections), open(connections)]
    ask(connections, first, "answered")
    ask(connections, second, "waiting")
    const fourth = open(connections)
    assert.deepStrictEqual([first, second, third, fourth].map(({ destroyed }) => destroyed), [
      false,
      false,
      true,
      false
    ])
    const fifth = open(connections)
    assert.deepStrictEqual([first, second, fourth, fifth].map(({ destroyed }) => destroyed), [
      true,
      false,
      false,
      false
    ])
    assert.strictEqual(connections.count(), 3)
  })

  it("end where a request does not come to its end, when all of them are busy", () => {
    const connections = openHttpConnections(2)
    const [waits, sends] = [open(connections), open(connections)]
    ask(connections, waits, "waiting")
    ask(connections, sends, "sending")
    const next = open(connections)
    assert.deepStrictEqual([waits, sends, next].map(({ destroyed }) => destroyed), [false, true, false])
  })

  it("are refused when all others wait for their answers", () => {
    const connections = openHttpConnections(1)
    const waits = open(connections)
    ask(connections, waits, "waiting")
    const next = open(connections)
    assert.deepStrictEqual([waits.destroyed, next.destroyed], [false, true])
    waits.destroy()
    assert.strictEqual(connections.count(), 0)
    assert.isFalse(open(connections).destroyed)
  })

  it("are no more than leave the node files of its own", () => {
    for (const files of [100, 512, 1_024, 4_096, 20_000, 1_048_576, Number.POSITIVE_INFINITY]) {
      const most = mostConnections(files)
      assert.isAtLeast(most, 16)
      assert.isAtMost(most, 4_096)
      if (files >= 512) assert.isAtMost(2 * most, files - 256)
    }
    assert.deepStrictEqual([mostConnections(1_024), mostConnections(1_048_576)], [384, 4_096])
  })
})
