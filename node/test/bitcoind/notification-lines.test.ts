import { assert, describe, it } from "@effect/vitest"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import { linesOfNotification } from "../../src/bitcoind/log/lines-of-notifications.ts"
import type { TipFigures } from "../../src/engine/api/engine-notification.ts"

const hash = Uint8Array.from({ length: 32 }, (_, i) => i)
const NAME = Buffer.from(hash).reverse().toString("hex")

const TIP: TipFigures = {
  hash,
  height: 840_000,
  version: 0x20_00_00_00,
  time: 1_713_571_767,
  chainWork: 1n << 94n,
  transactions: 991_000_000,
  progress: 0.123_456_78,
  cacheBytes: 1_572_864
}

describe("the line of a new tip", () => {
  const textOf = (more: Partial<TipFigures>): string =>
    linesOfNotification({ _tag: "Tip", tip: { ...TIP, ...more } })[0]!.text

  it("has the height, the version, the work, the transactions, the time, the progress and the cache", () => {
    assert.strictEqual(
      textOf({}),
      `UpdateTip: new best=${NAME} height=840000 version=0x20000000 log2_work=94.000000 tx=991000000 ` +
        "date='2024-04-20T00:09:27Z' progress=0.123457 cache=1.5MiB"
    )
  })

  it.each<readonly [bigint, string]>([
    [1n, "0.000000"],
    [2n, "1.000000"],
    [3n, "1.584963"],
    [(1n << 53n) - 1n, "53.000000"],
    [1n << 53n, "53.000000"],
    [3n << 53n, "54.584963"],
    [(1n << 256n) - 1n, "256.000000"],
    // Without the highest bits that a number has, this would be another.
    [0x1234567890abcdef1234567890abcdefn, "124.186219"]
  ])("has the binary logarithm of the work %s", (chainWork, text) => {
    assert.include(textOf({ chainWork }), ` log2_work=${text} `)
  })

  it.each<readonly [number, string]>([[1, "00000001"], [-1, "ffffffff"], [-0x8000_0000, "80000000"]])(
    "has the version %i in eight digits",
    (version, digits) => {
      assert.include(textOf({ version }), ` version=0x${digits} `)
    }
  )
})

describe("the lines of what was refused", () => {
  const lines = (what: "block" | "header", rejection: Rejection) =>
    linesOfNotification({ _tag: "Refused", hash, why: { what, rejection } }).map(
      ({ category = "-", level, text }) => `[${category}:${level}] ${text}`
    )
  const rejection = (over: object): Rejection => ({ reason: "a-reason", ...over }) as Rejection

  it.each<readonly [object, string]>([
    [{ class: "missing parent" }, `header ${NAME} has prev block not found`],
    [{ class: "invalid parent" }, `header ${NAME} has prev block invalid`],
    [{ class: "known invalid" }, `AcceptBlockHeader: block ${NAME} is marked invalid`],
    [
      { class: "invalid header", rule: "WRK-004" },
      `AcceptBlockHeader: Consensus::CheckBlockHeader: ${NAME}, a-reason`
    ],
    [
      { class: "invalid header", rule: "WRK-001" },
      `AcceptBlockHeader: Consensus::ContextualCheckBlockHeader: ${NAME}, a-reason`
    ]
  ])("say why a header was refused by %j, in detail", (over, text) => {
    assert.deepStrictEqual(lines("header", rejection(over)), [`[validation:debug] ${text}`])
    // Of a block with that header they say it as an error too.
    assert.deepStrictEqual(lines("block", rejection(over)), [
      `[validation:debug] ${text}`,
      "[-:error] ProcessNewBlock: AcceptBlock FAILED (a-reason)"
    ])
  })

  it.each(["BLK-004", "XHDR-001", "HDR"])("say of a block that rule %s refuses nothing about its header", (rule) => {
    assert.deepStrictEqual(lines("block", rejection({ class: "invalid", rule })), [
      "[-:error] AcceptBlock: a-reason",
      "[-:error] ProcessNewBlock: AcceptBlock FAILED (a-reason)"
    ])
  })

  it("say in detail alone that a block was changed on its way", () => {
    assert.deepStrictEqual(lines("block", rejection({ class: "mutated", rule: "BLK-002" })), [
      "[validation:debug] Block mutated: a-reason"
    ])
  })

  it("say that a header lacks work, and that bytes are no block, in the categories of Bitcoin Core", () => {
    const [little] = linesOfNotification({ _tag: "Refused", hash, why: { what: "too little work" } })
    assert.deepStrictEqual([little!.level, little!.category], ["debug", "validation"])
    const fault = { rule: "SER-003", detail: { offset: 5 } } as never
    assert.deepStrictEqual(linesOfNotification({ _tag: "Refused", hash, why: { what: "bytes", bytes: 9, fault } }), [{
      level: "debug",
      category: "net",
      text: "ProcessMessages(block, 9 bytes): Exception 'DataStream::read(): end of data' caught"
    }])
  })
})

describe("the fee rate of a transaction in a template", () => {
  it.each<readonly [fee: bigint, size: number, text: string]>([
    [100_000_000n, 1_000, "1.00000000"],
    [99_999_999n, 1_000, "0.99999999"],
    [-100_000_001n, 1_000, "-1.-0000001"],
    [-3n, 1_000, "0.-0000003"],
    [-3n, 2_000, "0.-0000002"],
    [3n, 2_000, "0.00000001"]
  ])("of %s satoshis for %i bytes is rounded down", (modifiedFee, virtualSize, text) => {
    const [line] = linesOfNotification({ _tag: "Selected", transactions: [{ txid: hash, modifiedFee, virtualSize }] })
    assert.strictEqual(line!.text, `fee rate ${text} BTC/kvB txid ${NAME}`)
  })
})

describe("a notification that is about nothing of these", () => {
  it("has no line", () => {
    assert.deepStrictEqual(linesOfNotification({ _tag: "State", state: {} } as never), [])
  })
})
