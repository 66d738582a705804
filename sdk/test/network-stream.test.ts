import { once } from "node:events"
import { afterEach, assert, describe, it, vi } from "vitest"
import type { NodeClient } from "../src/client/node-client.ts"
import { NodeError } from "../src/client/node-error.ts"
import { openNetwork } from "../src/network/module-network.ts"
import { NetworkStream } from "../src/network/network-stream.ts"

const WINDOW = 256 * 1024
const GRANT = 64 * 1024
const MEBIBYTE = 1024 * 1024

type Asked = readonly [type: string, fields: Readonly<Record<string, unknown>>]

/** A node that has room for what is sent until `isFull`; what it is asked is written down. */
const node = () => {
  const asked: Array<Asked> = []
  const state = { isFull: false, refuses: undefined as string | undefined, answer: {} as object }
  const ask = ((type: string, fields: Readonly<Record<string, unknown>>) => {
    asked.push([type, fields])
    return state.refuses === type
      ? Promise.reject(new NodeError("ResourceExhausted", `no ${type}`))
      : Promise.resolve({ is_full: state.isFull, ...state.answer })
  }) as unknown as NodeClient["ask"]
  const of = (type: string) => asked.flatMap(([each, fields]) => each === type ? [fields] : [])
  return { asked, client: { ask, log: () => undefined } satisfies NodeClient, of, state }
}

const opened = () => {
  const made = node()
  return { ...made, stream: new NetworkStream(made.client, 7, "127.0.0.1:9") }
}

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What a write comes to, and whether it has. */
const written = (stream: NetworkStream, bytes: Uint8Array) => {
  const state: { error: Error | null | undefined; calls: number } = { error: undefined, calls: 0 }
  stream.write(bytes, (error) => {
    state.error = error
    state.calls++
  })
  return state
}

describe("what a module sends over its network", () => {
  it("waits where the node has no room, and goes on when it has", async () => {
    const { of, state, stream } = opened()
    state.isFull = true
    const [first, second] = [written(stream, Buffer.from("a")), written(stream, Buffer.from("b"))]
    await moment()
    assert.deepStrictEqual([first.calls, second.calls, of("SendNetwork").length], [0, 0, 1])
    state.isFull = false
    stream.drain()
    await vi.waitFor(() => assert.deepStrictEqual([first.calls, second.calls], [1, 1]))
    assert.isNotOk(first.error ?? second.error)
    assert.deepStrictEqual(of("SendNetwork").map(({ data }) => String(data)), ["a", "b"])
  })

  it.each<readonly [string, (stream: NetworkStream) => void]>([
    ["the module destroys the connection", (stream) => stream.destroy()],
    ["the connection breaks", (stream) => stream.close("reset")]
  ])("is called back with an error, once, when %s while it waits", async (_, end) => {
    const { state, stream } = opened()
    state.isFull = true
    const waiting = written(stream, Buffer.from("a"))
    await moment()
    assert.strictEqual(waiting.calls, 0)
    end(stream)
    await vi.waitFor(() => assert.strictEqual(waiting.calls, 1))
    assert.isTrue(stream.destroyed)
    await moment()
    assert.strictEqual(waiting.calls, 1)
  })

  it("does not wait for room that no longer matters: what waited is called back when the other side is gone", async () => {
    const { state, stream } = opened()
    state.isFull = true
    const waiting = written(stream, Buffer.from("a"))
    await moment()
    stream.close(undefined)
    await vi.waitFor(() => assert.strictEqual(waiting.calls, 1))
    const later = written(stream, Buffer.from("b"))
    await vi.waitFor(() => assert.strictEqual(later.calls, 1))
    assert.instanceOf(later.error, Error)
  })

  it("is cut into requests of a mebibyte, in order", async () => {
    const { of, stream } = opened()
    const bytes = Buffer.alloc(2 * MEBIBYTE + 5, 1)
    bytes[MEBIBYTE] = 2
    const whole = written(stream, bytes)
    await vi.waitFor(() => assert.strictEqual(whole.calls, 1))
    const sent = of("SendNetwork")
    assert.deepStrictEqual(sent.map(({ data }) => (data as Buffer).length), [MEBIBYTE, MEBIBYTE, 5])
    assert.isTrue(Buffer.concat(sent.map(({ data }) => data as Buffer)).equals(bytes))
    assert.isTrue(sent.every(({ connection_id }) => connection_id === 7))
  })

  it("fails where the node refuses it", async () => {
    const { state, stream } = opened()
    state.refuses = "SendNetwork"
    const refused = written(stream, Buffer.from("a"))
    await vi.waitFor(() => assert.include(refused.error?.message, "no SendNetwork"))
    assert.isTrue(stream.destroyed)
  })
})

describe("what a module receives over its network", () => {
  it("is granted a window first, and again what it has processed, in steps", async () => {
    const { of, stream } = opened()
    assert.deepStrictEqual(of("GrantNetwork"), [{ connection_id: 7, bytes: WINDOW }])
    stream.on("data", () => undefined)
    stream.resume()
    await moment()
    stream.receive(Buffer.alloc(GRANT - 1))
    assert.lengthOf(of("GrantNetwork"), 1)
    stream.receive(Buffer.alloc(1))
    assert.deepStrictEqual(of("GrantNetwork").slice(1), [{ connection_id: 7, bytes: GRANT }])
    stream.receive(Buffer.alloc(GRANT + 9))
    assert.deepStrictEqual(of("GrantNetwork").slice(2), [{ connection_id: 7, bytes: GRANT + 9 }])
  })

  it("is not granted more while it is not read, and all of it once it is", async () => {
    const { of, stream } = opened()
    stream.receive(Buffer.alloc(GRANT))
    stream.receive(Buffer.alloc(GRANT))
    await moment()
    assert.lengthOf(of("GrantNetwork"), 1)
    stream.resume()
    await vi.waitFor(() =>
      assert.deepStrictEqual(of("GrantNetwork").slice(1), [{ connection_id: 7, bytes: 2 * GRANT }])
    )
  })

  it("ends the stream once, where the other side sends no more and then closes", async () => {
    const { stream } = opened()
    const seen: Array<string> = []
    stream.on("end", () => seen.push("end")).on("close", () => seen.push("close")).on("error", () => seen.push("error"))
    stream.resume()
    stream.endInput()
    stream.close(undefined)
    await vi.waitFor(() => assert.include(seen, "close"))
    assert.deepStrictEqual(seen, ["end", "close"])
  })

  it("destroys a stream to which the node grants nothing", async () => {
    const made = node()
    made.state.refuses = "GrantNetwork"
    const stream = new NetworkStream(made.client, 7, "127.0.0.1:9")
    await vi.waitFor(() => assert.isTrue(stream.destroyed))
  })
})

describe("the end of a module's connection", () => {
  it("is asked for at once where it is destroyed, and after what was sent where it is ended", async () => {
    const [destroyed, ended] = [opened(), opened()]
    destroyed.stream.destroy()
    await moment()
    assert.deepStrictEqual(destroyed.of("CloseNetwork"), [{ connection_id: 7, now: true }])
    ended.stream.end("last")
    await vi.waitFor(() => assert.deepStrictEqual(ended.of("CloseNetwork")[0], { connection_id: 7, now: false }))
    assert.isBelow(
      ended.asked.findIndex(([type]) => type === "SendNetwork"),
      ended.asked.findIndex(([type]) => type === "CloseNetwork")
    )
  })

  it("is not asked for where the connection is over, nor is anything granted", async () => {
    const { asked, stream } = opened()
    stream.close(undefined)
    stream.receive(Buffer.alloc(2 * GRANT))
    stream.destroy()
    await moment()
    assert.deepStrictEqual(asked.map(([type]) => type), ["GrantNetwork"])
  })
})

describe("the network of a module", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("hands events to the connection they name, and forgets one that is closed", async () => {
    const made = node()
    const { network, take } = openNetwork(made.client)
    made.state.answer = { address: "127.0.0.1:9", connection_id: 3 }
    const stream = await network.connect("a:9")
    const received: Array<string> = []
    stream.on("data", (chunk: Buffer) => void received.push(String(chunk)))
    assert.isTrue(take({ _tag: "NetworkReceived", connection_id: 3, data: Buffer.from("x") } as never))
    assert.isTrue(take({ _tag: "NetworkReceived", connection_id: 4, data: Buffer.from("y") } as never))
    await vi.waitFor(() => assert.deepStrictEqual(received, ["x"]))
    stream.destroy()
    await once(stream, "close")
    const drain = vi.spyOn(stream, "drain")
    take({ _tag: "NetworkDrained", connection_id: 3 } as never)
    assert.strictEqual(drain.mock.calls.length, 0)
    assert.isFalse(take({ _tag: "NewBlock" } as never))
  })

  it.each<readonly [event: object, method: "receive" | "endInput" | "drain" | "close", given: ReadonlyArray<unknown>]>([
    [{ _tag: "NetworkReceived", data: Buffer.from("x") }, "receive", [Buffer.from("x")]],
    [{ _tag: "NetworkEnded" }, "endInput", []],
    [{ _tag: "NetworkDrained" }, "drain", []],
    [{ _tag: "NetworkClosed", error: "reset" }, "close", ["reset"]],
    [{ _tag: "NetworkClosed", error: undefined }, "close", [undefined]]
  ])("hands %j to its connection alone", async (event, method, given) => {
    const made = node()
    const { network, take } = openNetwork(made.client)
    const streams: Array<NetworkStream> = []
    for (const connection_id of [3, 4]) {
      made.state.answer = { address: "127.0.0.1:9", connection_id }
      streams.push(await network.connect("a:9") as NetworkStream)
    }
    const [own, other] = streams.map((stream) => vi.spyOn(stream, method).mockImplementation(() => undefined))
    assert.isTrue(take({ ...event, connection_id: 3 } as never))
    assert.deepStrictEqual([own!.mock.calls, other!.mock.calls], [[given], []])
    // One that is not known, or not any more, is no fault.
    assert.isTrue(take({ ...event, connection_id: 5 } as never))
  })

  it("keeps a connection that comes before the answer about its listener, and closes one of no listener", async () => {
    const made = node()
    const { network, take } = openNetwork(made.client)
    const accepted = (connection_id: number, listener_id: number) =>
      take({ _tag: "NetworkAccepted", connection_id, listener_id, address: `peer:${connection_id}` } as never)
    made.state.answer = { address: "127.0.0.1:9", listener_id: 1 }
    const streams: Array<string> = []
    const listening = network.listen("127.0.0.1:0", ({ remoteAddress }) => void streams.push(remoteAddress))
    accepted(5, 1)
    accepted(6, 2)
    const listener = await listening
    assert.deepStrictEqual(streams, ["peer:5"])
    assert.deepStrictEqual(made.of("CloseNetwork"), [{ connection_id: 6, now: true }])
    accepted(7, 1)
    await listener.close()
    accepted(8, 1)
    assert.deepStrictEqual(streams, ["peer:5", "peer:7"])
    assert.deepStrictEqual(made.of("CloseNetwork").at(-1), { connection_id: 8, now: true })
    assert.deepStrictEqual(made.of("CloseNetworkListener"), [{ listener_id: 1 }])
  })

  it("closes a connection of no listener also after a listener was refused", async () => {
    const made = node()
    const { network, take } = openNetwork(made.client)
    made.state.refuses = "ListenNetwork"
    await network.listen("127.0.0.1:1", () => undefined).catch(() => undefined)
    take({ _tag: "NetworkAccepted", connection_id: 5, listener_id: 1, address: "a" } as never)
    assert.deepStrictEqual(made.of("CloseNetwork"), [{ connection_id: 5, now: true }])
  })

  it("destroys its connections when everything is over", async () => {
    const made = node()
    const { end, network } = openNetwork(made.client)
    made.state.answer = { address: "127.0.0.1:9", connection_id: 3 }
    const stream = await network.connect("a:9")
    end()
    assert.isTrue(stream.destroyed)
  })
})
