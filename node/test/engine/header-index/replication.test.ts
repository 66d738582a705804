import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { recordAt } from "../../../src/engine/header-index/header-records.ts"
import { addHeader, headerIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { headerIndexReplication } from "../../../src/engine/state/header-index-replication.ts"
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
    setStatus(tree, one, HeaderStatus.LINKED)
    assert.deepStrictEqual(updates(), [[3, [], [1]]], "a status alone")
    assert.deepStrictEqual(updates(), [])
  })

  it("is the tip and the best header where those alone have changed", () => {
    const tree = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH)
    const news: Array<EngineNotification> = []
    const { flush, slice } = headerIndexReplication(tree, (each) => void news.push(each))
    const [header] = minedChain(1)
    const one = addHeader(tree, tree.tip, header!.bytes, hashOf(header!))
    assert.deepInclude(slice(0).update, { tip: 0, bestHeader: 1 })
    const update = () => {
      flush()
      return news.splice(0).map((each) => "update" in each && each.update)
    }
    const empty = { from: 2, records: new Uint8Array(), statuses: new Uint8Array(), touched: new Uint32Array() }
    const nothing = { ...empty, touchedStatuses: new Uint8Array() }
    setTip(tree, one)
    assert.deepStrictEqual(update(), [{ ...nothing, tip: 1, bestHeader: 1 }])
    tree.bestHeader = tree.nodes[0]!
    assert.deepStrictEqual(update(), [{ ...nothing, tip: 1, bestHeader: 0 }])
    assert.deepStrictEqual(update(), [])
  })

  it("comes in pieces of 8,192 headers, and the replica is not kept up to date before it has the last", () => {
    const tree = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH)
    const grown = (from: number, count: number) => {
      for (let i = 0; i < count; i++) {
        const header = new Uint8Array(80)
        const view = new DataView(header.buffer)
        view.setUint32(0, from + i)
        header.set(tree.nodes.at(-1)!.hash, 4)
        view.setUint32(72, 0x207fffff, true)
        addHeader(tree, tree.nodes.at(-1)!, header, new Uint8Array(createHash("sha256").update(header).digest()))
      }
    }
    grown(1, 8_192)
    const news: Array<EngineNotification> = []
    const { flush, isFollowed, slice } = headerIndexReplication(tree, (each) => void news.push(each))
    assert.isFalse(isFollowed())
    const first = slice(0)
    assert.deepStrictEqual(
      [first.update.from, first.update.statuses.length, first.update.records.length, first.headers, first.isLast],
      [0, 8_192, 8_192 * 112, 8_193, false]
    )
    flush()
    assert.deepStrictEqual([isFollowed(), news], [false, []])
    // Of headers that it has the status is sent when it changes meanwhile, of others with them.
    setStatus(tree, tree.nodes[5]!, HeaderStatus.STORED)
    setStatus(tree, tree.nodes[8_192]!, HeaderStatus.STORED)
    const second = slice(8_192)
    assert.deepStrictEqual([second.update.from, second.isLast, isFollowed()], [8_192, true, true])
    assert.deepStrictEqual([[...second.update.touched], [...second.update.touchedStatuses]], [[5], [
      tree.columns.status[5]
    ]])
    assert.deepStrictEqual([...second.update.records], [...recordAt(tree.records, 8_192)])
    // From the beginning it is begun anew.
    assert.isFalse(slice(0).isLast)
    assert.isFalse(isFollowed())
  })
})
