import { nobleCrypto } from "@lockstep/kernel/noble"
import { decodeBlock } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  basicFilter,
  filteredScripts,
  filterHash,
  filterHeader,
  filterMatches,
  NO_FILTER_HEADER
} from "../../src/filters/basic-filter.ts"
import { isCodedSet } from "../../src/filters/coded-set.ts"
import { fromHex, toHex } from "../wire/hex.ts"
import { bytesAt, jsonAt, recorded } from "../wire/recorded-messages.ts"

type Row = readonly [
  height: number,
  hash: string,
  block: string,
  spent: ReadonlyArray<string>,
  previous: string,
  filter: string,
  header: string
]

const BIP158 = recorded("p2p/filters_bip158.json")
const MAINNET = recorded("chain/mainnet_0_599.dat")
const MAINNET_HEADERS = recorded("headers/mainnet_filter_headers_0_599.bin")

const wire = (display: string): Uint8Array => fromHex(display).reverse()

const outputsOf = (block: Uint8Array): ReadonlyArray<Uint8Array> =>
  Result.getOrThrow(decodeBlock(block)).transactions.flatMap(({ outputs }) => outputs.map(({ script }) => script))

describe("basic filters", () => {
  it.runIf(BIP158 !== undefined)("are those of BIP158, and chain as it says", () => {
    const rows = (jsonAt(BIP158!) as ReadonlyArray<Row>).slice(1)
    assert.lengthOf(rows, 10)
    for (const [height, hash, block, spent, previous, filter, header] of rows) {
      const blockHash = wire(hash)
      const scripts = filteredScripts(outputsOf(fromHex(block)), spent.map(fromHex))
      const made = basicFilter(blockHash, scripts)
      assert.strictEqual(toHex(made), filter, `height ${height}`)
      const next = filterHeader(filterHash(made, nobleCrypto), wire(previous), nobleCrypto)
      assert.strictEqual(toHex(next.reverse()), header, `height ${height}`)
      for (const script of scripts) {
        assert.isTrue(filterMatches(made, blockHash, [fromHex("6a"), script]), `height ${height}`)
      }
      assert.isFalse(filterMatches(made, blockHash, [fromHex("6a0102"), fromHex("6a0304")]), `height ${height}`)
    }
  })

  it.runIf(MAINNET !== undefined && MAINNET_HEADERS !== undefined)(
    "of the first 600 blocks have the headers that clients know",
    () => {
      const bytes = bytesAt(MAINNET!)
      const headers = bytesAt(MAINNET_HEADERS!)
      const view = new DataView(bytes.buffer)
      let [at, height, previous] = [0, 0, NO_FILTER_HEADER]
      const scripts = new Map<string, Uint8Array>()
      while (at < bytes.length) {
        const size = view.getUint32(at + 4, true)
        const block = Result.getOrThrow(decodeBlock(bytes.slice(at + 8, at + 8 + size)))
        const hash = nobleCrypto.sha256d(block.bytes.subarray(0, 80))
        const spent: Array<Uint8Array> = []
        for (const { inputs, outputs, bytes: raw } of block.transactions) {
          const id = toHex(nobleCrypto.sha256d(raw))
          for (const [vout, { script }] of outputs.entries()) scripts.set(`${id}:${vout}`, script)
          for (const { prevout } of inputs) {
            spent.push(
              scripts.get(`${toHex(prevout.txid)}:${prevout.vout}`) ?? new Uint8Array(0)
            )
          }
        }
        const filter = basicFilter(hash, filteredScripts(outputsOf(block.bytes), spent))
        previous = filterHeader(filterHash(filter, nobleCrypto), previous, nobleCrypto)
        assert.strictEqual(toHex(previous), toHex(headers.subarray(32 * height, 32 * height + 32)), `height ${height}`)
        at += 8 + size
        height++
      }
      assert.strictEqual(height, 600)
    }
  )
})

describe("sets that are none", () => {
  const key = new Uint8Array(32).fill(7)
  const scripts = Array.from({ length: 300 }, (_, i) => Uint8Array.of(0x51, i & 255, i >> 8))
  const filter = basicFilter(key, scripts)

  it("are known by their ends", () => {
    assert.isTrue(isCodedSet(filter))
    assert.isTrue(isCodedSet(Uint8Array.of(0)))
    assert.isFalse(isCodedSet(filter.subarray(0, -1)))
    assert.isFalse(isCodedSet(Uint8Array.of(...filter, 0)))
    assert.isFalse(isCodedSet(new Uint8Array(0)))
  })

  it("match nothing, and take no longer than their bytes", () => {
    const absent = [Uint8Array.of(0x6a, 1)]
    assert.isFalse(filterMatches(Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x01, 0xff), key, absent))
    assert.isFalse(filterMatches(new Uint8Array(0), key, absent))
    assert.isFalse(filterMatches(Uint8Array.of(0), key, absent))
    assert.isFalse(filterMatches(filter, key, []))
  })

  it("have an element once that is given twice", () => {
    assert.deepStrictEqual(basicFilter(key, [...scripts, ...scripts.map((script) => script.slice())]), filter)
  })

  it("find every element, and of others one in hundreds of thousands", () => {
    for (const script of scripts) assert.isTrue(filterMatches(filter, key, [script]))
    const others = Array.from({ length: 2_000 }, (_, i) => Uint8Array.of(0x52, i & 255, i >> 8))
    assert.isBelow(others.filter((script) => filterMatches(filter, key, [script])).length, 3)
  })
})
