import { assert, describe, it } from "@effect/vitest"
import { bytesOfHex } from "@lockstep/protocol/networks/hex.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { tableFault } from "../../../src/p2p/addresses/table/table-fault.ts"
import { decodeAnchorsFile, encodeAnchorsFile } from "../../../src/p2p/saved/core-anchors-file.ts"
import { peersChecksum, decodePeersFile, encodePeersFile } from "../../../src/p2p/saved/core-peers-file.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = 1_700_000_000
const MAGIC = bytesOfHex("fabfb5da")
const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"

const filled = () => {
  const book = addressBook({ now: () => unixMilliseconds(NOW * 1_000), random: seededRandom(3) })
  for (let i = 0; i < 300; i++) {
    const at = endpoint(`${20 + (i % 100)}.${i % 7}.1.${i % 250}:${8_000 + i}`)
    book.add([{ ...at, services: 1_033n + BigInt(i), time: NOW - i }], endpoint(`${i % 40 + 20}.9.9.9:1`).address)
    if (i % 5 === 0) book.good(at)
  }
  book.add([{ ...endpoint(ONION), services: 2n ** 40n, time: NOW }], endpoint(ONION).address)
  return book.table
}

const refusal = (bytes: Uint8Array) => {
  const found = decodePeersFile(bytes, MAGIC)
  return "reason" in found ? found : undefined
}

/** The same file with bytes changed, and the checksum that is right for it. */
const changed = (bytes: Uint8Array, at: number, ...to: ReadonlyArray<number>): Uint8Array => {
  const body = bytes.slice(0, -32)
  body.set(to, at)
  return Uint8Array.of(...body, ...peersChecksum(body))
}

describe("Bitcoin Core's peers.dat", () => {
  it("keeps the table: addresses, times, services, sources, buckets, key", () => {
    const table = filled()
    const again = decodePeersFile(encodePeersFile(table, MAGIC), MAGIC)
    if ("reason" in again) return assert.fail(again.reason)
    const rows = ({ list }: typeof table) =>
      list.map(({ key, attempts, isTried, lastSuccess, newBuckets, services, time }) =>
        [key, attempts, isTried, lastSuccess, [...newBuckets], services, time].join()
      ).toSorted()
    assert.deepStrictEqual(rows(again), rows(table))
    assert.deepStrictEqual([again.key, again.triedCount], [table.key, table.triedCount])
    assert.isUndefined(tableFault(again))
  })

  it("takes 4,210 bytes when it is empty", () => {
    const { table } = addressBook({ now: () => unixMilliseconds(0), random: seededRandom(1) })
    assert.strictEqual(encodePeersFile(table, MAGIC).length, 4_210)
  })

  it.each([
    ["the magic of another network", 0, [1], "Invalid network magic number", false],
    [
      "a compat value that is none",
      5,
      [0],
      "Corrupted addrman database: The compat value (0) is lower than the expected minimum value 32.: iostream error",
      false
    ],
    [
      "a key of zeros",
      6,
      Array.from({ length: 32 }, () => 0),
      "Corrupt data. Consistency check failed with code -16: iostream error",
      false
    ],
    ["a later format", 4, [111, 32 + 111], "Unsupported format of addrman database: 111. It is compatible with", true],
    ["a negative count", 38, [255, 255, 255, 255], "Corrupt AddrMan serialization: nNew=-1, should be in", false],
    ["too many tried", 42, [1, 64, 0, 0], "nTried=16385, should be in [0, 16384]: iostream error", false]
  ])("is refused with %s", (_, at, to, reason, isOther) => {
    const fault = refusal(changed(encodePeersFile(filled(), MAGIC), at, ...to))
    assert.include(fault?.reason, reason)
    assert.strictEqual(fault?.isOther, isOther)
  })

  it("is refused when a byte of it is another one, or the last is missing", () => {
    const bytes = encodePeersFile(filled(), MAGIC)
    const flipped = bytes.slice()
    flipped[bytes.length - 40]! ^= 1
    assert.strictEqual(refusal(flipped)?.reason, "Checksum mismatch, data corrupted")
    assert.match(refusal(bytes.slice(0, -1))!.reason, /^AutoFile::read: end of file/)
  })
})

describe("Bitcoin Core's anchors.dat", () => {
  const anchors = [endpoint("11.1.1.1:8333"), endpoint(ONION)]

  it("keeps places, and is of one network", () => {
    const bytes = encodeAnchorsFile(anchors, MAGIC)
    const found = decodeAnchorsFile(bytes, MAGIC)
    assert.deepStrictEqual(found?.map(({ address, port }) => ({ address, port })), anchors)
    assert.isUndefined(decodeAnchorsFile(bytes, bytesOfHex("f9beb4d9")))
    bytes[10]! ^= 1
    assert.isUndefined(decodeAnchorsFile(bytes, MAGIC))
  })
})
