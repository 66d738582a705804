import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import { chooseNetwork, isPrivatelyReachable } from "../../../src/p2p/private-broadcast/choose-network.ts"
import { answerGetData, answerVersion, offer, PONG } from "../../../src/p2p/private-broadcast/conversation.ts"
import { privateVersion } from "../../../src/p2p/private-broadcast/private-version.ts"
import type { PrivateTransaction } from "../../../src/p2p/private-broadcast/private-queue.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"

const TX = 1
const WITNESS_TX = 0x40000001
const WTX = 5

const picked: PrivateTransaction = {
  transaction: { bytes: Uint8Array.of(1, 2, 3) } as Transaction,
  txid: new Uint8Array(32).fill(1),
  wtxid: new Uint8Array(32).fill(2)
}

const tags = (actions: ReadonlyArray<{ readonly _tag: string }>) => actions.map(({ _tag }) => _tag)

describe("a private connection", () => {
  it("begins with a version that is the same of every node but for its nonce", () => {
    const nowhere = "00".repeat(26)
    const expected = `80110100${"00".repeat(16)}${nowhere}${nowhere}0807060504030201` +
      `0e${Buffer.from("/pynode:0.0.1/").toString("hex")}0000000000`
    const bytes = Buffer.from(encodeMessage(privateVersion(0x0102030405060708n))).toString("hex")
    assert.strictEqual(bytes, expected)
  })

  it("goes on with a peer that takes transactions, and ends with one that does not", () => {
    assert.deepStrictEqual(answerVersion({ relay: true }), [{ _tag: "Send", message: { command: "verack" } }])
    assert.deepStrictEqual(answerVersion({ relay: false }), [
      { _tag: "End", why: { _tag: "PrivateNoRelay" } }
    ])
  })

  it("offers one transaction by its txid, or ends where there is none left", () => {
    const inventory = [{ type: TX, hash: picked.txid }]
    assert.deepStrictEqual(offer(picked), [{ _tag: "Send", message: { command: "inv", inventory } }])
    assert.deepStrictEqual(tags(offer(undefined)), ["End"])
  })

  it("sends the transaction and a ping for a request of that alone, and ends with any other", () => {
    const entry = { type: TX, hash: picked.txid }
    assert.deepStrictEqual(answerGetData(picked, [entry]), [
      { _tag: "Send", message: { command: "tx", transaction: picked.transaction } },
      { _tag: "Ping" }
    ])
    const others = [
      [],
      [entry, entry],
      [{ type: WITNESS_TX, hash: picked.txid }],
      [{ type: WTX, hash: picked.wtxid }],
      [{ type: TX, hash: picked.wtxid }]
    ]
    for (const inventory of others) {
      assert.deepStrictEqual(answerGetData(picked, inventory), [
        { _tag: "End", why: { _tag: "PrivateRequestOther" } }
      ])
    }
    assert.deepStrictEqual(answerGetData(undefined, [entry]), [
      { _tag: "End", why: { _tag: "PrivateRequestEarly" } }
    ])
  })

  it("ends with the pong, which confirms the transaction", () => assert.deepStrictEqual(tags(PONG), ["Confirm", "End"]))
})

describe("the network of the next private connection", () => {
  const last = { below: (bound: number) => bound - 1 }
  const first = { below: () => 0 }

  it("is one of Tor, of I2P, and of the internet once the proxy has proved to be one of Tor", () => {
    const all = new Set(["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const)
    const chosen = (isProven: boolean) =>
      [0, 1, 2, 3, 4, 5].map((at) => chooseNetwork(all, isProven, { below: (bound) => Math.min(at, bound - 1) }))
    assert.deepStrictEqual([...new Set(chosen(false))], ["onion", "i2p"])
    assert.deepStrictEqual([...new Set(chosen(true))], ["onion", "ipv4", "ipv6", "i2p"])
  })

  it("is none where neither Tor nor I2P is reachable, and never the internet without Tor", () => {
    assert.isUndefined(chooseNetwork(new Set(["ipv4", "ipv6", "cjdns"]), true, first))
    assert.strictEqual(chooseNetwork(new Set(["ipv4", "i2p"]), true, last), "i2p")
    assert.deepStrictEqual(
      [new Set(["ipv4", "cjdns"] as const), new Set(["onion"] as const), new Set(["i2p"] as const)].map((each) =>
        isPrivatelyReachable(each)
      ),
      [false, true, true]
    )
  })
})
