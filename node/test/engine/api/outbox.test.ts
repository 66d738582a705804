import { assert, describe, it } from "vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { EngineMessage } from "../../../src/engine/api/engine-messages.ts"
import { outbox } from "../../../src/engine/host/outbox.ts"

const notification = (rate: number): EngineNotification => ({ _tag: "PoolRate", rate })
const answer = (id: number): EngineMessage => ({ _tag: "Answer", id, value: undefined })

const started = () => {
  const posts: Array<EngineMessage> = []
  return { posts, box: outbox((message) => void posts.push(message)) }
}

describe("the engine's messages", () => {
  it("go together with the notifications before them, in order, once the thread is free", async () => {
    const { box, posts } = started()
    box.notify(notification(1))
    box.notify(notification(2))
    box.send(answer(1))
    box.notify(notification(3))
    box.send(answer(2))
    assert.deepStrictEqual(posts, [])
    await Promise.resolve()
    assert.deepStrictEqual(posts, [{
      _tag: "Batch",
      messages: [
        { _tag: "Notifications", notifications: [notification(1), notification(2)] },
        answer(1),
        { _tag: "Notifications", notifications: [notification(3)] },
        answer(2)
      ]
    }])
  })

  it("go as they are when there is but one", async () => {
    const { box, posts } = started()
    box.send(answer(1))
    await Promise.resolve()
    box.notify(notification(1))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(posts, [answer(1), { _tag: "Notifications", notifications: [notification(1)] }])
  })

  it("go together when a call is answered by the end of another, however many were sent before", async () => {
    const { box, posts } = started()
    box.send(answer(1))
    queueMicrotask(() => box.send(answer(3)))
    box.send(answer(2))
    queueMicrotask(() => box.send(answer(4)))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(posts, [
      { _tag: "Batch", messages: [answer(1), answer(2)] },
      { _tag: "Batch", messages: [answer(3), answer(4)] }
    ])
  })

  it("are at most 256 notifications: the last of these does not wait", () => {
    const { box, posts } = started()
    for (let rate = 0; rate < 255; rate++) box.notify(notification(rate))
    assert.deepStrictEqual(posts, [])
    box.notify(notification(255))
    assert.deepStrictEqual(posts, [{
      _tag: "Notifications",
      notifications: Array.from({ length: 256 }, (_, rate) => notification(rate))
    }])
  })

  it("wait for no turn when they are flushed", () => {
    const { box, posts } = started()
    box.send(answer(1))
    box.flush()
    assert.deepStrictEqual(posts, [answer(1)])
  })

  it("are not sent where there are none, and none of them twice", async () => {
    const { box, posts } = started()
    box.flush()
    assert.deepStrictEqual(posts, [])
    box.notify(notification(1))
    box.send(answer(1))
    box.flush()
    const sent = [{
      _tag: "Batch",
      messages: [{ _tag: "Notifications", notifications: [notification(1)] }, answer(1)]
    }]
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    assert.deepStrictEqual(posts, sent as never)
    box.notify(notification(2))
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    assert.deepStrictEqual(posts, [...sent, { _tag: "Notifications", notifications: [notification(2)] }] as never)
  })

  it("wait for one turn together, however many there are, and for another one after that", async () => {
    const { box, posts } = started()
    for (const round of [1, 2]) {
      box.send(answer(round))
      box.send(answer(round + 10))
      assert.lengthOf(posts, round - 1)
      await Promise.resolve()
      assert.lengthOf(posts, round)
    }
  })
})
