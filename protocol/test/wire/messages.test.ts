import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { CODECS, type Command, COMMANDS, isCommand, type Message } from "../../src/wire/codecs.ts"
import { payloadConsequence } from "../../src/wire/consequence.ts"
import { faultText, type PayloadFault } from "../../src/wire/fault.ts"
import { DEFAULT_LIMITS } from "../../src/wire/limits.ts"
import { decodeMessage, encodeMessage } from "../../src/wire/message.ts"
import { wantsTransactions } from "../../src/wire/messages/version.ts"
import { payloadMost } from "../../src/wire/payload-cap.ts"
import { payloadCursor } from "../../src/wire/payload-cursor.ts"
import { userAgentBytes, userAgentText } from "../../src/wire/user-agent.ts"
import { anyMessage, MESSAGES } from "./arbitraries.ts"
import { check } from "./check.ts"
import { fromHex, toHex } from "./hex.ts"

const CONTRACT: ReadonlyArray<Command> = [
  "version",
  "verack",
  "addr",
  "getaddr",
  "inv",
  "getdata",
  "notfound",
  "block",
  "tx",
  "getheaders",
  "headers",
  "getblocks",
  "ping",
  "pong",
  "mempool",
  "feefilter",
  "sendcmpct",
  "cmpctblock",
  "getblocktxn",
  "blocktxn"
]
const ADDED: ReadonlyArray<Command> = [
  "addrv2",
  "sendaddrv2",
  "wtxidrelay",
  "dandeliontx",
  "sendheaders",
  "getcfilters",
  "cfilter",
  "getcfheaders",
  "cfheaders",
  "getcfcheckpt",
  "cfcheckpt",
  "filterload",
  "filteradd",
  "filterclear",
  "merkleblock",
  "feature",
  "sendpackages",
  "ancpkginfo",
  "getpkgtxns",
  "pkgtxns",
  "sendtxrcncl"
]

const refusal = (command: Command, hex: string): PayloadFault => {
  const decoded = decodeMessage(command, fromHex(hex))
  assert(Result.isFailure(decoded))
  return decoded.failure
}

const decoded = <C extends Command>(command: C, hex: string) => Result.getOrThrow(decodeMessage(command, fromHex(hex)))

/** Plain data with bytes as digits, whatever buffer they are views of. */
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return toHex(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

describe("messages", () => {
  it("are understood by the commands of the contract, and those of BIP37, 130, 155, 157, 331, 339 and 434", () => {
    assert.deepStrictEqual([...COMMANDS].sort(), [...CONTRACT, ...ADDED].sort())
    for (const name of ["reject", "alert", "constructor", "toString", ""]) {
      assert.isFalse(isCommand(name))
    }
  })

  it.each(COMMANDS)("%s is read back as it was written", (command) => {
    check(
      fc.property(MESSAGES[command] as fc.Arbitrary<Message>, (message) => {
        const payload = encodeMessage(message)
        const { message: again, trailing } = Result.getOrThrow(decodeMessage(command, payload))
        assert.deepStrictEqual(plain(again), plain(message))
        assert.lengthOf(trailing, 0)
        assert.isAtMost(payload.length, payloadMost(DEFAULT_LIMITS))
      })
    )
  })

  it("keep apart what follows them, wherever in a buffer they are", () => {
    check(
      fc.property(
        anyMessage,
        fc.uint8Array({ maxLength: 9 }),
        fc.uint8Array({ minLength: 1, maxLength: 9 }),
        (message, before, after) => {
          // An empty ping is one only if nothing follows; a block, and a version cut short, are all that there is.
          // What follows the end of `feature` is an error (BIP434).
          fc.pre(
            message.command !== "feature" && message.command !== "block" &&
              !(message.command === "version" && message.relay === undefined)
          )
          fc.pre(!(message.command === "ping" && message.nonce === undefined))
          const payload = encodeMessage(message)
          const buffer = Uint8Array.of(...before, ...payload, ...after)
          const { message: again, trailing } = Result.getOrThrow(
            decodeMessage(message.command, buffer.subarray(before.length))
          )
          assert.strictEqual(toHex(encodeMessage(again)), toHex(payload))
          assert.strictEqual(toHex(trailing), toHex(after))
        }
      ),
      300
    )
  })

  it("cut short are refused, or are what a shorter message is", () => {
    check(
      fc.property(anyMessage, fc.nat(), (message, at) => {
        const payload = encodeMessage(message)
        fc.pre(payload.length > 0)
        const cut = payload.subarray(0, at % payload.length)
        const answer = decodeMessage(message.command, cut)
        if (Result.isFailure(answer)) return assert.include(["Malformed", "WrongAddressLength"], answer.failure._tag)
        assert.include(["version", "ping", "block"], message.command)
        assert.strictEqual(toHex(encodeMessage(answer.success.message)), toHex(cut))
      }),
      300
    )
  })
})

describe("version", () => {
  const start = `80110100090000000000000025e55665000000000100${"00".repeat(6)}${"00".repeat(10)}ffff7f0000012078`
  const sender = `${"00".repeat(26)}0102030405060708`

  it.each([
    ["the receiver", start, [undefined, undefined, undefined, undefined]],
    ["the nonce", start + sender, [0x0807060504030201n, undefined, undefined, undefined]],
    ["the user agent", `${start}${sender}022f2f`, [0x0807060504030201n, "2f2f", undefined, undefined]],
    ["the height", `${start}${sender}0042010000`, [0x0807060504030201n, "", 322, undefined]],
    ["a relay byte of 2", `${start}${sender}004201000002`, [0x0807060504030201n, "", 322, 2]]
  ])("may end behind %s, as Bitcoin Core lets it", (_, hex, [nonce, agent, height, relay]) => {
    const { message } = decoded("version", hex)
    assert.strictEqual(message.version, 70_016)
    assert.strictEqual(message.receiver.port, 0x2078)
    assert.deepStrictEqual(plain(message.receiver.address), { network: 1, bytes: "7f000001" })
    assert.deepStrictEqual(
      [message.sender?.nonce, message.userAgent && toHex(message.userAgent), message.startHeight, message.relay],
      [nonce, agent, height, relay]
    )
    assert.strictEqual(toHex(encodeMessage(message)), hex)
    assert.isTrue(wantsTransactions(message))
  })

  it("that ends inside a field is refused", () => {
    for (const hex of [start.slice(2), `${start}00`, `${start}${sender}05`, `${start}${sender}00420100`]) {
      assert.strictEqual(refusal("version", hex)._tag, "Malformed")
    }
  })

  it("with a zero relay byte asks for no transactions", () => {
    assert.isFalse(wantsTransactions(decoded("version", `${start}${sender}004201000000`).message))
  })

  it("shows of its user agent only what is harmless on a terminal", () => {
    assert.strictEqual(userAgentText(userAgentBytes("/Satoshi:31.0.0(a, b)/")), "/Satoshi:31.0.0(a, b)/")
    assert.strictEqual(userAgentText(fromHex("2f1b5b33316d3c613e0a00ff2f")), "/31ma/")
  })
})

describe("payloads that are refused", () => {
  it.each<[string, Command, string, string]>([
    ["a compact size not in its shortest form", "inv", "fd0100", "Malformed"],
    ["a feature without a name", "feature", "0000", "WrongLength"],
    ["a feature's name of 3 bytes", "feature", "0361616100", "WrongLength"],
    ["a feature's name of 81 bytes", "feature", `51${"61".repeat(81)}00`, "WrongLength"],
    ["513 bytes of a feature's data", "feature", `0461626364fd0102${"00".repeat(513)}`, "WrongLength"],
    ["bytes behind a feature", "feature", "04616263640000", "Malformed"],
    ["a feature's name that is cut short", "feature", "0a6162636465", "Malformed"],
    ["a feature's data that is cut short", "feature", "04616263640a7878", "Malformed"],
    ["an announce flag of 2", "sendcmpct", "020200000000000000", "NotAFlag"],
    ["a torv3 address of 16 bytes", "addrv2", `0100000000000410${"00".repeat(16)}0000`, "WrongAddressLength"],
    [
      "an address of 513 bytes of an unknown network",
      "addrv2",
      `01000000000063fd0102${"00".repeat(513)}0000`,
      "TooLong"
    ],
    ["services of 252 in three bytes", "addrv2", `0100000000fdfc000104000000000000`, "Malformed"],
    ["services of 65,535 in five bytes", "addrv2", `0100000000feffff00000104000000000000`, "Malformed"],
    ["services of 32 bits in nine bytes", "addrv2", `0100000000ffffffffff000000000104000000000000`, "Malformed"],
    ["services not in their shortest form", "addrv2", `0100000000fd0100${"0104000000000000"}`, "Malformed"],
    [
      "an index above 65,535 (CVE-2024-35202 is about messages with odd indexes)",
      "getblocktxn",
      `${"00".repeat(32)}02fdffff00`,
      "IndexOverflow"
    ],
    [
      "an index whose difference alone is above 65,535",
      "getblocktxn",
      `${"00".repeat(32)}01fe00000100`,
      "IndexOverflow"
    ],
    [
      "a prefilled difference above 65,535",
      "cmpctblock",
      `${"00".repeat(88)}0001fe00000100${"00".repeat(10)}`,
      "IndexOverflow"
    ]
  ])("%s", (_, command, hex, tag) => {
    const fault = refusal(command, hex)
    assert.strictEqual(fault._tag, tag)
    assert.isNotEmpty(faultText(fault))
  })

  it("say what is wrong", () => {
    assert.strictEqual(
      faultText(refusal("addrv2", `01000000000001050000000000208d`)),
      "address of network 1 with 5 bytes instead of 4"
    )
    assert.strictEqual(
      faultText(refusal("sendcmpct", "020200000000000000")),
      "invalid sendcmpct announce field, 2 where only 0 or 1 may stand"
    )
    assert.strictEqual(faultText(refusal("pong", "01")), "the payload ends before what it declares (byte 0)")
    assert.strictEqual(
      faultText(refusal("getblocktxn", `${"00".repeat(32)}02fdffff00`)),
      "an index above 65535 (byte 36)"
    )
  })

  it("only cost the peer something where no honest software sends them", () => {
    const many: PayloadFault = { _tag: "TooMany", what: "headers", count: 2_001, most: 2_000 }
    assert.strictEqual(payloadConsequence("headers", many), "discourage")
    assert.strictEqual(payloadConsequence("notfound", many), "ignore")
    assert.strictEqual(payloadConsequence("getheaders", many), "disconnect")
  })
})

describe("indexes of getblocktxn", () => {
  it("are differences on the wire, up to the last that 16 bits can say", () => {
    const { message } = decoded("getblocktxn", `${"00".repeat(32)}03000000`)
    assert.deepStrictEqual(message.indexes, [0, 1, 2])
    assert.deepStrictEqual(decoded("getblocktxn", `${"00".repeat(32)}02fdfeff00`).message.indexes, [65_534, 65_535])
  })
})

describe("every codec", () => {
  it("is under the name of its command", () => {
    for (const command of COMMANDS) {
      const empty = payloadCursor(new Uint8Array(0))
      assert.strictEqual(CODECS[command].read(empty, DEFAULT_LIMITS).command, command)
    }
  })
})
