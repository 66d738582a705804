import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { seededRandom } from "../../src/p2p/basics/seeded-random.ts"
import { systemEnvironment, withExponential } from "../../src/p2p/basics/system-environment.ts"

describe("randomness", () => {
  it("of a seed repeats, and fills its range", () => {
    const random = seededRandom(7)
    assert.deepStrictEqual(
      [random.below(1_000), random.below(1_000), random.below(2 ** 40), random.below(1), random.below(0)],
      [933, 799, 141_108_489_881, 0, 0]
    )
    assert.deepStrictEqual([...random.bytes(4)], [240, 6, 174, 6])
    const seen = new Set(Array.from({ length: 200 }, () => random.below(3)))
    assert.deepStrictEqual([...seen].sort(), [0, 1, 2])
    assert.notDeepEqual(seededRandom(8).bytes(8), seededRandom(7).bytes(8))
  })

  it.effect("of the machine is below its bound, and zero where nothing is", () =>
    Effect.gen(function*() {
      const { random } = yield* systemEnvironment
      assert.deepStrictEqual([random.below(0), random.below(1), random.bytes(5).length], [0, 0, 5])
      assert.deepStrictEqual([...new Set(Array.from({ length: 100 }, () => random.below(2)))].sort(), [0, 1])
      const drawn = Array.from({ length: 20 }, () => random.below(2 ** 50))
      assert.isTrue(drawn.every((each) => Number.isInteger(each) && each < 2 ** 48))
      assert.isAbove(Math.max(...drawn), 2 ** 40)
    }))

  it("makes waiting times from even numbers: -mean ln(u), u in (0, 1]", () => {
    const asked: Array<number> = []
    const with48 = (value: number) =>
      withExponential({
        below: (bound) => {
          asked.push(bound)
          return value
        },
        bytes: () => new Uint8Array(0)
      })
    assert.approximately(with48(0).exponential(10), 10 * Math.log(2 ** 48 - 1), 1e-9)
    assert.strictEqual(Math.abs(with48(2 ** 48 - 2).exponential(10)), 0)
    assert.approximately(with48(2 ** 47).exponential(5), 5 * Math.log(2), 1e-9)
    assert.deepStrictEqual(new Set(asked), new Set([2 ** 48 - 1]))
  })
})
