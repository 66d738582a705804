import { type RuleId, RULES } from "@lockstep/kernel/rule-ids"
import { SCRIPT_ERROR_NAMES } from "@lockstep/kernel/script"
import { violation } from "@lockstep/kernel/verdict"
import { assert, describe, it } from "vitest"
import type { Offender } from "../src/rejection/debug-message.ts"
import { rejectionOf, rejectionText } from "../src/rejection/rejection.ts"
import { rejectionClass } from "../src/rejection/rejection-class.ts"
import { SCRIPT_ERROR_TEXTS } from "../src/rejection/script-error-text.ts"

const WITH_REASON = (Object.keys(RULES) as ReadonlyArray<RuleId>).filter((id) => RULES[id].reject !== "")

/** Details that a reason or a message is made of. */
const DETAILS: Partial<Record<RuleId, object>> = {
  "HDR-005": { version: 3 },
  "TXI-002": { prevout: { txid: new Uint8Array(32), vout: 0 }, coinHeight: 1, spendHeight: 100 },
  "TXI-004": { valueIn: 5_000_000_000n, valueOut: 5_012_345_600n },
  "UTX-008": { paid: 11n, limit: 10n }
}

const OFFENDER = { txid: "aa", wtxid: "bb", spends: [{ txid: "cc", vout: 7 }, { txid: "dd", vout: 8 }] }

const textOf = (id: RuleId, offender?: Offender): string =>
  rejectionText(rejectionOf(violation(id, DETAILS[id] ?? null), offender))

describe("rejections", () => {
  it.each(WITH_REASON.filter((id) => id !== "HDR-005"))("%s is refused with the reason its rule states", (id) => {
    assert.strictEqual(rejectionOf(violation(id, DETAILS[id] ?? null)).reason, RULES[id].reject)
  })

  it("an old version is shown as eight digits, a negative one in two's complement", () => {
    assert.strictEqual(rejectionOf(violation("HDR-005", { version: 3 })).reason, "bad-version(0x00000003)")
    assert.strictEqual(rejectionOf(violation("HDR-005", { version: -1 })).reason, "bad-version(0xffffffff)")
  })

  it("a script that fails is refused with the words of its error, whatever rule it breaks", () => {
    const { class: what, reason } = rejectionOf(violation("OPC-104", { error: "UNBALANCED_CONDITIONAL" }))
    assert.strictEqual(reason, "block-script-verify-flag-failed (Invalid OP_IF construction)")
    assert.strictEqual(what, "invalid")
  })

  it("a rule about one transaction of a block names it", () => {
    assert.strictEqual(textOf("TXN-007", OFFENDER), "bad-txns-inputs-duplicate, Transaction check failed (tx hash aa) ")
    assert.strictEqual(
      textOf("TXI-001", OFFENDER),
      "bad-txns-inputs-missingorspent, CheckTxInputs: inputs missing/spent in transaction aa"
    )
    assert.strictEqual(
      textOf("TXI-004", OFFENDER),
      "bad-txns-in-belowout, value in (50.00) < value out (50.123456) in transaction aa"
    )
    assert.strictEqual(textOf("TXI-005", OFFENDER), "bad-txns-fee-outofrange,  in transaction aa")
    assert.strictEqual(textOf("TXI-008", OFFENDER), "bad-txns-nonfinal, contains a non-BIP68-final transaction aa")
  })

  it("of a transaction outside of any block Bitcoin Core says less", () => {
    assert.strictEqual(textOf("TXN-007"), "bad-txns-inputs-duplicate")
    assert.strictEqual(textOf("TXI-002"), "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 99")
    assert.strictEqual(textOf("TXI-003"), "bad-txns-inputvalues-outofrange")
    assert.strictEqual(textOf("TXI-008"), "bad-txns-nonfinal")
  })

  it("a script that fails is reported with its input and the output that it spends", () => {
    const failed = violation("OPC-104", { error: "UNBALANCED_CONDITIONAL", input: 1, job: 0 })
    assert.strictEqual(
      rejectionText(rejectionOf(failed, OFFENDER)),
      "block-script-verify-flag-failed (Invalid OP_IF construction), input 1 of aa (wtxid bb), spending dd:8"
    )
  })

  it("what a block as a whole breaks is reported in Bitcoin Core's words", () => {
    assert.strictEqual(textOf("BLK-008"), "bad-blk-sigops, out-of-bounds SigOpCount")
    assert.strictEqual(textOf("UTX-007"), "bad-blk-sigops, too many sigops")
    assert.strictEqual(textOf("UTX-008"), "bad-cb-amount, coinbase pays too much (actual=11 vs limit=10)")
    assert.strictEqual(textOf("HDR-005"), "bad-version(0x00000003), rejected nVersion=0x00000003 block")
  })

  it("every reason but that of scripts has a message about a block's transaction", () => {
    const silent = WITH_REASON.filter((id) =>
      !/^(OPC|POL|SCR|SIG|SPM|TAP|WIT|UTX-010)/.test(id) && !textOf(id, OFFENDER).includes(", ")
    )
    assert.deepStrictEqual(silent, [])
  })

  it("every script error has words of its own", () => {
    assert.deepStrictEqual(Object.keys(SCRIPT_ERROR_TEXTS).toSorted(), SCRIPT_ERROR_NAMES.toSorted())
    assert.strictEqual(new Set(Object.values(SCRIPT_ERROR_TEXTS)).size, SCRIPT_ERROR_NAMES.length)
  })

  it.each(["BLK-002", "BLK-003", "BLK-011", "BLK-012", "BLK-013"] as const)(
    "%s says nothing about the header",
    (id) => {
      assert.strictEqual(rejectionClass(id), "mutated")
    }
  )

  it("only a header from the future may be right later", () => {
    assert.deepStrictEqual(WITH_REASON.filter((id) => rejectionClass(id) === "too far in the future"), ["HDR-004"])
  })
})
