import { assert, describe, it } from "@effect/vitest"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { type AddressTable, slotOf, triedSlotOf } from "../../../src/p2p/addresses/table/address-table.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import { tableFault } from "../../../src/p2p/addresses/table/table-fault.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = unixSeconds(1_700_193_573)
const TRIED = endpoint("11.1.1.1:8333")
const FRESH = endpoint("13.1.1.1:8333")

/** What is wrong with a table of a tried and a new address after `change`. */
const faultAfter = (change: (table: AddressTable, tried: KnownNode, fresh: KnownNode) => void): string | undefined => {
  const book = addressBook({ now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(7) })
  const { table } = book
  book.add([TRIED, FRESH].map((place) => ({ ...place, services: 9n, time: NOW })), endpoint("12.1.1.1:1").address)
  book.good(TRIED)
  const [tried, fresh] = [true, false].map((isTried) => table.list.find((node) => node.isTried === isTried)!)
  change(table, tried!, fresh!)
  return tableFault(table)?.replace(tried!.key, "tried").replace(fresh!.key, "fresh")
}

describe("a table of addresses", () => {
  it("holds together as it was built", () => {
    assert.isUndefined(faultAfter(() => undefined))
  })

  it("has as many addresses as its counts say, new and tried", () => {
    const counts = "its counts are not those of its addresses"
    assert.strictEqual(faultAfter((table) => void table.freshCount++), counts)
    assert.strictEqual(faultAfter((table) => void table.triedCount--), counts)
    const tooMuch = faultAfter((table) => {
      table.freshCount++
      table.triedCount--
    })
    assert.strictEqual(tooMuch, "a tried slot is too much")
  })

  it("has each address where its list and its index have it", () => {
    const wrong = "tried: it is not where the list of all has it"
    assert.strictEqual(faultAfter((_, tried) => void (tried.position = 1 - tried.position)), wrong)
    assert.strictEqual(faultAfter((table, tried) => void table.all.delete(tried.key)), wrong)
    assert.strictEqual(faultAfter((table, tried, fresh) => void table.all.set(tried.key, fresh)), wrong)
  })

  it("has a tried address in its slot, and in no new bucket", () => {
    assert.strictEqual(
      faultAfter((_, tried) => void tried.newBuckets.add(3)),
      "tried: it is in new buckets as well"
    )
    const moved = faultAfter((table, tried) => {
      const slot = triedSlotOf(table, tried)
      table.tried[slot] = undefined
      table.tried[slot === 0 ? 1 : slot - 1] = tried
    })
    assert.strictEqual(moved, "tried: it is not in its tried slot")
  })

  it("has a new address in one to eight buckets, each with it in its slot", () => {
    assert.strictEqual(faultAfter((_, __, fresh) => fresh.newBuckets.clear()), "fresh: it is in 0 new buckets")
    const inBuckets = (count: number) => (table: AddressTable, _: KnownNode, fresh: KnownNode): void => {
      for (let bucket = 0; fresh.newBuckets.size < count; bucket++) {
        table.fresh[slotOf(table, fresh, false, bucket)] = fresh
        fresh.newBuckets.add(bucket)
      }
    }
    assert.isUndefined(faultAfter(inBuckets(8)))
    assert.strictEqual(faultAfter(inBuckets(9)), "fresh: it is in 9 new buckets")
    const emptied = faultAfter((table, _, fresh) => {
      const [bucket] = fresh.newBuckets
      table.fresh[slotOf(table, fresh, false, bucket!)] = undefined
    })
    assert.match(emptied!, /^fresh: it is not in its slot of new bucket \d+$/)
  })
})
