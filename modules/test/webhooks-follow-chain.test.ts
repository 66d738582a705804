import { afterEach, assert, describe, it, vi } from "vitest"
import { chainFollower } from "../webhooks/src/follow-chain.ts"

const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const [TIP, NEXT] = [bytes(1), bytes(2)]

/** The header of the block `NEXT` on `TIP`, with a time. */
const headerAt = (time: number): Uint8Array => {
  const header = Buffer.from(Array.from({ length: 80 }, (_, i) => i))
  header.set(TIP, 4)
  header.writeUInt32LE(time, 68)
  return new Uint8Array(header)
}

/** A follower over a node and an outbox that keep what they are asked. */
const following = ({ oldest = 0, position = TIP as Uint8Array | "none", time = 1_700_000_000 } = {}) => {
  const asked: Array<unknown> = []
  const put: Array<unknown> = []
  const logged: Array<string> = []
  let header: Uint8Array | undefined = headerAt(time)
  const node = {
    ask: (name: string, request?: unknown) => {
      asked.push(request === undefined ? name : [name, request])
      const value = name === "GetChainTip" ? TIP : name === "GetBlockHeader" ? header : undefined
      return Promise.resolve({ value })
    },
    log: (level: string, text: string) => void logged.push(`${level}: ${text}`)
  }
  const outbox = {
    hooks: [{}, {}],
    position: () => Promise.resolve(position === "none" ? undefined : position),
    savePosition: (saved: Uint8Array) => {
      put.push(["position", saved])
      return Promise.resolve()
    },
    put: (...values: ReadonlyArray<unknown>) => {
      put.push(values)
      return Promise.resolve()
    }
  }
  const follower = chainFollower(node as never, outbox as never, oldest)
  return { asked, follower, lose: () => void (header = undefined), logged, put }
}

const connects = { _tag: "NewBlock", block_hash: NEXT, height: 7 } as const
const disconnects = { _tag: "BlockDisconnected", hash: NEXT, height: 7 } as const

afterEach(() => void vi.useRealTimers())

describe("the chain that webhooks follow", () => {
  it("begins at the tip where there is no position yet, which is kept", async () => {
    const { asked, follower, logged, put } = following({ position: "none" })
    await follower.start()
    assert.deepStrictEqual(asked, ["GetChainTip", ["FollowChain", { from_block: TIP }]])
    assert.deepStrictEqual(put, [["position", TIP]])
    assert.deepStrictEqual(logged, ["Info: 2 hooks follow the chain"])
  })

  it("begins at the position on disk", async () => {
    const { asked, follower, put } = following({ position: NEXT })
    await follower.start()
    assert.deepStrictEqual([asked, put], [[["FollowChain", { from_block: NEXT }]], []])
  })

  it("is asked for by none before the start, and nothing is taken", async () => {
    const { asked, follower, put } = following()
    await follower.again()
    assert.deepStrictEqual(asked, [])
    await follower.take(connects)
    assert.deepStrictEqual(put, [])
  })

  it("goes a block up and down again, with parent, time and header beside the event", async () => {
    const { asked, follower, put } = following()
    await follower.start()
    await follower.take(connects)
    await follower.take(disconnects)
    await follower.take(connects)
    const more = {
      previous_hash: "01".repeat(32),
      time: 1_700_000_000,
      header: Buffer.from(headerAt(1_700_000_000)).toString("hex")
    }
    const [up, down, again] = put as ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, Uint8Array]>
    assert.deepStrictEqual(up![0], "NewBlock")
    assert.deepInclude(up![1], { block_hash: "02".repeat(32), height: 7, ...more })
    assert.deepStrictEqual([up![2], down![0], down![2], again![2]], [NEXT, "BlockDisconnected", TIP, NEXT])
    assert.deepInclude(down![1], { hash: "02".repeat(32), ...more })
    assert.deepStrictEqual(asked[1], ["GetBlockHeader", { hash: NEXT }])
  })

  it("passes over a block that is disconnected and is not the last one", async () => {
    const { follower, put } = following()
    await follower.start()
    await follower.take(disconnects)
    assert.deepStrictEqual(put, [])
  })

  it.each([[-60, true], [60, false]])(
    "has blocks that are too old as its position alone: %d seconds younger than the limit",
    async (younger, isOld) => {
      const time = Math.floor(Date.now() / 1_000) - 3_600 + younger
      const { follower, put } = following({ oldest: 3_600, time })
      await follower.start()
      await follower.take(connects)
      assert.lengthOf(put, 1)
      assert.deepStrictEqual((put[0] as ReadonlyArray<unknown>)[0], isOld ? "position" : "NewBlock")
      if (isOld) assert.deepStrictEqual(put, [["position", NEXT]])
      // It goes on behind it.
      await follower.take(disconnects)
      assert.lengthOf(put, 2)
    }
  )

  it("fails where the node has no header of the block", async () => {
    const { follower, lose } = following()
    await follower.start()
    lose()
    const refused = await follower.take(connects).then(() => "", (error: Error) => error.message)
    follower.stop()
    assert.strictEqual(refused, "the node has no header of a block at height 7")
  })

  it("is asked for once where it is asked for again while that is planned", async () => {
    const { asked, follower, lose } = following()
    await follower.start()
    lose()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    for (let i = 0; i < 2; i++) await follower.take(connects).catch(() => undefined)
    assert.strictEqual(vi.getTimerCount(), 1)
    asked.length = 0
    await follower.again()
    assert.deepStrictEqual([asked, vi.getTimerCount()], [[["FollowChain", { from_block: TIP }]], 0])
  })
})
