import { assert, describe, it } from "@effect/vitest"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { updateInitialBlockDownload } from "../../../src/engine/chainstate/initial-block-download.ts"

const NOW = 1_700_000_000
const DAY = 86_400

interface Given {
  /** Seconds since the tip. */
  readonly age?: number
  readonly chainWork?: bigint
  readonly maxTipAge?: number | undefined
  readonly initialBlockDownload?: boolean
}

/** Whether the initial download goes on, and what the log says. */
const after = ({ age = 0, chainWork = 100n, initialBlockDownload = true, maxTipAge }: Given) => {
  const lines: Array<EngineNotification> = []
  const engine = {
    clock: { now: () => NOW },
    network: { minimumChainWork: 100n },
    options: maxTipAge === undefined ? {} : { maxTipAge },
    tree: { tip: { chainWork, height: 7, header: { time: NOW - age } } },
    initialBlockDownload,
    notify: (line: EngineNotification) => void lines.push(line)
  }
  updateInitialBlockDownload(engine as unknown as ChainEngine)
  return { goesOn: engine.initialBlockDownload, lines }
}

describe("the initial block download", () => {
  it("is over with a tip of a day ago, or of as long ago as is set, and not before", () => {
    for (const maxTipAge of [undefined, 600]) {
      const most = maxTipAge ?? DAY
      const ages = [-5, 0, most, most + 1]
      assert.deepStrictEqual(ages.map((age) => after({ age, maxTipAge }).goesOn), [false, false, false, true])
    }
  })

  it("goes on while the chain has less work than that of the network must have", () => {
    assert.isTrue(after({ chainWork: 99n }).goesOn)
    assert.isFalse(after({ chainWork: 100n }).goesOn)
  })

  it("has a line in the log when it is over, once", () => {
    const fields = { height: 7 }
    const message = "Initial block download is over"
    assert.deepStrictEqual(after({}).lines, [{ _tag: "Log", level: "info", category: "chain", message, fields }])
    assert.deepStrictEqual(after({ initialBlockDownload: false }), { goesOn: false, lines: [] })
    // It never begins again.
    assert.deepStrictEqual(after({ initialBlockDownload: false, age: 2 * DAY }), { goesOn: false, lines: [] })
    assert.deepStrictEqual(after({ age: 2 * DAY }).lines, [])
  })
})
