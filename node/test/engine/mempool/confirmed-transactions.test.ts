import { assert, describe, it } from "@effect/vitest"
import type { Block } from "@lockstep/kernel/model"
import { witnessTransactionId } from "@lockstep/kernel/model"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { notifyConfirmed } from "../../../src/engine/mempool/confirmed-transactions.ts"
import { testCrypto } from "../test-engine.ts"
import { coin, idsOf, spend } from "../txmempool/mempools.ts"

const TRANSACTIONS = [spend([coin(1)]), spend([coin(2), { ...coin(3), vout: 0x01020304 }]), spend([coin(4)])]
const BLOCK = { transactions: TRANSACTIONS } as unknown as Block

const sentBy = (
  { downloads = false, followed = true }: { readonly downloads?: boolean; readonly followed?: boolean }
) => {
  const sent: Array<EngineNotification> = []
  const engine = {
    crypto: testCrypto,
    feed: { isFollowed: () => followed },
    initialBlockDownload: downloads,
    notify: (news: EngineNotification) => void sent.push(news)
  }
  notifyConfirmed(engine as unknown as ChainEngine, BLOCK, idsOf(TRANSACTIONS))
  return sent
}

describe("what is said of the transactions of a new tip", () => {
  it("are their ids and what they spend, those of the coinbase apart", () => {
    const others = TRANSACTIONS.slice(1)
    const spent = Buffer.concat([
      coin(2).txid,
      Uint8Array.of(0, 0, 0, 0),
      coin(3).txid,
      Uint8Array.of(4, 3, 2, 1),
      coin(4).txid,
      Uint8Array.of(0, 0, 0, 0)
    ])
    assert.deepStrictEqual(sentBy({}), [{
      _tag: "Confirmed",
      transactions: {
        txids: idsOf(others),
        wtxids: new Uint8Array(Buffer.concat(others.map((tx) => witnessTransactionId(tx, testCrypto)))),
        spent: new Uint8Array(spent)
      }
    }])
  })

  it("is nothing without a subscriber, or in the initial download", () => {
    assert.deepStrictEqual([sentBy({ followed: false }), sentBy({ downloads: true })], [[], []])
  })
})
