import { assert, describe, it } from "vitest"
import type { ChainEngine } from "../../../src/engine/chain-engine.ts"
import { addHeader, headerIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { needsReplay } from "../../../src/engine/validation/replay.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { GENESIS_HASH, hashOf, minedChain } from "../../p2p/sync/chain-model.ts"

const CHAIN = minedChain(1_001)

/** Whether a node that starts with so many stored blocks above its tip connects them between calls. */
const isNeeded = (ahead: number, rebuildCoins?: boolean): boolean => {
  const tree = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH)
  let last = tree.tip
  for (const header of CHAIN.slice(0, ahead)) {
    last = addHeader(tree, last, header.bytes, hashOf(header))
    setStatus(tree, last, HeaderStatus.STORED | HeaderStatus.LINKED)
  }
  tree.candidates.add(last)
  return needsReplay({ options: { rebuildCoins }, tree } as unknown as ChainEngine)
}

describe("stored blocks at the start", () => {
  it("are connected before calls where they are a thousand at most", () => {
    assert.deepStrictEqual([0, 1_000, 1_001].map((ahead) => isNeeded(ahead)), [false, false, true])
    assert.deepStrictEqual([1_000, 1_001].map((ahead) => isNeeded(ahead, false)), [false, true])
  })

  it("are connected between calls where the coins are made anew, unless there is none", () => {
    assert.deepStrictEqual([0, 1].map((ahead) => isNeeded(ahead, true)), [false, true])
  })
})
