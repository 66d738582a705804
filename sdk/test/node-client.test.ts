import type { ModuleMessage, ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import { moduleRefusal, moduleResponse } from "@lockstep/protocol/module-ipc/index.ts"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { openClient } from "../src/client/node-client.ts"
import type { NodeError } from "../src/client/node-error.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
afterEach(() => void vi.useRealTimers())

const LIMIT_MS = 5_000

/** A client, and the other end of its wire. */
const opened = () => {
  const sent: Array<ModuleMessage> = []
  let close: (reason: string) => void = () => undefined
  const closed = new Promise<string>((resolve) => {
    close = resolve
  })
  const wire = { send: (message: ModuleMessage) => void sent.push(message), end: () => undefined, closed }
  const { client, settle } = openClient({ wire, name: "watcher", moduleId: "id", limitMs: LIMIT_MS })
  const ids = (): ReadonlyArray<bigint> => sent.map((message) => (message as ModuleMessageOf<"Request">).correlation_id)
  return { client, close, ids, sent, settle }
}

const reasonOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(() => "none", ({ kind, message }: NodeError) => `${kind}: ${message}`)

const HEIGHT = { _tag: "U64", value: 7n } as never

describe("a request of a module", () => {
  it("is answered under its id, in any order, and leaves no timer", async () => {
    const { client, ids, settle } = opened()
    const [first, second] = [client.ask("GetBlockHeight"), client.ask("GetBlockHeight")]
    assert.strictEqual(vi.getTimerCount(), 2)
    assert.strictEqual(new Set(ids()).size, 2)
    settle(moduleResponse(ids()[1]!, HEIGHT))
    assert.strictEqual(vi.getTimerCount(), 1)
    settle(moduleRefusal(ids()[0]!, "NotFound: no"))
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.deepStrictEqual(await second, HEIGHT)
    assert.include(await reasonOf(first), "no")
  })

  it("fails when no answer comes in time, and an answer that comes late has no effect", async () => {
    const { client, ids, settle } = opened()
    const asked = reasonOf(client.ask("GetBlockHeight"))
    vi.advanceTimersByTime(LIMIT_MS - 1)
    assert.strictEqual(vi.getTimerCount(), 1)
    vi.advanceTimersByTime(1)
    assert.strictEqual(await asked, `Timeout: no answer to GetBlockHeight within ${LIMIT_MS} ms`)
    settle(moduleResponse(ids()[0]!, HEIGHT))
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("fails when the connection ends, as does every later one, and leaves no timer", async () => {
    const { client, close, sent } = opened()
    const asked = [client.ask("GetBlockHeight"), client.ask("GetChainTip")].map(reasonOf)
    close("the node has stopped")
    assert.deepStrictEqual(await Promise.all(asked), Array(2).fill("ConnectionError: the node has stopped"))
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.strictEqual(await reasonOf(client.ask("GetChainTip")), "ConnectionError: the node has stopped")
    assert.deepStrictEqual([sent.length, vi.getTimerCount()], [2, 0])
  })
})

describe("a log line of a module", () => {
  it("has the seconds of now, and the module's name and id", () => {
    const { client, sent } = opened()
    vi.setSystemTime(1_700_000_000_999)
    client.log("Warn", "careful")
    assert.deepStrictEqual(sent, [{
      _tag: "Log",
      level: "Warn",
      module_id: "id",
      message: "careful",
      target: "watcher",
      timestamp: 1_700_000_000
    }])
  })
})
