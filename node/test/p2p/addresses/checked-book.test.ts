import { assert, describe, it } from "@effect/vitest"
import { linesOfTraceEvent } from "../../../src/bitcoind/log/lines-of-trace-events.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { checkedBook } from "../../../src/p2p/addresses/checked-book.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = unixSeconds(1_700_193_573)
const PLACE = endpoint("11.1.1.1:8333")
const SOURCE = endpoint("12.1.1.1:1").address

/** An addrman that checks itself at one look in `ratio`, and what it says. */
const world = (ratio: number) => {
  const environment = { now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(7) }
  const plain = addressBook(environment)
  const said: Array<string> = []
  const errors: Array<string> = []
  const book = checkedBook(plain, ratio, {
    event: () => undefined,
    log: (level, message) => void errors.push(`${level}: ${message}`),
    trace: (each) =>
      void said.push(...linesOfTraceEvent(each, false).map(({ category, text }) => `${category}: ${text}`))
  })
  return { book, errors, plain, said }
}

const known = { ...PLACE, services: 9n, time: NOW }

describe("an addrman that checks itself", () => {
  it("does so at each look where the ratio is one, and answers what the plain one does", () => {
    const { book, errors, said } = world(1)
    assert.strictEqual(book.add([known], SOURCE), 1)
    assert.deepStrictEqual(said, [
      "addrman: CheckAddrman: new 1, tried 0, total 1 started",
      "addrman: CheckAddrman: completed"
    ])
    assert.strictEqual(book.choose({})?.key, book.table.list[0]!.key)
    assert.strictEqual(said.length, 4)
    assert.strictEqual(book.sample(0, 0).length, 1)
    assert.strictEqual(said.length, 6)
    book.good(PLACE)
    assert.deepStrictEqual(said.slice(6, 7), ["addrman: CheckAddrman: new 0, tried 1, total 1 started"])
    assert.deepStrictEqual(errors, [])
  })

  it("does so at one look in three", () => {
    const { book, said } = world(3)
    const counts = Array.from({ length: 7 }, () => {
      book.choose({})
      return said.length / 2
    })
    assert.deepStrictEqual(counts, [0, 0, 1, 1, 1, 2, 2])
  })

  it("says in an error what does not hold together, and completes", () => {
    const { book, errors, plain, said } = world(1)
    book.add([known], SOURCE)
    plain.table.list[0]!.position = 1
    book.choose({})
    assert.deepStrictEqual(errors, [
      `error: the table of addresses does not hold together: ${
        plain.table.list[0]!.key
      }: it is not where the list of all has it`
    ])
    assert.strictEqual(said.at(-1), "addrman: CheckAddrman: completed")
  })
})
