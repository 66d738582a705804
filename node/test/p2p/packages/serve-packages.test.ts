import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { type PackageServing, serveAncestors, servePackage } from "../../../src/p2p/relay/packages/serve-packages.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { stillChain } from "../peer/still-chain.ts"
import { pooled, unconfirmedTransaction } from "../relay/pool-transaction.ts"
import { hex } from "../relay/relay-node.ts"
import { scriptedPeer } from "../sync/chain-model.ts"

const { ANCESTOR_PACKAGE, PACKAGE_TRANSACTIONS, WTX } = InventoryType

/** Transactions, each of which spends the one before it; `witness`: bytes of each one's witness. */
const chainOf = (length: number, witness = 1): ReadonlyArray<Uint8Array> => {
  const made: Array<Uint8Array> = []
  for (let salt = 1; salt <= length; salt++) {
    const last = made.at(-1)
    made.push(unconfirmedTransaction(salt, last && pooled(last).txid, witness))
  }
  return made
}

/** What a peer that relays packages is served, of a mempool with these; `hidden`: it may not know of those. */
const served = (transactions: ReadonlyArray<Uint8Array>, hidden: ReadonlyArray<Uint8Array> = []) => {
  const chain = stillChain()
  const known = new Map(transactions.map((bytes) => [hex(pooled(bytes).wtxid), bytes]))
  for (const bytes of transactions) chain.pool(pooled(bytes))
  const secret = new Set(hidden.map((bytes) => hex(pooled(bytes).wtxid)))
  const peer = scriptedPeer(1, "inbound")
  Object.assign(peer.hello!, { packages: 3n })
  const isAnnouncedTo = (_: unknown, { hash }: InventoryEntry): boolean => !secret.has(hex(hash))
  const serving: PackageServing = {
    context: { chain, crypto: testCrypto },
    isAnnouncedTo,
    transactionFor: (_, entry) => {
      const bytes = isAnnouncedTo(_, entry) ? known.get(hex(entry.hash)) : undefined
      return Effect.succeed(bytes && scanTransaction(bytes, testCrypto))
    }
  }
  const missing: Array<InventoryEntry> = []
  const ask = (bytes: Uint8Array, type: number = ANCESTOR_PACKAGE) =>
    serveAncestors(serving, peer, { type, hash: pooled(bytes).wtxid }, missing)
  const askAll = (all: ReadonlyArray<Uint8Array>) =>
    servePackage(serving, peer, { command: "getpkgtxns", wtxids: all.map((bytes) => pooled(bytes).wtxid) })
  const last = (): Message | undefined => peer.sent.at(-1)
  return { ask, askAll, last, missing, peer }
}

const idsOf = (transactions: ReadonlyArray<Uint8Array>): ReadonlyArray<string> =>
  transactions.map((bytes) => hex(pooled(bytes).wtxid))

describe("the ancestors of a transaction", () => {
  it.effect("are named to a peer up to twenty-four, parents first and the transaction last", () =>
    Effect.gen(function*() {
      const all = chainOf(26)
      const { ask, last, missing, peer } = served(all)
      for (const count of [1, 2, 25]) {
        yield* ask(all[count - 1]!)
        const { command, wtxids } = last() as Extract<Message, { readonly command: "ancpkginfo" }>
        assert.deepStrictEqual([command, wtxids.map(hex)], ["ancpkginfo", idsOf(all.slice(0, count))])
      }
      assert.deepStrictEqual(missing, [])
      yield* ask(all[25]!)
      assert.lengthOf(peer.sent, 3)
      assert.deepStrictEqual(missing.map(({ hash, type }) => [type, hex(hash)]), [[ANCESTOR_PACKAGE, idsOf(all)[25]!]])
    }))

  it.effect("are not here where the transaction is not, or the peer may not know of it or of one of them", () =>
    Effect.gen(function*() {
      const [first, second, third, other] = chainOf(4) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
      for (const [hidden, asked] of [[[], other], [[third], third], [[first], third], [[second], third]] as const) {
        const { ask, missing, peer } = served([first, second, third], hidden)
        yield* ask(asked)
        assert.deepStrictEqual([missing.length, peer.sent.length], [1, 0])
      }
    }))

  it.effect("are asked for by their own type alone", () =>
    Effect.gen(function*() {
      const [first] = chainOf(1)
      for (const type of [PACKAGE_TRANSACTIONS, WTX]) {
        const { ask, missing, peer } = served([first!])
        yield* ask(first!, type)
        assert.deepStrictEqual(peer.gone?.reason, "getdata for what only notfound may name")
        assert.deepStrictEqual([missing, peer.sent], [[], []])
      }
    }))
})

describe("the transactions of a package", () => {
  it.effect("come together, in the order in which they are asked for, or not at all", () =>
    Effect.gen(function*() {
      const [first, second, third] = chainOf(3) as [Uint8Array, Uint8Array, Uint8Array]
      const { askAll, last } = served([first, second], [second])
      yield* askAll([first])
      assert.strictEqual(last()?.command, "pkgtxns")
      for (const lacking of [[first, second], [first, third], [third]]) {
        yield* askAll(lacking)
        const { command, inventory } = last() as Extract<Message, { readonly command: "notfound" }>
        assert.deepStrictEqual([command, inventory.map(({ type }) => type)], ["notfound", [PACKAGE_TRANSACTIONS]])
      }
      const both = served([first, second])
      yield* both.askAll([second, first])
      const { transactions } = both.last() as Extract<Message, { readonly command: "pkgtxns" }>
      assert.deepStrictEqual(transactions.map(({ bytes }) => hex(bytes)), [second, first].map(hex))
    }))

  it.effect("weigh 404,000 at most together", () =>
    Effect.gen(function*() {
      const MOST = 404_000
      const weightOf = (bytes: Uint8Array): number => scanTransaction(bytes, testCrypto)!.weight
      const small = unconfirmedTransaction(1)
      const large = unconfirmedTransaction(2, undefined, 300_000)
      const rest = MOST - weightOf(small) - weightOf(large)
      // A witness of so many bytes has a length of five bytes instead of one.
      const fills = (weight: number): Uint8Array => {
        const guess = unconfirmedTransaction(3, undefined, 100_000)
        return unconfirmedTransaction(3, undefined, 100_000 + weight - weightOf(guess))
      }
      for (const [weight, command] of [[rest, "pkgtxns"], [rest + 1, "notfound"]] as const) {
        const all = [small, large, fills(weight)]
        assert.strictEqual(all.reduce((sum, each) => sum + weightOf(each), 0), MOST - rest + weight)
        const { askAll, last } = served(all)
        yield* askAll(all)
        assert.strictEqual(last()?.command, command)
      }
    }))

  it.effect("are not for a peer that did not say that it takes them", () =>
    Effect.gen(function*() {
      const all = chainOf(1)
      const { askAll, peer } = served(all)
      Object.assign(peer.hello!, { packages: 2n })
      yield* askAll(all)
      assert.deepStrictEqual(peer.sent, [])
    }))
})
