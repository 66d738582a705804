import { assert, describe, it } from "vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { addHeader, headerIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { headerIndexReplication } from "../../../src/engine/replication/header-index-replication.ts"
import { GENESIS_HASH, hashOf, minedChain } from "../../p2p/sync/chain-model.ts"

describe("what a replica of the header index gets", () => {
  it("is each header once with its status, and the statuses that changed of headers it has", () => {
    const tree = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH)
    const news: Array<EngineNotification> = []
    const { flush, slice } = headerIndexReplication(tree, (each) => void news.push(each))
    slice(0)
    const updates = () => {
      flush()
      return news.splice(0).flatMap((each) =>
        "update" in each ? [[each.update.from, [...each.update.statuses], [...each.update.touched]]] : []
      )
    }
    assert.deepStrictEqual(updates(), [])
    const [first, second] = minedChain(2)
    const one = addHeader(tree, tree.tip, first!.bytes, hashOf(first!))
    setStatus(tree, one, HeaderStatus.STORED)
    assert.deepStrictEqual(updates(), [[1, [tree.columns.status[1]], []]])
    addHeader(tree, one, second!.bytes, hashOf(second!))
    setStatus(tree, one, HeaderStatus.CONNECTED)
    assert.deepStrictEqual(updates(), [[2, [tree.columns.status[2]], [1]]])
    assert.deepStrictEqual(updates(), [])
  })
})
