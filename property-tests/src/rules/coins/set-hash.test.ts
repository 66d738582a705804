import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { coinBytes } from "@lockstep/kernel/internal/utxo-hash/coin-serialization.ts"
import {
  EMPTY_MUHASH,
  type MuHash,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "@lockstep/kernel/internal/utxo-hash/muhash.ts"
import { compareForHash, serializedSetHash } from "@lockstep/kernel/internal/utxo-hash/serialized-hash.ts"
import { setStatistics } from "@lockstep/kernel/internal/utxo-hash/statistics.ts"
import fc, { type Arbitrary } from "fast-check"
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyCoin, fewOutPoints, someCoins } from "../../arbitraries/coins.ts"
import { check } from "../../check.ts"
import { sameBytes } from "../../oracles/byte-string.ts"
import { outPointKey, sameCoin } from "../../oracles/coins.ts"
import * as oracle from "../../oracles/set-hash.ts"
import { placedCoin } from "../../subject/chain.ts"

/** A string that is added or removed. */
interface Change {
  readonly adds: boolean
  readonly bytes: Uint8Array
}

const changes: Arbitrary<ReadonlyArray<Change>> = fc.array(
  fc.record({
    adds: fc.boolean(),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(3).map((byte) => Uint8Array.of(byte))
    )
  }),
  { maxLength: 8 }
)

const after = (all: ReadonlyArray<Change>, start: MuHash = EMPTY_MUHASH): MuHash =>
  all.reduce(
    (hash, { adds, bytes }) => (adds ? muHashInsert : muHashRemove)(hash, muHashElement(bytes, nobleCrypto)),
    start
  )

const digest = (hash: MuHash): Uint8Array => muHashDigest(hash, nobleCrypto)

const stringsOf = (all: ReadonlyArray<Change>, adds: boolean): ReadonlyArray<Uint8Array> =>
  all.filter((change) => change.adds === adds).map(({ bytes }) => bytes)

describe("UTX hashes of the set of coins", () => {
  it("UTX-012/P1 the value equals the statement", () => {
    check(
      fc.property(
        fewOutPoints,
        anyCoin(),
        (outpoint, coin) =>
          agree(coinBytes(outpoint, coin), oracle.coinBytes(outPointKey(outpoint.txid, outpoint.vout), coin))
      )
    )
  })

  it("UTX-012/P2 different coins or places have different bytes", () => {
    check(
      fc.property(fewOutPoints, fewOutPoints, anyCoin(3), anyCoin(3), (here, there, a, b) => {
        const samePlace = outPointKey(here.txid, here.vout) === outPointKey(there.txid, there.vout)
        agree(sameBytes(coinBytes(here, a), coinBytes(there, b)), samePlace && sameCoin(a, b))
        agree(sameBytes(coinBytes(here, a), coinBytes(here, { ...a, isCoinbase: !a.isCoinbase })), false)
      })
    )
  })

  it("UTX-013/P1 the value equals the statement", () => {
    check(
      fc.property(
        changes,
        (all) => agree(digest(after(all)), oracle.muHash(stringsOf(all, true), stringsOf(all, false)))
      ),
      25
    )
    check(
      fc.property(someCoins(), (coins) => {
        const added = [...coins].map(([key, coin]) => ({ adds: true, bytes: oracle.coinBytes(key, coin) }))
        agree(digest(after(added)), oracle.coinsMuHash(coins))
      }),
      40
    )
  })

  it("UTX-013/P2 order and grouping have no influence", () => {
    const shuffled = changes.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))
    )
    check(
      fc.property(shuffled, ([all, others]) => agree(digest(after(others)), digest(after(all)))),
      30
    )
  })

  it("UTX-013/P3 adding and removing the same string changes nothing", () => {
    check(
      fc.property(changes, fc.uint8Array({ maxLength: 40 }), fc.boolean(), (all, bytes, adds) => {
        const both = [
          { adds, bytes },
          { adds: !adds, bytes }
        ]
        agree(digest(after(both, after(all))), digest(after(all)))
      }),
      30
    )
  })

  it("UTX-014/P1 the value equals the statement", () => {
    check(
      fc.property(someCoins(), (coins) => {
        const placed = [...coins].map(placedCoin).toSorted((a, b) => compareForHash(a.outpoint, b.outpoint))
        const hash = createHash("sha256")
        const stream = {
          update: (bytes: Uint8Array) => hash.update(bytes),
          digest: () => Uint8Array.from(hash.digest())
        }
        agree(serializedSetHash(placed, stream, nobleCrypto), oracle.serializedHash(coins))
      })
    )
  })

  it("UTX-015/P1 the value equals the statement", () => {
    check(
      fc.property(someCoins(), (coins) => {
        const together = oracle.sortedCoins(coins).map(placedCoin)
        agree(setStatistics(together), oracle.setStatistics(coins))
        assert(setStatistics([]).total === 0n)
      })
    )
  })
})
