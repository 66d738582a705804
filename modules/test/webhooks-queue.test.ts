import { type NodeClient, NodeError, startModule } from "@lockstep/sdk"
import { fakeNode, type FakeNode, type FakeNodeOptions } from "@lockstep/sdk/test-kit"
import { afterEach, assert, describe, it, vi } from "vitest"
import { chainFollower } from "../webhooks/src/follow-chain.ts"
import type { Hook } from "../webhooks/src/hook.ts"
import { openHookQueue } from "../webhooks/src/queue/hook-queue.ts"
import { openOutbox } from "../webhooks/src/queue/outbox.ts"

const open: Array<FakeNode> = []
afterEach(async () => {
  vi.useRealTimers()
  for (const node of open.splice(0)) await node.close()
})

/** A node with a database, and what a module has to ask it. */
const aNode = async (answer?: FakeNodeOptions["answer"]): Promise<readonly [FakeNode, NodeClient]> => {
  const node = await fakeNode(answer === undefined ? {} : { answer })
  open.push(node)
  let client: NodeClient | undefined
  await startModule({ version: "1.0.0", setup: (context) => void (client = context.node) }, node.environment)
  return [node, client!]
}

const hook = (name: string): Hook => ({
  name,
  kind: "http",
  url: new URL("http://127.0.0.1:1/"),
  events: ["NewBlock"],
  where: {},
  authorities: undefined,
  secret: undefined,
  headers: {}
})

const MOST = 3

describe("the outbox of webhooks", () => {
  it("takes the next event when one could not be written, under the number that was free", async () => {
    let isRefused = false
    const [, node] = await aNode((request) => {
      if (request._tag !== "WriteStorage" || !isRefused) return undefined
      isRefused = false
      throw new NodeError("ResourceExhausted", "the disk is full")
    })
    const outbox = await openOutbox(node, [hook("a")], MOST)
    const { queue } = outbox.hooks[0]!
    await outbox.put("NewBlock", { height: 1 })
    isRefused = true
    const refused = await outbox.put("NewBlock", { height: 2 }).then(() => "", (error: Error) => error.message)
    assert.include(refused, "the disk is full")
    assert.strictEqual(queue.waiting(), 1)
    await outbox.put("NewBlock", { height: 3 })
    const waiting = await queue.oldest()
    assert.deepStrictEqual(waiting.map(({ number }) => number), [1, 2])
    assert.deepStrictEqual(waiting.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.height), [1, 3])
  })

  it("says of each event which hook it is for, what it is and when it came, in seconds", async () => {
    const [, node] = await aNode()
    const outbox = await openOutbox(node, [hook("a")], MOST)
    vi.useFakeTimers({ now: 1_700_000_000_999, toFake: ["Date"] })
    await outbox.put("NewBlock", { height: 1 })
    const [waiting] = await outbox.hooks[0]!.queue.oldest()
    assert.deepStrictEqual(JSON.parse(Buffer.from(waiting!.body).toString()), {
      hook: "a",
      id: 1,
      event: "NewBlock",
      time: 1_700_000_000,
      data: { height: 1 }
    })
  })

  it("writes nothing of an event that no hook asks for, but its position in the chain", async () => {
    const [fake, node] = await aNode()
    const outbox = await openOutbox(node, [hook("a")], MOST)
    const writes = (): number => fake.requests.filter(({ _tag }) => _tag === "WriteStorage").length
    const before = writes()
    await outbox.put("PeerConnected", {})
    assert.strictEqual(writes(), before)
    await outbox.put("PeerConnected", {}, new Uint8Array(32))
    assert.strictEqual(writes(), before + 1)
  })

  it("numbers events that come at once in the order in which they came", async () => {
    const [, node] = await aNode()
    const outbox = await openOutbox(node, [hook("a")], 10)
    await Promise.all([1, 2, 3, 4].map((height) => outbox.put("NewBlock", { height })))
    const waiting = await outbox.hooks[0]!.queue.oldest()
    assert.deepStrictEqual(waiting.map(({ number }) => number), [1, 2, 3, 4])
    assert.deepStrictEqual(waiting.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.height), [
      1,
      2,
      3,
      4
    ])
  })

  it("removes what waits for a hook that is no longer configured, however much, and keeps the others", async () => {
    const [fake, node] = await aNode()
    const before = await openOutbox(node, [hook("a"), hook("ab")], 2_000)
    for (let height = 0; height < 600; height++) await before.put("NewBlock", { height })
    const after = await openOutbox(node, [hook("ab")], 2_000)
    assert.strictEqual(after.hooks[0]!.queue.waiting(), 600)
    const names = fake.database().map(({ key }) => Buffer.from(key).toString("latin1"))
    assert.deepStrictEqual(names.filter((name) => name.startsWith("q:a:") || name === "n:a" || name === "d:a"), [])
    assert.strictEqual(names.filter((name) => name.startsWith("q:ab:")).length, 600)
  })
})

describe("the queue of a hook", () => {
  /** Appends `count` events, each in a batch of its own. */
  const fill = async (node: NodeClient, queue: Awaited<ReturnType<typeof openHookQueue>>, count: number) => {
    for (let i = 0; i < count; i++) {
      const batch = { puts: [], removals: [] }
      const { commit } = queue.append(batch, (number) => Buffer.from(String(number)))
      await node.ask("WriteStorage", batch)
      commit()
    }
  }

  it("drops the oldest where it is full, and knows after a restart how many and which number is next", async () => {
    const [, node] = await aNode()
    const queue = await openHookQueue(node, "a", MOST)
    await fill(node, queue, MOST)
    assert.deepStrictEqual([queue.waiting(), queue.dropped()], [MOST, 0])
    await fill(node, queue, 2)
    assert.deepStrictEqual([queue.waiting(), queue.dropped()], [MOST, 2])
    assert.deepStrictEqual([1, 2, 3, 5, 6].map(queue.isWaiting), [false, false, true, true, false])

    const again = await openHookQueue(node, "a", MOST)
    assert.deepStrictEqual([again.waiting(), again.dropped()], [MOST, 2])
    assert.deepStrictEqual((await again.oldest()).map(({ number }) => number), [3, 4, 5])
    await fill(node, again, 1)
    assert.strictEqual(again.dropped(), 3)
    assert.deepStrictEqual((await again.oldest()).map(({ number }) => number), [4, 5, 6])
  })

  it("goes on behind the last number after a restart with nothing waiting", async () => {
    const [, node] = await aNode()
    const queue = await openHookQueue(node, "a", MOST)
    await fill(node, queue, 2)
    await queue.remove(1)
    assert.strictEqual(queue.waiting(), 1)
    await queue.remove(2)
    assert.strictEqual(queue.waiting(), 0)
    const again = await openHookQueue(node, "a", MOST)
    assert.strictEqual(again.waiting(), 0)
    await fill(node, again, 1)
    assert.deepStrictEqual((await again.oldest()).map(({ number }) => number), [3])
  })

  it("says that something was appended once for each call, also what came before it", async () => {
    const [, node] = await aNode()
    const queue = await openHookQueue(node, "a", MOST)
    await queue.appended()
    let hasCome = false
    const next = queue.appended().then(() => void (hasCome = true))
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.isFalse(hasCome)
    await fill(node, queue, 1)
    await next
    assert.isTrue(hasCome)
  })
})

const TIP = new Uint8Array(32).fill(1)

/** The header of a block, and its step. */
const blockOn = (parent: Uint8Array, mark: number) => {
  const header = Buffer.alloc(80)
  header.set(parent, 4)
  header.writeUInt32LE(2_000_000_000, 68)
  const hash = new Uint8Array(32).fill(mark)
  return { hash, header, step: { _tag: "NewBlock", block_hash: hash, height: mark } as const }
}

describe("a follower of the chain for webhooks", () => {
  const FIRST = blockOn(TIP, 2)
  const SECOND = blockOn(FIRST.hash, 3)

  /** `refused`: how many of the next requests for headers are refused. */
  const following = async () => {
    const state = { refused: 0, refusedWays: 0 }
    const [fake, node] = await aNode((request) => {
      if (request._tag === "GetChainTip") return { _tag: "Hash", value: TIP } as never
      if (request._tag === "FollowChain" && state.refusedWays-- > 0) {
        throw new NodeError("ProtocolError", "no such block")
      }
      if (request._tag !== "GetBlockHeader") return undefined
      if (state.refused-- > 0) throw new NodeError("Timeout", "too busy")
      const found = [FIRST, SECOND].find(({ hash }) => Buffer.compare(hash, request.hash) === 0)
      return { _tag: "BlockHeader", value: found?.header } as never
    })
    const outbox = await openOutbox(node, [hook("a")], 10)
    const follower = chainFollower(node, outbox, 0)
    return { fake, follower, outbox, state }
  }

  const ways = ({ requests }: FakeNode): number => requests.filter(({ _tag }) => _tag === "FollowChain").length

  it("asks for the chain again a while after a step that failed, and takes the step then", async () => {
    const { fake, follower, outbox, state } = await following()
    await follower.start()
    assert.strictEqual(ways(fake), 1)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    state.refused = 1
    const failure = await follower.take(FIRST.step).then(() => "", (error: Error) => error.message)
    assert.include(failure, "too busy")
    assert.strictEqual(vi.getTimerCount(), 1)
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    await vi.waitFor(() => assert.strictEqual(ways(fake), 2))
    await follower.take(FIRST.step)
    await follower.take(SECOND.step)
    assert.strictEqual(outbox.hooks[0]!.queue.waiting(), 2)
    assert.deepStrictEqual(Buffer.from((await outbox.position())!), Buffer.from(SECOND.hash))
    follower.stop()
  })

  it("passes over a step that does not connect, and one that was taken before", async () => {
    const { follower, outbox } = await following()
    await follower.start()
    await follower.take(SECOND.step)
    assert.strictEqual(outbox.hooks[0]!.queue.waiting(), 0)
    await follower.take(FIRST.step)
    await follower.take(FIRST.step)
    assert.strictEqual(outbox.hooks[0]!.queue.waiting(), 1)
    follower.stop()
  })

  it("tries again when the node does not know the last block yet", async () => {
    const { fake, follower, state } = await following()
    state.refusedWays = 1
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const started = follower.start()
    await started
    assert.strictEqual(ways(fake), 1)
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    await vi.waitFor(() => assert.strictEqual(ways(fake), 2))
    follower.stop()
  })

  it("asks no more once it is stopped, and leaves no timer", async () => {
    const { fake, follower, state } = await following()
    await follower.start()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    state.refused = 2
    await follower.take(FIRST.step).catch(() => undefined)
    follower.stop()
    assert.strictEqual(vi.getTimerCount(), 0)
    await follower.take(FIRST.step).catch(() => undefined)
    assert.strictEqual(vi.getTimerCount(), 0)
    await follower.again()
    assert.strictEqual(ways(fake), 1)
  })
})
