import { assert, describe, it } from "@effect/vitest"
import type { ChainEngine } from "../../../../src/engine/state/chain-engine.ts"
import { chainIsCurrent } from "../../../../src/engine/mempool/acceptance/single.ts"

const NOW = 1_700_000_000

interface Changes {
  readonly initialBlockDownload?: boolean
  readonly tipAge?: number
  readonly behind?: number
}

const isCurrent = ({ behind = 0, initialBlockDownload = false, tipAge = 0 }: Changes) =>
  chainIsCurrent({
    clock: { now: () => NOW },
    initialBlockDownload,
    tree: { tip: { height: 100, header: { time: NOW - tipAge } }, bestHeader: { height: 100 + behind } }
  } as unknown as ChainEngine)

describe("whether the chain is current", () => {
  it("holds up to a tip of three hours ago that is one block behind the best header", () => {
    assert.isTrue(isCurrent({ tipAge: 10_800, behind: 1 }))
    assert.isFalse(isCurrent({ tipAge: 10_801 }))
    assert.isFalse(isCurrent({ behind: 2 }))
    assert.isFalse(isCurrent({ initialBlockDownload: true }))
  })
})
