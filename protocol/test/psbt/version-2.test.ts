import { nobleCrypto } from "@lockstep/kernel/noble"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { encodePsbt } from "../../src/psbt/encode-psbt.ts"
import { mergePsbt } from "../../src/psbt/merge-psbts.ts"
import type { Psbt } from "../../src/psbt/psbt.ts"
import { lockTimeOf, uniqueId } from "../../src/psbt/unsigned-transaction.ts"
import { bytes, decoded, faultOf, type Field, field, hex, serialized } from "./build.ts"

const TXID = "0b0ad921419c1c8719735d72dc739f9ea9e0638d1fe4c1eef0f9944084815fc8"
const OTHER = "ab0949a08c5af7c49b8212f417e2f15ab3f5c33dcf153821a8139f877a5b7be4"

const GLOBALS = [field(2, "02000000"), field(3, "00000000"), field(4, "01"), field(5, "01"), field(0xfb, "02000000")]
const INPUT = [field(0x0e, TXID), field(0x0f, "00000000"), field(0x10, "feffffff")]
const OUTPUT = [field(3, "8bbdeb0b00000000"), field(4, "0014a07dac8ab6ca942d379ed795f835ba71c9cc6885")]

const TX = `0200000001${TXID}0000000000feffffff018bbdeb0b00000000160014a07dac8ab6ca942d379ed795f835ba71c9cc688500000000`
const VERSION_0 = [field(0, TX)]

const without = (fields: ReadonlyArray<Field>, type: number): ReadonlyArray<Field> =>
  fields.filter(([key]) => key[0] !== type)

const psbtOf = (of: Uint8Array): Psbt => Result.getOrThrow(decoded(of))

/** One with inputs that ask for lock times. */
const locked = (...inputs: ReadonlyArray<ReadonlyArray<Field>>): Psbt =>
  psbtOf(serialized(
    [...without(GLOBALS, 4), field(4, inputs.length.toString(16).padStart(2, "0"))],
    ...inputs.map((extra, i) => [field(0x0e, i === 0 ? TXID : OTHER), field(0x0f, "00000000"), ...extra]),
    OUTPUT
  ))

const height = field(0x12, "10270000")
const greaterHeight = field(0x12, "204e0000")
const time = field(0x11, "8c8dc462")
const greaterTime = field(0x11, "008fc462")

describe("version 2 of partially signed transactions", () => {
  it("what is asked for must be there, and what version 0 has must not", () => {
    assert.isUndefined(faultOf(serialized(GLOBALS, INPUT, OUTPUT)))
    const cases: ReadonlyArray<readonly [fault: string, of: Uint8Array]> = [
      ["PSBT_GLOBAL_TX_VERSION is required in PSBTv2", serialized(without(GLOBALS, 2), INPUT, OUTPUT)],
      ["PSBT_GLOBAL_INPUT_COUNT is required in PSBTv2", serialized(without(GLOBALS, 4), INPUT, OUTPUT)],
      ["PSBT_GLOBAL_OUTPUT_COUNT is required in PSBTv2", serialized(without(GLOBALS, 5), INPUT, OUTPUT)],
      ["PSBT_GLOBAL_UNSIGNED_TX is not allowed in PSBTv2", serialized([...VERSION_0, ...GLOBALS], INPUT, OUTPUT)],
      ["Previous TXID is required in PSBTv2", serialized(GLOBALS, without(INPUT, 0x0e), OUTPUT)],
      ["Previous output's index is required in PSBTv2", serialized(GLOBALS, without(INPUT, 0x0f), OUTPUT)],
      ["Output amount is required in PSBTv2", serialized(GLOBALS, INPUT, without(OUTPUT, 3))],
      ["Output script is required in PSBTv2", serialized(GLOBALS, INPUT, without(OUTPUT, 4))],
      ["There is no PSBT version 1", serialized([...without(GLOBALS, 0xfb), field(0xfb, "01000000")], INPUT, OUTPUT)],
      ["Unsupported version number", serialized([...without(GLOBALS, 0xfb), field(0xfb, "03000000")], INPUT, OUTPUT)],
      [
        "Required time based locktime is invalid (less than 500000000)",
        serialized(GLOBALS, [...INPUT, field(0x11, "ff64cd1d")], OUTPUT)
      ],
      [
        "Required height based locktime is invalid (greater than or equal to 500000000)",
        serialized(GLOBALS, [...INPUT, field(0x12, "0065cd1d")], OUTPUT)
      ],
      [
        "Required height based locktime is invalid (0)",
        serialized(GLOBALS, [...INPUT, field(0x12, "00000000")], OUTPUT)
      ]
    ]
    for (const [fault, of] of cases) assert.strictEqual(faultOf(of), `${fault}: iostream error`)
  })

  it("version 0 has none of its fields", () => {
    assert.isUndefined(faultOf(serialized(VERSION_0, [], [])))
    const globals = { TX_VERSION: 2, FALLBACK_LOCKTIME: 3, INPUT_COUNT: 4, OUTPUT_COUNT: 5, TX_MODIFIABLE: 6 }
    for (const [name, type] of Object.entries(globals)) {
      const value = type === 4 || type === 5 ? "01" : type === 6 ? "00" : "02000000"
      const fault = faultOf(serialized([...VERSION_0, field(type, value)], [], []))
      assert.strictEqual(fault, `PSBT_GLOBAL_${name} is not allowed in PSBTv0: iostream error`)
    }
    for (const extra of [...INPUT, height, time]) {
      assert.match(faultOf(serialized(VERSION_0, [extra], []))!, /is not allowed in PSBTv0/)
    }
    for (const extra of OUTPUT) assert.match(faultOf(serialized(VERSION_0, [], [extra]))!, /is not allowed in PSBTv0/)
  })

  it("both versions stand for the same transaction, whose sequence numbers version 2 may still change", () => {
    const whole = serialized(GLOBALS, INPUT, OUTPUT)
    assert.strictEqual(hex(encodePsbt(psbtOf(whole))), hex(whole))
    const zero = [...without(INPUT, 0x10), field(0x10, "00000000")]
    const [a, b] = [psbtOf(whole), psbtOf(serialized(GLOBALS, zero, OUTPUT))]
    assert.deepStrictEqual(uniqueId(a, nobleCrypto), uniqueId(b, nobleCrypto))
    assert.isTrue(mergePsbt(a, b, nobleCrypto))
    assert.isFalse(mergePsbt(a, psbtOf(serialized(VERSION_0, [], [])), nobleCrypto), "they are of two versions")
  })

  it("the lock time is the greatest that is asked for, a height where all can take one", () => {
    const cases: ReadonlyArray<readonly [expected: number | undefined, psbt: Psbt]> = [
      [0, locked([])],
      [0, locked([], [])],
      [10_000, locked([height])],
      [20_000, locked([height], [greaterHeight])],
      [20_000, locked([height], [greaterHeight, time])],
      [20_000, locked([height, time], [greaterHeight, time])],
      [1_657_048_460, locked([time])],
      [1_657_048_832, locked([height, time], [greaterTime])],
      [1_657_048_460, locked([time], [])],
      [undefined, locked([height], [time])]
    ]
    for (const [expected, psbt] of cases) assert.strictEqual(lockTimeOf(psbt), expected)
  })

  it("of flags, both must allow a change; a signature of SIGHASH_SINGLE is there when one says so", () => {
    const flagged = (flags: string) => psbtOf(serialized([...GLOBALS, field(6, flags)], INPUT, OUTPUT))
    const a = flagged("03")
    assert.isTrue(mergePsbt(a, flagged("05"), nobleCrypto))
    assert.strictEqual(a.modifiable, 5)
    const b = flagged("03")
    assert.isTrue(mergePsbt(b, psbtOf(serialized(GLOBALS, INPUT, OUTPUT)), nobleCrypto))
    assert.strictEqual(b.modifiable, 0)
    assert.deepStrictEqual(bytes(hex(encodePsbt(b))), encodePsbt(b))
  })
})
