import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/wire/codecs.ts"
import { payloadConsequence } from "../../src/wire/consequence.ts"
import { faultText } from "../../src/wire/fault.ts"
import { DEFAULT_LIMITS, LIMITS, limitsToSend, limitsToTake, type ProtocolLimits } from "../../src/wire/limits.ts"
import { decodeMessage } from "../../src/wire/message.ts"
import { payloadMost } from "../../src/wire/payload-cap.ts"
import { fromHex } from "./hex.ts"

const countOf = (
  count: number
): string => (count < 253 ? count.toString(16).padStart(2, "0") : `fd${fromLittle(count)}`)
const fromLittle = (count: number): string =>
  (count & 0xff).toString(16).padStart(2, "0") + (count >> 8).toString(16).padStart(2, "0")

const H32 = "00".repeat(32)
const H = (bytes: number): string => "00".repeat(bytes)

interface Row {
  readonly source: string
  readonly command: Command
  readonly most: number
  readonly payload: (count: number) => string
  readonly wrong: string
  readonly consequence: string
}

const ROWS: ReadonlyArray<Row> = [
  {
    source: "CVE-2018-17145: inventories fill a node's memory",
    command: "inv",
    most: 50_000,
    payload: (count) => `${countOf(count)}${H(36).repeat(count)}`,
    wrong: "50001 inventory entries, at most 50000 allowed",
    consequence: "discourage"
  },
  {
    source: "CVE-2024-52920: a request for data that never ends",
    command: "getdata",
    most: 50_000,
    payload: (count) => `${countOf(count)}${H(36).repeat(count)}`,
    wrong: "50001 inventory entries, at most 50000 allowed",
    consequence: "discourage"
  },
  {
    source: "Core MAX_INV_SZ: an answer is no larger than the question",
    command: "notfound",
    most: 50_000,
    payload: (count) => `${countOf(count)}${H(36).repeat(count)}`,
    wrong: "50001 inventory entries, at most 50000 allowed",
    consequence: "ignore"
  },
  {
    source: "CVE-2024-52919: addresses without end",
    command: "addr",
    most: 1_000,
    payload: (count) => `${countOf(count)}${H(30).repeat(count)}`,
    wrong: "1001 addresses, at most 1000 allowed",
    consequence: "discourage"
  },
  {
    source: "BIP155: no more than before",
    command: "addrv2",
    most: 1_000,
    payload: (count) => `${countOf(count)}${`0000000000010400000000${"0000"}`.repeat(count)}`,
    wrong: "1001 addresses, at most 1000 allowed",
    consequence: "discourage"
  },
  {
    source: "CVE-2019-25220 and CVE-2024-52916: headers are what memory is filled with",
    command: "headers",
    most: 2_000,
    payload: (count) => `${countOf(count)}${H(81).repeat(count)}`,
    wrong: "2001 headers, at most 2000 allowed",
    consequence: "discourage"
  },
  {
    source: "Core MAX_LOCATOR_SZ: every hash of a locator is looked up",
    command: "getheaders",
    most: 101,
    payload: (count) => `${H(4)}${countOf(count)}${H32.repeat(count)}${H32}`,
    wrong: "102 locator hashes, at most 101 allowed",
    consequence: "disconnect"
  },
  {
    source: "Core MAX_LOCATOR_SZ: every hash of a locator is looked up, for blocks too",
    command: "getblocks",
    most: 101,
    payload: (count) => `${H(4)}${countOf(count)}${H32.repeat(count)}${H32}`,
    wrong: "102 locator hashes, at most 101 allowed",
    consequence: "disconnect"
  },
  {
    source: "Core MAX_GETCFHEADERS_SIZE",
    command: "cfheaders",
    most: 2_000,
    payload: (count) => `00${H32}${H32}${countOf(count)}${H32.repeat(count)}`,
    wrong: "2001 filter hashes, at most 2000 allowed",
    consequence: "ignore"
  },
  {
    source: "BIP157: one filter header in a thousand blocks",
    command: "cfcheckpt",
    most: 31_250,
    payload: (count) => `00${H32}${countOf(count)}${H32.repeat(count)}`,
    wrong: "31251 filter headers, at most 31250 allowed",
    consequence: "ignore"
  },
  {
    source: "Core CPartialMerkleTree: as many as a block can have transactions",
    command: "merkleblock",
    most: 16_666,
    payload: (count) => `${H(84)}${countOf(count)}${H32.repeat(count)}00`,
    wrong: "16667 hashes of a merkle tree, at most 16666 allowed",
    consequence: "ignore"
  },
  {
    source: "BIP331: a request names 100 transactions",
    command: "getpkgtxns",
    most: 100,
    payload: (count) => `${countOf(count)}${H32.repeat(count)}`,
    wrong: "101 transactions, at most 100 allowed",
    consequence: "disconnect"
  },
  {
    source: "BIP331: no more transactions than can be requested",
    command: "ancpkginfo",
    most: 100,
    payload: (count) => `${countOf(count)}${H32.repeat(count)}`,
    wrong: "101 transactions, at most 100 allowed",
    consequence: "ignore"
  },
  {
    source: "BIP331: no more transactions than were requested",
    command: "pkgtxns",
    most: 100,
    payload: (count) => `${countOf(count)}${H(10).repeat(count)}`,
    wrong: "101 transactions, at most 100 allowed",
    consequence: "disconnect"
  },
  {
    source: "BIP152: indexes have 16 bits",
    command: "cmpctblock",
    most: 65_535,
    payload: (count) => `${H(88)}${count > 65_535 ? "fe00000100" : countOf(count)}${H(6).repeat(count)}00`,
    wrong: "65536 transactions, at most 65535 allowed",
    consequence: "ignore"
  },
  {
    source: "BIP152: as many indexes as 16 bits can say",
    command: "getblocktxn",
    most: 65_536,
    payload: (count) => `${H32}fe${count === 65_536 ? "00000100" : "01000100"}${H(count)}`,
    wrong: "65537 indexes, at most 65536 allowed",
    consequence: "ignore"
  },
  {
    source: "CVE-2024-35202: what is answered with is what can be asked for",
    command: "blocktxn",
    most: 65_535,
    payload: (count) => `${H32}${count > 65_535 ? "fe00000100" : countOf(count)}${H(10).repeat(count)}`,
    wrong: "65536 transactions, at most 65535 allowed",
    consequence: "ignore"
  }
]

describe("limits", () => {
  it.each(ROWS)("$command: $source", ({ command, consequence, most, payload, wrong }) => {
    assert.isTrue(Result.isSuccess(decodeMessage(command, fromHex(payload(most)))))
    const answer = decodeMessage(command, fromHex(payload(most + 1)))
    assert(Result.isFailure(answer))
    assert.strictEqual(faultText(answer.failure), wrong)
    assert.strictEqual(payloadConsequence(command, answer.failure), consequence)
  })

  it("version: Core MAX_SUBVERSION_LENGTH", () => {
    const start = `${H(46)}${H(34)}`
    assert.isTrue(Result.isSuccess(decodeMessage("version", fromHex(`${start}fd0001${"2f".repeat(256)}`))))
    const answer = decodeMessage("version", fromHex(`${start}fd0101${"2f".repeat(257)}`))
    assert(Result.isFailure(answer))
    assert.strictEqual(faultText(answer.failure), "user agent of 257 bytes, at most 256 allowed")
  })

  it("addrv2: an address of a network of the future has up to 512 bytes (BIP155)", () => {
    assert.isTrue(Result.isSuccess(decodeMessage("addrv2", fromHex(`01000000000063fd0002${H(512)}0000`))))
    const answer = decodeMessage("addrv2", fromHex(`01000000000063fd0102${H(513)}0000`))
    assert(Result.isFailure(answer))
    assert.strictEqual(faultText(answer.failure), "address of 513 bytes, at most 512 allowed")
  })

  it("cmpctblock: short ids and prefilled transactions count together (BIP152)", () => {
    const full = `${H(88)}fdffff${H(6 * 65_535)}`
    assert.isTrue(Result.isSuccess(decodeMessage("cmpctblock", fromHex(`${full}00`))))
    const answer = decodeMessage("cmpctblock", fromHex(`${full}0100${H(10)}`))
    assert(Result.isFailure(answer) && answer.failure._tag === "TooMany")
  })

  it("the contract's defaults are those of `[protocol_limits]`", () => {
    assert.deepStrictEqual(DEFAULT_LIMITS, {
      messageLength: 32 * 1024 * 1024,
      addresses: 1_000,
      inventory: 50_000,
      headers: 2_000
    })
  })

  it("what the configuration sets holds instead", () => {
    const limits: ProtocolLimits = { messageLength: 1_000_000, addresses: 1, inventory: 2, headers: 3 }
    for (
      const [command, size, most] of [
        ["addr", 30, 1],
        ["inv", 36, 2],
        ["headers", 81, 3]
      ] as const
    ) {
      assert.isTrue(Result.isSuccess(decodeMessage(command, fromHex(`0${most}${H(size * most)}`), limits)))
      assert.isTrue(Result.isFailure(decodeMessage(command, fromHex(`0${most + 1}${H(size * (most + 1))}`), limits)))
    }
  })

  it("getcfilters: a request may ask for 1,000 filters (Core MAX_GETCFILTERS_SIZE), which its layout does not bound", () => {
    assert.strictEqual(LIMITS.filterRange.most, 1_000)
  })

  it("each says where it comes from", () => {
    for (const { most, source, unit } of Object.values(LIMITS)) {
      assert.isAbove(most, 0)
      assert.isNotEmpty(source)
      assert.isNotEmpty(unit)
    }
  })
})

describe("how much a payload may declare", () => {
  it("is as much as in Bitcoin Core, and less only where the configuration says so", () => {
    assert.strictEqual(payloadMost(DEFAULT_LIMITS), 4_000_000)
    assert.strictEqual(payloadMost({ ...DEFAULT_LIMITS, messageLength: 1_000_000 }), 1_000_000)
  })
})

describe("configured limits", () => {
  const low: ProtocolLimits = { messageLength: 1_000_000, addresses: 1, inventory: 2, headers: 3 }
  const high: ProtocolLimits = { messageLength: 40_000_000, addresses: 2_000, inventory: 60_000, headers: 3_000 }

  it("take at least what honest peers send", () => {
    assert.deepStrictEqual(limitsToTake(low), {
      messageLength: 4_000_000,
      addresses: 1_000,
      inventory: 50_000,
      headers: 2_000
    })
    assert.deepStrictEqual(limitsToTake(high), high)
  })

  it("send at most what all peers take", () => {
    assert.deepStrictEqual(limitsToSend(low), low)
    assert.deepStrictEqual(limitsToSend(high), { ...high, addresses: 1_000, inventory: 50_000, headers: 2_000 })
  })
})
