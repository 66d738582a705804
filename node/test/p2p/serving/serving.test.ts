import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { clearStatus, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { denyList } from "../../../src/p2p/serving/deny-list.ts"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import { settle } from "../peer/scripted-peer.ts"
import { hollowBlock, type StillChain } from "../peer/still-chain.ts"
import { unconfirmedTransaction, pooled } from "../relay/pool-transaction.ts"
import { servePolicy } from "../../../src/p2p/serving/deny-list.ts"
import { getblocks, getdata, getheaders, served } from "./served.ts"

const { BLOCK, COMPACT_BLOCK, FILTERED_BLOCK, TX, WITNESS_BLOCK, WTX } = InventoryType
const { NETWORK_LIMITED, WITNESS } = ServiceFlag

const ZERO: Uint8Array = new Uint8Array(32)

describe("headers", () => {
  it.effect("2,000 at a time, from the first block of the locator that is ours", () =>
    Effect.gen(function*() {
      const { at, peer, sent } = yield* served({ blocks: 2_100 })
      peer.say(getheaders([ZERO, at(50).hash, at(10).hash]))
      yield* settle
      const { headers } = peer.last("headers")
      assert.strictEqual(headers.length, 2_000)
      assert.deepStrictEqual(headers[0]!.bytes, at(51).header.bytes)
      peer.say(getheaders([at(2_050).hash], at(2_060).hash))
      yield* settle
      assert.strictEqual(peer.last("headers").headers.length, 10)
      assert.deepStrictEqual(sent, [2_050, 2_060])
    }))

  it.effect("none where the locator names the tip: the peer then knows all of ours", () =>
    Effect.gen(function*() {
      const { at, peer, sent } = yield* served()
      peer.say(getheaders([at(20).hash]))
      yield* settle
      assert.deepStrictEqual(peer.last("headers").headers, [])
      assert.deepStrictEqual(sent, [20])
    }))

  it.effect("a locator of a longer branch on our tip means our tip", () =>
    Effect.gen(function*() {
      const { at, chain, peer } = yield* served()
      const above = chain.extend(hollowBlock(chain.tree.tip, 1))
      chain.tree.tip = at(20)
      peer.say(getheaders([above.hash]))
      yield* settle
      assert.deepStrictEqual(peer.last("headers").headers, [])
    }))
})

describe("blocks by name", () => {
  it.effect("500, and the tip once the last of them has been served", () =>
    Effect.gen(function*() {
      const { at, chain, peer } = yield* served({ blocks: 600 })
      peer.say(getblocks([at(0).hash]))
      yield* settle
      const { inventory } = peer.last("inv")
      assert.strictEqual(inventory.length, 500)
      assert.deepStrictEqual(inventory[499]!.hash, at(500).hash.slice())
      peer.say(getdata([WITNESS_BLOCK, at(499).hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["inv", "block"])
      peer.say(getdata([WITNESS_BLOCK, at(500).hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block", "inv"])
      assert.deepStrictEqual(peer.last("inv").inventory, [{ type: BLOCK, hash: chain.tree.tip.hash.slice() }])
    }))

  it.effect("up to the one to stop at, without it, and no further than blocks are here", () =>
    Effect.gen(function*() {
      const { at, chain, peer } = yield* served()
      peer.say(getblocks([at(5).hash], at(8).hash))
      yield* settle
      assert.deepStrictEqual(peer.last("inv").inventory.map(({ hash }) => hash), [
        at(6).hash.slice(),
        at(7).hash.slice()
      ])
      clearStatus(chain.tree, at(10), HeaderStatus.STORED)
      peer.say(getblocks([at(8).hash]))
      yield* settle
      assert.strictEqual(peer.last("inv").inventory.length, 1)
    }))
})

describe("getdata", () => {
  it.effect("what is not here is ignored in silence, a missing transaction is answered by notfound", () =>
    Effect.gen(function*() {
      const { peer } = yield* served()
      peer.say(getdata([WITNESS_BLOCK, ZERO], [WTX, ZERO], [FILTERED_BLOCK, ZERO], [9, ZERO], [TX, ZERO]))
      yield* settle
      // What is missing is reported whenever a block has had its turn.
      assert.deepStrictEqual(peer.news(), ["notfound", "notfound"])
      assert.deepStrictEqual(peer.last("notfound").inventory, [{ type: TX, hash: ZERO }])
    }))

  it.effect("transactions only for peers that get any, with witnesses only for those that ask so", () =>
    Effect.gen(function*() {
      const transaction = pooled(unconfirmedTransaction(1))
      const { peer } = yield* served({ serving: { transactionFor: () => Effect.succeed(transaction.bytes) } })
      peer.say(getdata([WTX, transaction.wtxid], [TX, transaction.txid]))
      yield* settle
      const [whole, plain] = peer.received.filter(({ command }) => command === "tx")
      assert.deepStrictEqual(whole!.payload, transaction.bytes)
      assert.isBelow(plain!.payload.length, whole!.payload.length)
      const deaf = yield* served({
        serving: { transactionFor: () => Effect.succeed(transaction.bytes), relaysTo: () => false }
      })
      deaf.peer.say(getdata([WTX, transaction.wtxid]))
      yield* settle
      assert.deepStrictEqual(deaf.peer.news(), [])
    }))

  it.effect("one block at a time, and none while a megabyte is unsent", () =>
    Effect.gen(function*() {
      const { at, pass, peer } = yield* served()
      peer.is.perSend = PEER_LIMITS.unsent.most / 2 + 1
      peer.say(getdata([WITNESS_BLOCK, at(1).hash], [WITNESS_BLOCK, at(2).hash], [WITNESS_BLOCK, at(3).hash]))
      yield* settle
      pass(1_000)
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block", "block"])
      peer.drain()
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block"])
    }))

  it.effect("a peer that goes while it waits to be served holds nothing up", () =>
    Effect.gen(function*() {
      const { at, peer, peers } = yield* served()
      peer.is.perSend = PEER_LIMITS.unsent.most + 1
      peer.say(getdata([WITNESS_BLOCK, at(1).hash], [WITNESS_BLOCK, at(2).hash]))
      yield* settle
      peer.hangUp()
      yield* settle
      assert.deepStrictEqual([peer.news(), peers.size], [["block"], 0])
    }))

  it.effect("stale blocks are served for a month, and only such that were connected once", () =>
    Effect.gen(function*() {
      const { at, chain, peer } = yield* served({ blocks: 5_000 })
      const old = chain.extend(hollowBlock(at(10), 1), at(10))
      const young = chain.extend(hollowBlock(at(4_990), 2), at(4_990))
      const never = chain.extend(hollowBlock(at(4_990), 3), at(4_990))
      clearStatus(chain.tree, never, HeaderStatus.CONNECTED)
      peer.say(getdata([WITNESS_BLOCK, old.hash], [WITNESS_BLOCK, young.hash], [WITNESS_BLOCK, never.hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block"])
      peer.say(getheaders([], old.hash), getheaders([], young.hash))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["headers"])
    }))

  it.effect("a block that was announced before its scripts were verified is served once they are", () =>
    Effect.gen(function*() {
      let holds = false
      const verified = ({ tree }: StillChain): void => {
        if (!holds) return
        const newest = tree.nodes.at(-1)!
        setStatus(tree, newest, HeaderStatus.CONNECTED)
        setTip(tree, newest)
      }
      const { chain, peer } = yield* served({ verified })
      const before = chain.tree.tip
      const block = chain.extend(hollowBlock(before))
      clearStatus(chain.tree, block, HeaderStatus.CONNECTED)
      setTip(chain.tree, before)
      peer.say(getdata([WITNESS_BLOCK, block.hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), [])
      holds = true
      peer.say(getdata([WITNESS_BLOCK, block.hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block"])
    }))

  it.effect("a peer that requests a block below the last 290 of a limited node is disconnected", () =>
    Effect.gen(function*() {
      const limited = { blocks: 300, services: WITNESS | NETWORK_LIMITED }
      const { at, peer } = yield* served(limited)
      peer.say(getdata([WITNESS_BLOCK, at(10).hash]))
      yield* settle
      assert.deepStrictEqual([peer.news(), peer.is.closed], [["block"], false])
      peer.say(getdata([WITNESS_BLOCK, at(9).hash]))
      yield* settle
      assert.isTrue(peer.is.closed)
    }))

  it.effect("a block that cannot be read ends the connection: the peer would wait in vain", () =>
    Effect.gen(function*() {
      const { at, chain, peer } = yield* served()
      chain.blocks.delete(at(3))
      peer.say(getdata([WITNESS_BLOCK, at(3).hash]))
      yield* settle
      assert.isTrue(peer.is.closed)
    }))

  it.effect("a deep block is served whole where a compact one is asked for", () =>
    Effect.gen(function*() {
      const { at, peer } = yield* served()
      peer.say(getdata([COMPACT_BLOCK, at(14).hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["block"])
    }))
})

describe("what an operator or a module does not want served", () => {
  it.effect("is answered by notfound: listed blocks and transactions, and all blocks during maintenance", () =>
    Effect.gen(function*() {
      const transaction = pooled(unconfirmedTransaction(1))
      const { at, peer, serving: { policies } } = yield* served({
        serving: { transactionFor: () => Effect.succeed(transaction.bytes) }
      })
      const policy = servePolicy()
      policies.add(policy)
      policy.blocks.merge([at(3).hash])
      policy.transactions.merge([transaction.txid])
      peer.say(getdata([WITNESS_BLOCK, at(3).hash], [WITNESS_BLOCK, at(4).hash], [WTX, transaction.wtxid]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["notfound", "block", "notfound"])
      policy.isMaintenance = true
      peer.say(getdata([WITNESS_BLOCK, at(4).hash]), getheaders([at(18).hash]))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["notfound", "headers"])
    }))

  it.effect("CVE-2020-14198: the lists are bounded", () =>
    Effect.sync(() => {
      const hashes = Array.from({ length: 5 }, (_, i) => new Uint8Array(32).fill(i))
      const list = denyList(3)
      assert.strictEqual(list.merge(hashes), 2)
      assert.strictEqual(list.snapshot().length, 3)
      assert.strictEqual(list.merge(hashes.slice(0, 3)), 0)
      assert.strictEqual(list.replace(hashes.slice(3)), 0)
      assert.deepStrictEqual(hashes.map(list.has), [false, false, false, true, true])
      list.clear()
      assert.deepStrictEqual(list.snapshot(), [])
    }))
})
