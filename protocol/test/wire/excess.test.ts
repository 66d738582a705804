import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Command, COMMANDS, type Message } from "../../src/wire/codecs.ts"
import { payloadConsequence } from "../../src/wire/consequence.ts"
import { EXCESS } from "../../src/wire/excess.ts"
import { decodeMessage, encodeMessage, messageBytes } from "../../src/wire/message.ts"
import { MESSAGES } from "./arbitraries.ts"
import { check } from "./check.ts"
import { fromHex, toHex } from "./hex.ts"

/** A count on the wire, in whatever form a test wants it. */
type Count = (value: number) => string

/** What Bitcoin Core makes of a payload: it takes it, drops it, or ends the connection over it. */
type Outcome = "read" | "ignore" | "disconnect" | "discourage"

interface Row {
  readonly payload: (count: Count) => string
  /** Counts that may be one too high, from 0 on: numbers that nothing is counted by, or that are never read. */
  readonly oneMore?: ReadonlyArray<number>
  /** Counts that may be 2²⁵, the most that any may be, though nothing of that is there. */
  readonly huge?: ReadonlyArray<number>
}

const H = (bytes: number): string => "00".repeat(bytes)
const little = (value: number, bytes: number): string => {
  const digits = value.toString(16).padStart(2 * bytes, "0")
  return digits.match(/../g)!.toReversed().join("")
}
const shortest: Count = (value) =>
  value < 253 ? little(value, 1) : value < 0x10000 ? `fd${little(value, 2)}` : `fe${little(value, 4)}`

// Nothing in them is another transaction where a count is read wrong.
const OUTPOINT = "ab".repeat(36)
const VALUE = "ff".repeat(8)
const bareTx = (c: Count): string => `01000000${c(1)}${OUTPOINT}${c(1)}51ffffffff${c(1)}${VALUE}${c(1)}51ffffffff`
const witnessTx = (c: Count): string =>
  `010000000001${c(1)}${OUTPOINT}${c(1)}51ffffffff${c(1)}${VALUE}${c(1)}51${c(1)}${c(2)}0102ffffffff`
const inventory: Row = { payload: (c) => `${c(2)}${H(72)}` }
const locator: Row = { payload: (c) => `${H(4)}${c(2)}${H(64)}${H(32)}` }
const empty: Row = { payload: () => "" }
const eight: Row = { payload: () => "0100000000000000" }

const ROWS: Readonly<Record<Command, Row>> = {
  // A user agent that takes a byte of the height leaves four for it, and no relay byte.
  version: { payload: (c) => `80110100${H(16)}${H(26)}${H(34)}${c(2)}2f2f0000000001`, oneMore: [0] },
  verack: empty,
  addr: { payload: (c) => `${c(2)}${H(60)}` },
  addrv2: { payload: (c) => `${c(1)}${H(4)}${c(9)}01${c(4)}0808080800ff`, oneMore: [1], huge: [1] },
  getaddr: empty,
  sendaddrv2: empty,
  inv: inventory,
  getdata: inventory,
  notfound: inventory,
  // The engine finds the end of a block where it decodes it.
  block: { payload: () => `${H(80)}01${bareTx(shortest)}` },
  tx: { payload: bareTx },
  dandeliontx: { payload: witnessTx },
  wtxidrelay: empty,
  getheaders: locator,
  // The counts behind headers are for transactions that are not there.
  headers: { payload: (c) => `${c(2)}${H(80)}${c(0)}${H(80)}${c(3)}`, oneMore: [1, 2], huge: [1, 2] },
  getblocks: locator,
  sendheaders: empty,
  ping: eight,
  pong: eight,
  mempool: empty,
  feefilter: eight,
  feature: { payload: (c) => `${c(4)}61626364${c(2)}0909` },
  sendcmpct: { payload: () => "000200000000000000" },
  cmpctblock: { payload: (c) => `${H(88)}${c(2)}${H(12)}${c(1)}${c(0)}${bareTx(c)}`, oneMore: [2] },
  getblocktxn: { payload: (c) => `${H(32)}${c(2)}${c(0)}${c(5)}`, oneMore: [1, 2] },
  blocktxn: { payload: (c) => `${H(32)}${c(2)}${bareTx(c)}${witnessTx(c)}` },
  getcfilters: { payload: () => H(37) },
  cfilter: { payload: (c) => `${H(33)}${c(2)}0102` },
  getcfheaders: { payload: () => H(37) },
  cfheaders: { payload: (c) => `${H(65)}${c(2)}${H(64)}` },
  getcfcheckpt: { payload: () => H(33) },
  cfcheckpt: { payload: (c) => `${H(33)}${c(2)}${H(64)}` },
  filterload: { payload: (c) => `${c(2)}0102${H(9)}` },
  filteradd: { payload: (c) => `${c(2)}0102` },
  filterclear: empty,
  merkleblock: { payload: (c) => `${H(84)}${c(2)}${H(64)}${c(1)}03` },
  sendpackages: eight,
  ancpkginfo: { payload: (c) => `${c(2)}${H(64)}` },
  getpkgtxns: { payload: (c) => `${c(2)}${H(64)}` },
  pkgtxns: { payload: (c) => `${c(2)}${bareTx(c)}${witnessTx(c)}` },
  sendtxrcncl: { payload: () => `01000000${H(8)}` }
}

const outcomeOf = (command: Command, payload: Uint8Array): Outcome => {
  const whole = decodeMessage(command, payload)
  const bytes = messageBytes(command, payload)
  const outcome = Result.isSuccess(whole) ? "read" : payloadConsequence(command, whole.failure)
  assert.strictEqual(Result.isSuccess(bytes), Result.isSuccess(whole), command)
  if (Result.isSuccess(bytes) && Result.isSuccess(whole)) {
    assert.strictEqual(bytes.success.length + whole.success.trailing.length, payload.length)
  }
  return outcome
}

const countsOf = ({ payload }: Row): number => {
  let counts = 0
  payload((value) => {
    counts++
    return shortest(value)
  })
  return counts
}

/** The payload with the count at `place` in another form. */
const withCount = ({ payload }: Row, place: number, other: Count): Uint8Array => {
  let at = 0
  return fromHex(payload((value) => (at++ === place ? other(value) : shortest(value))))
}

const PLACES = COMMANDS.flatMap((command) =>
  Array.from({ length: countsOf(ROWS[command]) }, (_, place) => ({ command, place }))
)

const RULE: Readonly<Record<Command, Outcome>> = Object.fromEntries(
  COMMANDS.map((command) => [command, command === "feature" ? "disconnect" : "ignore"])
) as Record<Command, Outcome>

describe("bytes behind a message", () => {
  it.each(COMMANDS)("%s: trailing bytes, one as well as many, change nothing of it", (command) => {
    const payload = fromHex(ROWS[command].payload(shortest))
    assert.strictEqual(outcomeOf(command, payload), "read")
    for (const more of [1, 2, 81, 5_000, 100_000]) {
      const longer = new Uint8Array(payload.length + more).fill(0xfd)
      longer.set(payload)
      // BIP434: nothing may stand behind a feature.
      assert.strictEqual(outcomeOf(command, longer), command === "feature" ? "disconnect" : "read", `${more}`)
      if (command === "feature" || command === "block") continue
      assert.strictEqual(toHex(Result.getOrThrow(messageBytes(command, longer))), toHex(payload))
      const { message, trailing } = Result.getOrThrow(decodeMessage(command, longer))
      assert.strictEqual(trailing.length, more)
      assert.deepStrictEqual(
        toHex(encodeMessage(message as Message)),
        toHex(encodeMessage(Result.getOrThrow(decodeMessage(command, payload)).message as Message))
      )
    }
  })
})

describe("counts of a message", () => {
  it.each(PLACES)(
    "$command, count $place: in a longer form than it needs the payload is none",
    ({ command, place }) => {
      for (const form of [(n: number) => `fd${little(n, 2)}`, (n: number) => `fe${little(n, 4)}`]) {
        assert.strictEqual(outcomeOf(command, withCount(ROWS[command], place, form)), RULE[command])
      }
      assert.strictEqual(
        outcomeOf(command, withCount(ROWS[command], place, (n) => `ff${little(n, 8)}`)),
        RULE[command]
      )
    }
  )

  it.each(PLACES)("$command, count $place: of more than is there", ({ command, place }) => {
    const { huge = [], oneMore = [] } = ROWS[command]
    const one = withCount(ROWS[command], place, (n) => shortest(n + 1))
    assert.strictEqual(outcomeOf(command, one), oneMore.includes(place) ? "read" : RULE[command], "one")
    // Headers alone are too many by their count: Bitcoin Core looks at it first.
    const otherwise = command === "headers" ? "discourage" : RULE[command]
    const most = withCount(ROWS[command], place, () => "fe00000002")
    assert.strictEqual(outcomeOf(command, most), huge.includes(place) ? "read" : otherwise, "most")
    const above = withCount(ROWS[command], place, () => "fe01000002")
    const isNumber = command === "addrv2" && place === 1
    assert.strictEqual(outcomeOf(command, above), isNumber ? "read" : RULE[command], "above the most")
  })
})

describe("a list that is too long", () => {
  const entry = `${H(4)}0001040808080800ff`
  it.each<readonly [Command, number, (count: number) => string, Outcome]>([
    ["addr", 1_000, (n) => `${shortest(n)}${H(30 * n)}`, "discourage"],
    ["addrv2", 1_000, (n) => `${shortest(n)}${entry.repeat(n)}`, "discourage"],
    ["inv", 50_000, (n) => `${shortest(n)}${H(36 * n)}`, "discourage"],
    ["getdata", 50_000, (n) => `${shortest(n)}${H(36 * n)}`, "discourage"],
    ["notfound", 50_000, (n) => `${shortest(n)}${H(36 * n)}`, "ignore"],
    ["getheaders", 101, (n) => `${H(4)}${shortest(n)}${H(32 * n)}${H(32)}`, "disconnect"],
    ["getblocks", 101, (n) => `${H(4)}${shortest(n)}${H(32 * n)}${H(32)}`, "disconnect"],
    ["getpkgtxns", 100, (n) => `${shortest(n)}${H(32 * n)}`, "disconnect"],
    ["pkgtxns", 100, (n) => `${shortest(n)}${bareTx(shortest).repeat(n)}`, "disconnect"]
  ])("%s: is one only if all of it is there, and the rest of the message too", (command, most, payloadOf, then) => {
    assert.strictEqual(outcomeOf(command, fromHex(payloadOf(most))), "read")
    const long = fromHex(payloadOf(most + 1))
    assert.strictEqual(outcomeOf(command, long), then)
    assert.strictEqual(outcomeOf(command, Buffer.concat([long, new Uint8Array(1)])), then)
    assert.strictEqual(outcomeOf(command, long.subarray(0, -1)), "ignore")
    assert.strictEqual(outcomeOf(command, long.subarray(0, 40)), "ignore")
  })

  it("headers: is one by its count, whatever follows", () => {
    const long = fromHex(`${shortest(2_001)}${H(81 * 2_001)}`)
    for (const length of [long.length, 100, 3]) {
      assert.strictEqual(outcomeOf("headers", long.subarray(0, length)), "discourage")
    }
  })
})

describe("the table of excess", () => {
  it("has every command, and few that are not as lenient as the rest", () => {
    assert.sameMembers(Object.keys(EXCESS), [...COMMANDS])
    const strict = COMMANDS.filter((command) => EXCESS[command].behind !== "unread")
    assert.deepStrictEqual(strict, ["feature"])
    const by = (consequence: string) => COMMANDS.filter((command) => EXCESS[command].tooMany === consequence)
    assert.sameMembers(by("discourage"), ["addr", "addrv2", "inv", "getdata", "headers"])
    assert.sameMembers(by("disconnect"), ["getheaders", "getblocks", "getpkgtxns", "pkgtxns"])
  })
})

describe("a message that is measured instead of decoded", () => {
  it.each<Command>(["tx", "dandeliontx", "cmpctblock", "blocktxn", "pkgtxns"])(
    "%s: ends where it does when it is decoded, and is none where it is none",
    (command) => {
      check(
        fc.property(
          MESSAGES[command] as fc.Arbitrary<Message>,
          fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 2, 3, 252, 253, 254, 255)), { maxLength: 3 }),
          fc.nat(),
          (message, changes, cut) => {
            const payload = encodeMessage(message).slice()
            for (const [at, value] of changes) payload[at % payload.length] = value
            outcomeOf(command, payload)
            outcomeOf(command, payload.subarray(0, cut % (payload.length + 1)))
          }
        ),
        400
      )
    }
  )

  it("tx: a witness without items, and a flag other than 1, are none", () => {
    const superfluous = `010000000001${shortest(1)}${H(36)}00ffffffff${shortest(0)}00${H(4)}`
    assert.strictEqual(outcomeOf("tx", fromHex(superfluous)), "ignore")
    for (const flag of ["02", "03", "80"]) {
      assert.strictEqual(outcomeOf("tx", fromHex(witnessTx(shortest).replace("0001", `00${flag}`))), "ignore")
    }
  })
})
