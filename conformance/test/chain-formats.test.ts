import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { coinsText, satoshisOf } from "../src/chain/amount.ts"
import { detachedChain } from "../src/chain/detached-chain.ts"
import { framedBlocks } from "../src/chain/framed-blocks.ts"
import { inOrder } from "../src/chain/in-order.ts"
import { rowBytes } from "../src/chain/row-bytes.ts"
import { ancestorAt } from "@lockstep/kernel/internal/chain/header-node.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { Field } from "../src/formats/field.ts"
import { hexOf } from "../src/formats/hex.ts"
import type { Bench } from "../src/judge/bench.ts"
import { MalformedVector } from "../src/formats/malformed.ts"

const directory = mkdtempSync(join(tmpdir(), "lockstep-chain-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string, bytes: Uint8Array) => {
  writeFileSync(join(directory, name), bytes)
  return {
    source: { kind: "root", label: "root", directory },
    path: name,
    absolute: join(directory, name),
    display: name
  } as const
}

const MAGIC = Uint8Array.of(1, 2, 3, 4)

describe("amounts", () => {
  it.each([[0n, "0.00000000"], [1n, "0.00000001"], [-150_000_000n, "-1.50000000"], [
    2_099_999_997_690_000n,
    "20999999.97690000"
  ]])(
    "%s satoshis",
    (satoshis, text) => {
      assert.strictEqual(coinsText(satoshis), text)
      assert.strictEqual(satoshisOf(Number(text)), satoshis)
    }
  )
})

describe("bytes of a row", () => {
  const bytesOf = (raw: unknown) =>
    hexOf(rowBytes(new Field(raw, "file", "row"), new Map([[7, () => Uint8Array.of(7)]]))())

  it("are digits, runs, or those of an earlier row", () => {
    assert.strictEqual(bytesOf({ hex: "0102" }), "0102")
    assert.strictEqual(bytesOf({ rle: ["01", 2, [3, "ab"], "02"] }), "010000ababab02")
    assert.strictEqual(bytesOf({ ref: 7 }), "07")
  })

  it.each([
    [{ hex: "01zz" }, /row\.hex: expected hexadecimal bytes/],
    [{ hex: "010" }, /row\.hex: expected hexadecimal bytes/],
    [{ hex: ["01"] }, /row\.hex: expected hexadecimal bytes/],
    [{ rle: ["01", "zz"] }, /row\.rle\[1\]: expected hexadecimal bytes/],
    [{ rle: [[3, "xy"]] }, /row\.rle\[0\]\[1\]: expected hexadecimal bytes/],
    [{ rle: [[3, ""]] }, /row\.rle\[0\]\[1\]: expected one byte/],
    [{ rle: [[3, "abcd"]] }, /row\.rle\[0\]\[1\]: expected one byte/],
    [{ rle: [-1] }, /row\.rle\[0\]: expected how many bytes/],
    [{ rle: [1.5] }, /row\.rle\[0\]: expected an integer/],
    [{}, /row: expected a member "hex"/]
  ])("%j are an error, never zero bytes", (row, problem) => {
    assert.throws(() => bytesOf(row), MalformedVector, problem)
  })

  it("of a row that is not there are named", () => {
    assert.throws(() => bytesOf({ ref: 8 }), MalformedVector, /file, row\.ref/)
  })
})

describe("blocks of a block file", () => {
  it("come behind magic and length", () => {
    const blocks = framedBlocks(
      file("good.dat", Uint8Array.of(...MAGIC, 1, 0, 0, 0, 9, ...MAGIC, 2, 0, 0, 0, 8, 7)),
      MAGIC
    )
    assert.deepStrictEqual(blocks.map(hexOf), ["09", "0807"])
  })

  it.each([[5, 0, 0, 0], [1, 0, 0]])("that are cut off are named", (...length) => {
    assert.throws(
      () => framedBlocks(file("cut.dat", Uint8Array.of(...MAGIC, ...length)), MAGIC),
      MalformedVector,
      /byte 0/
    )
  })
})

describe("steps in order", () => {
  it("are taken once each, also those before the one that is asked for", () => {
    const taken: Array<number> = []
    const step = inOrder()
    const bench = {} as Bench
    const [first, , third, fourth] = [1, 2, 3, 4].map((n) =>
      step(() => {
        taken.push(n)
        return undefined
      })
    )
    first!(bench)
    third!(bench)
    fourth!(bench)
    assert.deepStrictEqual(taken, [1, 2, 3, 4])
  })
})

describe("a chain without its beginning", () => {
  const end = {
    height: 4_100,
    hash: MAGIC,
    bits: 1,
    periodStart: 1_000,
    times: [1, 2, 3].map((n) => 2_000 + n),
    chainWork: 9n
  }

  it("reaches back to the start of its period", () => {
    const node = detachedChain(end)
    assert.strictEqual(node.height, 4_100)
    assert.strictEqual(node.header.time, 2_003)
    assert.strictEqual(ancestorAt(node, 4_032)?.header.time, 1_000)
    assert.strictEqual(ancestorAt(node, 4_098)?.header.time, 2_001)
    assert.strictEqual(medianTimePast(node), 1_000)
  })

  it("reaches over a period's start where times are known", () => {
    const node = detachedChain({ ...end, height: 4_033, times: [1, 2, 3, 4] })
    assert.deepStrictEqual([4_030, 4_031, 4_032, 4_033].map((height) => ancestorAt(node, height)!.header.time), [
      1,
      2,
      3,
      4
    ])
  })
})
