import { afterEach, assert, describe, it } from "vitest"
import { createServer } from "node:net"
import { NodeError, startModule } from "../src/index.ts"
import { connectOnce, connectToNode } from "../src/client/connection.ts"
import { keepConnected, MOST_ATTEMPTS, type ReconnectClock, STEADY_MS } from "../src/run/keep-connected.ts"
import type { ModuleParts } from "../src/run/module-parts.ts"
import { type FakeNode, fakeNode, type FakeNodeOptions } from "../src/test-kit/fake-node.ts"

const open: Array<FakeNode> = []
const aNode = async (options?: FakeNodeOptions): Promise<FakeNode> => {
  const node = await fakeNode(options)
  open.push(node)
  return node
}
afterEach(async () => {
  for (const node of open.splice(0)) await node.close()
})

/** A clock whose waits are over at once, and are kept. */
const testClock = () => {
  const waits: Array<number> = []
  let now = 0
  const clock: ReconnectClock = {
    now: () => now,
    wait: (milliseconds) => {
      waits.push(milliseconds)
      now += milliseconds
      return Promise.resolve()
    }
  }
  return { clock, waits, advance: (milliseconds: number) => void (now += milliseconds) }
}

const kept = (
  parts: ModuleParts,
  { environment }: Pick<FakeNode, "environment">,
  clock: ReconnectClock,
  stopped = new AbortController().signal
): Promise<string> =>
  keepConnected(
    (isFirst) => startModule(parts, environment, isFirst ? connectToNode : connectOnce),
    stopped,
    clock
  )

const signalled = () => {
  let resolve: () => void = () => undefined
  const done = new Promise<void>((each) => {
    resolve = each
  })
  return { done, resolve }
}

describe("a module whose connection is cut", () => {
  it("refuses the call that was under way, connects again with everything anew, and is over with the socket", async () => {
    const asked = signalled()
    const node = await aNode({
      answer: (request) => {
        if (request._tag !== "GetChainTip") return undefined
        asked.resolve()
        return new Promise(() => undefined)
      }
    })
    const { clock, waits } = testClock()
    const lives: Array<string> = []
    const back = [signalled(), signalled()]
    let call: Promise<unknown> = Promise.resolve()
    const over = kept(
      {
        version: "1.0.0",
        rpc: { hello: { description: "says hello", call: () => "hello" } },
        events: { NewBlock: () => undefined },
        setup: ({ node: client }) => {
          lives.push("setup")
          if (lives.length === 1) call = client.ask("GetChainTip").catch((error: unknown) => error)
        },
        stopped: () => void lives.push("stopped"),
        ready: () => back[lives.length > 1 ? 1 : 0]!.resolve()
      },
      node,
      clock
    )
    await Promise.all([back[0]!.done, asked.done])
    node.cut()
    await back[1]!.done
    const error = await call
    assert.instanceOf(error, NodeError)
    assert.strictEqual((error as NodeError).kind, "ConnectionError")
    assert.deepStrictEqual(lives, ["setup", "stopped", "setup"])
    const handshakes = node.requests.filter(({ _tag }) => _tag === "Handshake")
    assert.lengthOf(handshakes, 2)
    assert.deepStrictEqual(handshakes[0], handshakes[1])
    assert.deepStrictEqual(node.requests.slice(-3).map(({ _tag }) => _tag), [
      "Handshake",
      "RegisterRpcEndpoint",
      "SubscribeEvents"
    ])
    await node.close()
    open.length = 0
    await over
    assert.deepStrictEqual([lives.length, waits], [4, [100, 200]])
  })

  it("gets the events of its new connection after a cut in the middle of a stream of them", async () => {
    const node = await aNode()
    const { clock } = testClock()
    const heights: Array<number> = []
    const [one, two] = [signalled(), signalled()]
    const [first, second] = [signalled(), signalled()]
    let lives = 0
    const stopped = new AbortController()
    const over = kept(
      {
        version: "1.0.0",
        events: {
          NewBlock: ({ height }) => {
            heights.push(height)
            if (height === 3) first.resolve()
            if (height === 9) second.resolve()
          }
        },
        ready: () => (++lives === 1 ? one : two).resolve()
      },
      node,
      clock,
      stopped.signal
    )
    await one.done
    for (const height of [1, 2, 3]) node.emit({ _tag: "NewBlock", block_hash: new Uint8Array(32), height })
    await first.done
    node.cut()
    await two.done
    for (const height of [7, 8, 9]) node.emit({ _tag: "NewBlock", block_hash: new Uint8Array(32), height })
    await second.done
    assert.deepStrictEqual(heights, [1, 2, 3, 7, 8, 9])
    stopped.abort()
    await over
  })

  it("waits twice as long before each further attempt, and gives up after seven", async () => {
    const node = await aNode()
    const { clock, waits } = testClock()
    // A node that takes connections and ends them before a word.
    const server = createServer((socket) => socket.destroy())
    const socketPath = `${node.environment.socketPath}.2`
    await new Promise<void>((resolve) => server.listen(socketPath, resolve))
    let connections = 0
    const over = keepConnected(
      (isFirst) =>
        startModule(
          { version: "1.0.0", ready: () => isFirst && setTimeout(node.cut) },
          isFirst ? node.environment : { ...node.environment, socketPath },
          (path) => {
            connections++
            return connectOnce(path)
          }
        ),
      new AbortController().signal,
      clock
    )
    const error = await over.catch((found: unknown) => found)
    server.close()
    assert.instanceOf(error, NodeError)
    assert.match((error as NodeError).message, /^the connection was lost 7 times in a row: /)
    assert.deepStrictEqual(waits, [100, 200, 400, 800, 1_600, 3_200, 6_400])
    assert.strictEqual(connections, MOST_ATTEMPTS + 1)
  })

  it("waits as at first where the connection had lasted for a minute, and longer where it had not", async () => {
    const node = await aNode()
    const { advance, clock, waits } = testClock()
    const lasting = [0, STEADY_MS - 1, STEADY_MS]
    const stopped = new AbortController()
    const over = kept(
      {
        version: "1.0.0",
        ready: () => {
          const time = lasting.shift()
          if (time === undefined) return stopped.abort()
          setTimeout(() => {
            advance(time)
            node.cut()
          })
        }
      },
      node,
      clock,
      stopped.signal
    )
    await over
    assert.deepStrictEqual(waits, [100, 200, 100])
  })

  it("connects no more where a signal ends it while it waits, or where the node refuses it in words", async () => {
    const node = await aNode()
    const stopped = new AbortController()
    const waiting: ReconnectClock = {
      now: () => 0,
      wait: () => {
        stopped.abort()
        return Promise.resolve()
      }
    }
    await kept({ version: "1.0.0", ready: () => void setTimeout(node.cut) }, node, waiting, stopped.signal)
    assert.lengthOf(node.requests.filter(({ _tag }) => _tag === "Handshake"), 1)

    const { clock, waits } = testClock()
    let lives = 0
    const refused = kept(
      {
        version: "1.0.0",
        setup: () => {
          if (++lives === 2) throw new NodeError("ProtocolError", "the handshake has not the id of this spawn")
        },
        ready: () => void setTimeout(node.cut)
      },
      node,
      clock
    )
    const error = await refused.catch((found: unknown) => found)
    assert.strictEqual((error as NodeError).kind, "ProtocolError")
    assert.deepStrictEqual(waits, [100])
  })

  it.each<readonly [milliseconds: number, waits: ReadonlyArray<number>]>([
    [0, [100, 200]],
    [59_999, [100, 200]],
    [60_000, [100, 100]],
    [60_001, [100, 100]]
  ])("that lasted for %d ms waits %j ms", async (milliseconds, expected) => {
    const { advance, clock, waits } = testClock()
    const stopped = new AbortController()
    let lives = 0
    const start = async () => {
      const life = ++lives
      if (life === 3) stopped.abort()
      const over = new Promise<string>((resolve) =>
        setImmediate(() => {
          if (life === 2) advance(milliseconds)
          resolve("cut")
        })
      )
      return { stop: () => undefined, over }
    }
    await keepConnected(start, stopped.signal, clock)
    assert.deepStrictEqual(waits, expected)
  })

  it("is stopped by a signal over the connection that it has then, and over that alone", async () => {
    const { clock } = testClock()
    const stopped = new AbortController()
    const ended: Array<number> = []
    const overs = [signalled(), signalled()]
    const begun = signalled()
    let lives = 0
    const over = keepConnected(
      async () => {
        const life = lives++
        if (life === 1) begun.resolve()
        return {
          stop: () => {
            ended.push(life)
            overs[life]!.resolve()
          },
          over: overs[life]!.done.then(() => `the end of ${life}`)
        }
      },
      stopped.signal,
      clock
    )
    overs[0]!.resolve()
    await begun.done
    await new Promise((resolve) => setImmediate(resolve))
    stopped.abort()
    assert.strictEqual(await over, "the end of 1")
    assert.deepStrictEqual(ended, [1])
  })

  it("is ended at once where a signal came while it was started", async () => {
    const stopped = new AbortController()
    const ending = signalled()
    const over = keepConnected(
      async () => {
        stopped.abort()
        return { stop: ending.resolve, over: ending.done.then(() => "ended") }
      },
      stopped.signal,
      testClock().clock
    )
    assert.strictEqual(await over, "ended")
  })

  const ofSocket = (syscall: string, code?: string) => Object.assign(new Error(`${syscall} ${code}`), { syscall, code })

  it.each<readonly [error: unknown, outcome: string]>([
    [ofSocket("connect", "ECONNREFUSED"), "over after 1"],
    [ofSocket("connect", "ENOENT"), "over after 1"],
    [ofSocket("connect", "EAGAIN"), "over after 2"],
    [ofSocket("connect"), "over after 2"],
    [new NodeError("ConnectionError", "cut"), "over after 2"],
    [ofSocket("open", "ENOENT"), "open ENOENT"],
    [ofSocket("read", "ECONNREFUSED"), "read ECONNREFUSED"],
    [{ syscall: "connect", code: "ENOENT", message: "no error" }, "no error"],
    [new NodeError("Timeout", "late"), "late"],
    [new NodeError(undefined, "a fault"), "a fault"],
    [new Error("a defect"), "a defect"]
  ])("that meets %j when it connects again is %s", async (error, outcome) => {
    const { clock } = testClock()
    const errors = [error, ofSocket("connect", "ENOENT")]
    let isFirst = true
    const ran = keepConnected(
      async (first) => {
        assert.strictEqual(first, isFirst)
        isFirst = false
        if (!first) throw errors.shift()
        return { stop: () => undefined, over: Promise.resolve("over") }
      },
      new AbortController().signal,
      clock
    )
    assert.strictEqual(
      await ran.then((reason) => `${reason} after ${2 - errors.length}`, ({ message }: Error) => message),
      outcome
    )
  })
})
