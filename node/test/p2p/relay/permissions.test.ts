import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { parseGrant, permitting } from "../../../src/net/peer-permissions.ts"
import { displayHash } from "../../../src/hex.ts"
import { settle } from "../peer/scripted-peer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unconfirmedTransaction } from "./pool-transaction.ts"
import { hashesOf, hex, makeNode, peerOf } from "./relay-node.ts"

const MINUTE = 60_000

describe("what an operator lets inbound peers do", () => {
  it("is written as permissions and a subnet, and adds up", () => {
    const permits = permitting(
      ["relay@10.0.0.0/8", "mempool@10.1.0.0/16", "forcerelay@192.0.2.1"].map((text) => parseGrant(text)!)
    )
    const of = (place: string) => [...permits({ address: endpoint(place).address, inbound: true })].toSorted()
    assert.deepStrictEqual(of("10.2.0.1:1"), ["relay"])
    assert.deepStrictEqual(of("10.1.0.1:1"), ["mempool", "relay"])
    assert.deepStrictEqual(of("192.0.2.1:1"), ["forcerelay", "relay"])
    assert.deepStrictEqual(of("192.0.2.2:1"), [])
    for (const text of ["relay", "@10.0.0.1", "noban@10.0.0.1", "relay@nowhere", "relay@10.0.0.1@10.0.0.1"]) {
      assert.isUndefined(parseGrant(text), text)
    }
  })

  it.effect("relay: a peer sends transactions although the node wants none of others", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({ wantsTransactions: false, permissions: new Set(["relay"]) })
      const [peer, outbound] = [yield* peerOf(node), yield* peerOf(node, { kind: "outbound-full-relay" })]
      const asked: Array<string> = []
      node.chain.judge((bytes) => {
        asked.push(hex(bytes))
        return { _tag: "Accepted" }
      })
      for (const from of [peer, outbound]) from.sayPayload("tx", unconfirmedTransaction(1))
      yield* settle
      assert.deepStrictEqual(asked, [hex(unconfirmedTransaction(1))])
      assert.deepStrictEqual([peer.is.closed, outbound.is.closed], [false, true])
      node.pass(30 * MINUTE)
      assert.notInclude(peer.commands(), "feefilter")
    }))

  it.effect("forcerelay: what is known is announced again, and no fee filter is sent", () =>
    Effect.gen(function*() {
      for (const isForced of [true, false]) {
        const node = yield* makeNode({ permissions: new Set(isForced ? ["relay", "forcerelay"] as const : []) })
        const bytes = unconfirmedTransaction(1)
        const { txid, wtxid } = node.enter(bytes)
        const [from, other] = [yield* peerOf(node), yield* peerOf(node)]
        from.sayPayload("tx", bytes)
        yield* settle
        node.pass(MINUTE)
        assert.strictEqual(other.commands().includes("inv"), isForced)
        if (isForced) assert.deepStrictEqual(hashesOf(other, "inv"), [`${InventoryType.WTX}:${hex(wtxid)}`])
        assert.notInclude(from.commands(), "inv")
        const names = `${displayHash(txid)} (wtxid=${displayHash(wtxid)})`
        const said = node.happenings.flatMap((each) => each._tag === "TransactionForced" ? coreTexts(each) : [])
        assert.strictEqual(said.join().replace(/\d+$/, ""), isForced ? `Force relaying tx ${names} from peer=` : "")
        node.chain.judge(() => ({ _tag: "Refused", reason: "min relay fee not met", what: "reconsiderable" }))
        for (let times = 0; times < 2; times++) {
          from.sayPayload("tx", unconfirmedTransaction(2))
          yield* settle
        }
        const texts = node.happenings.flatMap((each) => each._tag === "TransactionForced" ? coreTexts(each) : []).slice(
          said.length
        )
        assert.lengthOf(texts, isForced ? 1 : 0)
        if (isForced) assert.match(texts[0]!, /^Not relaying non-mempool transaction .+ from forcerelay peer=\d+$/)
        node.pass(30 * MINUTE)
        assert.strictEqual(from.commands().includes("feefilter"), !isForced)
      }
    }))
})
