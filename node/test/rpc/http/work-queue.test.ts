import { assert, describe, it } from "@effect/vitest"
import { type QueueSlot, SMALL_BYTES, workQueue } from "../../../src/http/work-queue.ts"

const counterOf = () => {
  let inside = 0
  return { entered: () => void inside++, left: () => void inside--, inside: () => inside }
}

const MEBIBYTE = 1024 * 1024

describe("the queue of calls", () => {
  it("has as many places as it is deep, and gives those that are left to others", () => {
    const queue = workQueue(2)
    const [first, second] = [queue.enter(), queue.enter()]
    assert.isUndefined(queue.enter())
    first!.leave()
    first!.leave()
    const third = queue.enter()
    assert.isDefined(third)
    assert.isUndefined(queue.enter())
    second!.leave()
    assert.isDefined(queue.enter())
  })

  it("lets others in for calls that only wait, a bounded number of them", () => {
    const counter = counterOf()
    const queue = workQueue(1, 0, 3)
    const waiting: Array<QueueSlot> = []
    for (let i = 0; i < 3; i++) {
      const place = queue.enter(counter)!
      assert.isTrue(place.stepAside())
      waiting.push(place)
    }
    assert.strictEqual(counter.inside(), 0)
    const fourth = queue.enter(counter)!
    assert.isFalse(fourth.stepAside())
    assert.isUndefined(queue.enter(counter))
    // One that has waited works on although its place is taken, and counts.
    waiting[0]!.stepBack()
    fourth.leave()
    assert.strictEqual(counter.inside(), 1)
    assert.isUndefined(queue.enter(counter))
    waiting[0]!.leave()
    assert.isTrue(queue.enter(counter)!.stepAside())
    for (const place of waiting) place.leave()
    assert.strictEqual(counter.inside(), 0)
  })

  it("keeps the places of calls that wait, where that is wanted", () => {
    const queue = workQueue(2, 0, "in their places")
    const [first, second] = [queue.enter()!, queue.enter()!]
    assert.isTrue(first.stepAside())
    assert.isTrue(second.stepAside())
    assert.isUndefined(queue.enter())
    first.leave()
    assert.isDefined(queue.enter())
  })

  it("bounds the calls that go on after their clients have gone", () => {
    const queue = workQueue(2)
    const abandoned: Array<QueueSlot> = []
    for (let place = queue.enter(); place !== undefined; place = queue.enter()) {
      place.abandon()
      abandoned.push(place)
      assert.isAtMost(abandoned.length, 8)
    }
    assert.strictEqual(abandoned.length, 8)
    abandoned[0]!.leave()
    assert.isDefined(queue.enter())
  })

  it("keeps memory for small requests when large ones hold the rest", () => {
    const queue = workQueue(1)
    let held = 0
    while (queue.hold(MEBIBYTE)) held += MEBIBYTE
    assert.strictEqual(held, 256 * MEBIBYTE)
    let small = 0
    while (queue.hold(SMALL_BYTES, true)) small++
    assert.strictEqual(small, 4_096)
    queue.release(held + small * SMALL_BYTES)
    assert.isTrue(queue.hold(256 * MEBIBYTE))
  })

  it("is empty when every request has its answer, whether its call waits or not", () => {
    const queue = workQueue(1)
    const received: Array<string> = []
    queue.whenEmpty(() => received.push("at once"))
    queue.opened()
    queue.opened()
    queue.enter()!.stepAside()
    queue.whenEmpty(() => received.push("later"))
    queue.closed()
    assert.deepStrictEqual(received, ["at once"])
    queue.closed()
    assert.deepStrictEqual(received, ["at once", "later"])
  })
})
