import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { bytesOfHex } from "@lockstep/protocol/networks/hex.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { tableFault } from "../../../src/p2p/addresses/table/table-fault.ts"
import { byteReader, Truncated, writtenNumber } from "../../../src/p2p/saved/byte-reader.ts"
import { decodeAnchorsFile, encodeAnchorsFile } from "../../../src/p2p/saved/core-anchors-file.ts"
import { peersChecksum, decodePeersFile, encodePeersFile } from "../../../src/p2p/saved/core-peers-file.ts"
import { decodePlace, decodeCoreRecord, encodePlace, encodeCoreRecord } from "../../../src/p2p/saved/core-record.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { PREFIX_GROUPS } from "../../../src/net/net-groups.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpointKey } from "../../../src/net/endpoint-text.ts"
import { endpoint } from "../transport/transport-suite.ts"

const MAGIC = bytesOfHex("fabfb5da")
const NOW = 1_700_000_000
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("numbers of Bitcoin Core's files", () => {
  it("are little-endian, but for a port", () => {
    // The bytes before it belong to something else.
    const from = byteReader(bytesOfHex("eeee0102030405fffffffffeffffffffffffff7f").subarray(2))
    assert.deepStrictEqual([from.uint8(), from.uint16be(), from.offset()], [1, 0x0203, 3])
    assert.deepStrictEqual(from.bytes(2), Uint8Array.of(4, 5))
    assert.deepStrictEqual([from.int32(), from.int64(), from.offset()], [-1, -2n, 17])
    assert.throws(() => from.bytes(2), Truncated)
    assert.deepStrictEqual([from.uint8(), from.offset()], [0x7f, 18])
    assert.throws(() => from.uint8(), Truncated, "AutoFile::read: end of file: iostream error")
    assert.strictEqual(byteReader(bytesOfHex("01000080")).uint32(), 0x8000_0001)
    assert.deepStrictEqual(
      [writtenNumber.uint16be(0x0102), writtenNumber.int32(-2), writtenNumber.int64(-2n)].map(hex),
      ["0102", "feffffff", "feffffffffffffff"]
    )
  })

  it.each([
    [0n, "00"],
    [252n, "fc"],
    [253n, "fdfd00"],
    [0xffffn, "fdffff"],
    [0x1_0000n, "fe00000100"],
    [0xffff_ffffn, "feffffffff"],
    [0x1_0000_0000n, "ff0000000001000000"]
  ])("a size of %i is %s", (value, text) => {
    assert.strictEqual(hex(writtenNumber.compact(value)), text)
    const from = byteReader(bytesOfHex(`${text}99`))
    assert.deepStrictEqual([from.compact(), from.uint8()], [value, 0x99])
  })
})

describe("an address of Bitcoin Core's files", () => {
  const known = { ...endpoint("1.2.3.4:8333"), services: 1_033n, time: NOW }

  it("is version, time, services, place and port", () => {
    const bytes = encodeCoreRecord(known)
    assert.strictEqual(hex(bytes), "605b032000f15365fd0904010401020304208d")
    assert.deepStrictEqual(decodeCoreRecord(byteReader(bytes)), known)
  })

  it("has 512 bytes at most", () => {
    const place = (length: number) => encodePlace({ network: 99, bytes: new Uint8Array(length) })
    assert.strictEqual(decodePlace(byteReader(place(512))).bytes.length, 512)
    assert.throws(() => decodePlace(byteReader(place(513))), "Address too long: 513 > 512")
  })
})

describe("an anchors.dat", () => {
  const sealed = (body: Uint8Array): Uint8Array => concatBytes([body, peersChecksum(body)])
  const three = ["11.1.1.1:1", "12.1.1.1:2", "13.1.1.1:3"].map(endpoint)

  it("gives two anchors, however many it holds", () => {
    const found = decodeAnchorsFile(encodeAnchorsFile(three, MAGIC), MAGIC)
    assert.deepStrictEqual(found?.map(({ port }) => port), [1, 2])
    assert.deepStrictEqual(decodeAnchorsFile(encodeAnchorsFile(three.slice(0, 1), MAGIC), MAGIC)?.length, 1)
    assert.deepStrictEqual(decodeAnchorsFile(encodeAnchorsFile([], MAGIC), MAGIC), [])
  })

  it("gives none where it ends before its last one, or is empty", () => {
    assert.isUndefined(decodeAnchorsFile(sealed(concatBytes([MAGIC, Uint8Array.of(1, 9)])), MAGIC))
    assert.isUndefined(decodeAnchorsFile(new Uint8Array(0), MAGIC))
  })
})

describe("a peers.dat of others", () => {
  const KEY = new Uint8Array(32).fill(7)
  const ASMAP_BYTES = 32
  type Entry = readonly [place: string, attempts?: number]

  /** As it was written before BIP155: the address takes 16 bytes, the services 8. */
  const oldRecord = ([place, attempts = 0]: Entry): Uint8Array => {
    const ip = (text: string) =>
      concatBytes([new Uint8Array(10), Uint8Array.of(255, 255), endpoint(text).address.bytes])
    return concatBytes([
      writtenNumber.int32(209_900),
      writtenNumber.int32(NOW),
      writtenNumber.int64(9n),
      ip(place),
      writtenNumber.uint16be(endpoint(place).port),
      ip("30.1.1.1:1"),
      writtenNumber.int64(BigInt(NOW - 5)),
      writtenNumber.int32(attempts)
    ])
  }

  const record = ([place, attempts = 0]: Entry): Uint8Array => {
    const at = endpoint(place)
    return concatBytes([
      encodeCoreRecord({ ...at, services: 9n, time: NOW }),
      encodePlace(endpoint("30.1.1.1:1").address),
      writtenNumber.int64(BigInt(NOW - 5)),
      writtenNumber.int32(attempts)
    ])
  }

  interface Parts {
    readonly formats?: readonly [number, number]
    readonly counts?: readonly [fresh: number, tried: number]
    readonly fresh?: ReadonlyArray<Entry>
    readonly tried?: ReadonlyArray<Entry>
    /** The indexes in each bucket. */
    readonly buckets?: ReadonlyArray<ReadonlyArray<number>>
    readonly bucketCount?: number
    readonly asmap?: Uint8Array
  }

  const file = ({
    asmap = new Uint8Array(ASMAP_BYTES),
    buckets = [],
    bucketCount = 1_024,
    formats = [4, 36],
    fresh = [],
    tried = [],
    counts = [fresh.length, tried.length]
  }: Parts): Uint8Array => {
    const all = Array.from({ length: bucketCount }, (_, i) => buckets[i] ?? [])
    const body = concatBytes([
      MAGIC,
      Uint8Array.of(...formats),
      KEY,
      writtenNumber.int32(counts[0]),
      writtenNumber.int32(counts[1]),
      writtenNumber.int32(bucketCount ^ (formats[0] === 0 ? 0 : 1 << 30)),
      ...[...fresh, ...tried].map(formats[0] < 3 ? oldRecord : record),
      ...all.map((indexes) => concatBytes([writtenNumber.int32(indexes.length), ...indexes.map(writtenNumber.int32)])),
      ...formats[0] < 2 ? [] : [asmap]
    ])
    return concatBytes([body, peersChecksum(body)])
  }

  const read = (parts: Parts) => decodePeersFile(file(parts), MAGIC)

  const table = (parts: Parts) => {
    const found = read(parts)
    if ("reason" in found) return assert.fail(found.reason)
    assert.isUndefined(tableFault(found))
    return found
  }

  const reason = (parts: Parts): string => {
    const found = read(parts)
    return "reason" in found ? `${found.reason}${found.isOther ? " (other)" : ""}` : "none"
  }

  it("is read in formats 0 to 4, and where a later one says that 4 can read it", () => {
    for (const formats of [[3, 35], [4, 36], [4, 32], [9, 36]] as const) assert.strictEqual(reason({ formats }), "none")
    for (const formats of [[0, 32], [1, 33], [2, 34], [1, 36]] as const) {
      const held = table({ formats, fresh: [["11.1.1.1:1", 3]], tried: [["12.1.1.1:2"]], buckets: [[0]] })
      assert.deepStrictEqual(
        held.list.map(({ attempts, isTried, key, services }) => [key, attempts, isTried, services]).toSorted(),
        [["11.1.1.1:1", 3, false, 9n], ["12.1.1.1:2", 0, true, 9n]].map(([place, ...rest]) => [
          endpointKey(endpoint(String(place))),
          ...rest
        ]).toSorted(),
        formats.join()
      )
    }
    const most = "maximum supported by this version of Bitcoin Core is 4. (other)"
    assert.include(reason({ formats: [9, 37] }), most)
    assert.include(reason({ formats: [4, 31] }), "The compat value (31) is lower than the expected minimum value 32.")
  })

  it("has as many addresses as there are slots, at most", () => {
    assert.include(reason({ counts: [65_537, 0] }), "nNew=65537, should be in [0, 65536]")
    assert.notInclude(reason({ counts: [65_536, 0] }), "should be in")
    assert.include(reason({ counts: [0, 16_385] }), "nTried=16385, should be in [0, 16384]")
    assert.notInclude(reason({ counts: [0, 16_384] }), "should be in")
    assert.include(reason({ counts: [0, -1] }), "nTried=-1")
  })

  it("keeps new addresses in their buckets, eight at most, and leaves out those in none", () => {
    const nine = Array.from({ length: 12 }, () => [0])
    const { all, freshCount, list } = table({ fresh: [["1.2.3.4:1", 2], ["5.6.7.8:1"]], buckets: nine })
    assert.deepStrictEqual([all.size, freshCount], [1, 1])
    assert.deepStrictEqual([...list[0]!.newBuckets], [0, 1, 2, 3, 4, 5, 6, 7])
    const { attempts, lastSuccess, services, time } = list[0]!
    assert.deepStrictEqual([attempts, lastSuccess, services, time], [2, NOW - 5, 9n, NOW])
  })

  it("gives an address the bucket of its source where there are other buckets, or another asmap", () => {
    const fresh: ReadonlyArray<Entry> = [["1.2.3.4:1"]]
    const [own] = table({ fresh, buckets: [[0]], bucketCount: 512 }).list
    const bucket = [...own!.newBuckets]
    assert.lengthOf(bucket, 1)
    assert.notStrictEqual(bucket[0], 0)
    const [other] = table({ fresh, buckets: [[0]], asmap: new Uint8Array(ASMAP_BYTES).fill(1) }).list
    assert.deepStrictEqual([...other!.newBuckets], bucket)
    const [same] = table({ fresh, buckets: [[0]] }).list
    assert.deepStrictEqual([...same!.newBuckets], [0])
  })

  it("reports the asmap by its hash, in the order of bytes that it is not written in", () => {
    const version = `01${"00".repeat(30)}02`
    const groups = { ...PREFIX_GROUPS, version }
    const random = seededRandom(1)
    const book = addressBook({ now: () => unixMilliseconds(NOW * 1_000), random }, undefined, groups)
    const bytes = encodePeersFile(book.table, MAGIC)
    assert.strictEqual(hex(bytes.subarray(-64, -32)), `02${"00".repeat(30)}01`)
    const asmap = bytesOfHex(`02${"00".repeat(30)}01`)
    const found = decodePeersFile(file({ fresh: [["1.2.3.4:1"]], buckets: [[0]], asmap }), MAGIC, groups)
    assert.deepStrictEqual("list" in found && found.list.map(({ newBuckets }) => [...newBuckets]), [[0]])
  })

  it("leaves out what no node can have, what is there twice, and a bucket entry that is none", () => {
    const { list, triedCount } = table({
      fresh: [["10.0.0.1:1"], ["1.2.3.4:1"], ["1.2.3.4:1"]],
      tried: [["1.2.3.4:1"], ["192.168.0.1:1"], ["5.6.7.8:1"]],
      buckets: [[0, 1, 2, 9]]
    })
    assert.deepStrictEqual(list.map(({ address, isTried }) => [address.bytes[0], isTried]), [[1, false], [5, true]])
    assert.strictEqual(triedCount, 1)
  })

  it("keeps the first of two tried addresses with one slot", () => {
    const tried = Array.from({ length: 400 }, (_, i): Entry => [`1.2.3.${i % 250}:${1_000 + i}`])
    const { list, triedCount } = table({ tried })
    assert.strictEqual(list.length, triedCount)
    assert.isTrue(list.every(({ isTried }) => isTried))
    // One group has eight buckets of 64 slots.
    assert.isTrue(triedCount < 400 && triedCount > 200, `${triedCount}`)
  })
})
