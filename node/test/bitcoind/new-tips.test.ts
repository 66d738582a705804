import { assert, describe, it } from "@effect/vitest"
import { newTips } from "../../src/bitcoind/run/new-tips.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"

const hashOf = (number: number): Uint8Array => new Uint8Array(32).fill(number)

const shown = (number: number): string => number.toString(16).padStart(2, "0").repeat(32)

const RECENT = 1_000

/** Follows tips, each with its own number as its work unless another is given. */
const follow = (isDownloading = false) => {
  const tipsOf = newTips((time) => time >= RECENT)
  const tip = (number: number, { time = RECENT, work = number } = {}): ReadonlyArray<string> =>
    tipsOf({ _tag: "Tip", tip: { hash: hashOf(number), chainWork: BigInt(work), time } } as EngineNotification)
  const state = (number: number, { initialBlockDownload = false, work = number } = {}): ReadonlyArray<string> =>
    tipsOf({
      _tag: "State",
      state: { hash: hashOf(number), chainWork: BigInt(work), initialBlockDownload }
    } as EngineNotification)
  assert.deepStrictEqual(state(1, { initialBlockDownload: isDownloading }), [])
  return { state, tip }
}

describe("new tips", () => {
  it("are all blocks of a commit, whether its state comes before or after them, and not the tip of the last run", () => {
    const { state, tip } = follow()
    assert.deepStrictEqual([tip(2), tip(3), state(3), state(3)], [[shown(2)], [shown(3)], [], []])
    assert.deepStrictEqual([state(5), tip(4), tip(5), state(5)], [[], [shown(4)], [shown(5)], []])
  })

  it("are no blocks of the initial download, but the one that ends it", () => {
    const { state, tip } = follow(true)
    assert.deepStrictEqual([tip(2, { time: RECENT - 1 }), state(2, { initialBlockDownload: true })], [[], []])
    for (const number of [3, 4, 5]) tip(number, { time: number === 4 ? RECENT : RECENT - 1 })
    assert.deepStrictEqual(state(5), [shown(4), shown(5)])
    const other = follow(true)
    assert.deepStrictEqual([other.state(2), other.tip(2), other.state(2)], [[], [shown(2)], []])
    const atOnce = follow(true)
    for (const number of [2, 3]) atOnce.tip(number)
    assert.deepStrictEqual(atOnce.state(3), [shown(2), shown(3)])
    const late = follow(true)
    for (const number of [2, 3]) late.tip(number, { time: RECENT - 1 })
    assert.deepStrictEqual(late.state(3), [])
  })

  it("are those of a reorganization from where it is better, and where a block is invalidated the one before it", () => {
    const { state, tip } = follow()
    assert.deepStrictEqual(tip(5), [shown(5)])
    const reorganized = [[14, 4], [15, 5], [16, 6], [17, 7]].flatMap(([number, work]) => tip(number!, { work: work! }))
    assert.deepStrictEqual([...reorganized, ...state(17, { work: 7 })], [shown(16), shown(17)])
    assert.deepStrictEqual(state(16, { work: 6 }), [shown(16)])
    assert.deepStrictEqual([state(18, { work: 6 }), tip(18, { work: 6 })], [[shown(18)], []])
  })
})
