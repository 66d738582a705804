import { assert, describe, it } from "vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { EngineMessage } from "../../../src/engine/api/engine-messages.ts"
import { outbox } from "../../../src/engine/api/outbox.ts"

const news = (rate: number): EngineNotification => ({ _tag: "PoolRate", rate })
const answer = (id: number): EngineMessage => ({ _tag: "Answer", id, value: undefined })

const started = () => {
  const posts: Array<EngineMessage> = []
  return { posts, box: outbox((message) => void posts.push(message)) }
}

describe("the engine's messages", () => {
  it("go together with the news before them, in order, once the thread is free", async () => {
    const { box, posts } = started()
    box.news(news(1))
    box.news(news(2))
    box.send(answer(1))
    box.news(news(3))
    box.send(answer(2))
    assert.deepStrictEqual(posts, [])
    await Promise.resolve()
    assert.deepStrictEqual(posts, [{
      _tag: "Together",
      messages: [
        { _tag: "News", news: [news(1), news(2)] },
        answer(1),
        { _tag: "News", news: [news(3)] },
        answer(2)
      ]
    }])
  })

  it("go as they are when there is but one", async () => {
    const { box, posts } = started()
    box.send(answer(1))
    await Promise.resolve()
    box.news(news(1))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(posts, [answer(1), { _tag: "News", news: [news(1)] }])
  })

  it("are at most 256 pieces of news: the last of these does not wait", () => {
    const { box, posts } = started()
    for (let rate = 0; rate < 255; rate++) box.news(news(rate))
    assert.deepStrictEqual(posts, [])
    box.news(news(255))
    assert.deepStrictEqual(posts, [{ _tag: "News", news: Array.from({ length: 256 }, (_, rate) => news(rate)) }])
  })

  it("wait for no turn when they are flushed", () => {
    const { box, posts } = started()
    box.send(answer(1))
    box.flush()
    assert.deepStrictEqual(posts, [answer(1)])
  })
})
