import * as amounts from "@lockstep/kernel/internal/spam/amounts.ts"
import { checkSpam } from "@lockstep/kernel/internal/spam/check-spam.ts"
import { envelopeIsAbsent, tokenDocumentIsAbsent } from "@lockstep/kernel/internal/spam/content.ts"
import { spamPolicy, type SpamPolicy, type SpamPreset } from "@lockstep/kernel/internal/spam/spam-policy.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { pushingSpend, relayedOutput } from "../../arbitraries/relay.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { check } from "../../check.ts"
import { ascii, join, toHex } from "../../oracles/byte-string.ts"
import { isUnspendable, valueOut } from "../../oracles/coins.ts"
import { instructionsOf, isPushOnly, pushOf } from "../../oracles/instructions.ts"
import { firstBroken, outputType } from "../../oracles/relay.ts"
import { type NaiveOutput, type NaiveTransaction, serializeTransaction } from "../../oracles/transaction.ts"
import { witnessProgram } from "../../oracles/witness.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const says = (verdict: Verdict<unknown>, holds: boolean, rule: string): void =>
  agree(verdictName(verdict), holds ? "OK" : rule)

const TOKEN = ascii("\"brc-20\"")
const envelope = fc.array(anyScript, { maxLength: 2 }).map((parts) =>
  join(...parts, [0, 99], pushOf(ascii("ord")), [104])
)
const token = fc.tuple(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 4 })).map(([a, b]) =>
  join(a, TOKEN, b)
)
const data: Arbitrary<Uint8Array> = fc.oneof(anyScript, envelope, token, token.map((bytes) => bytes.subarray(1)))

const hasEnvelope = (script: Uint8Array): boolean =>
  instructionsOf(script).instructions.some(({ end, opcode }) => opcode === 0 && script[end] === 99)
const hasToken = (script: Uint8Array): boolean =>
  toHex(script).replace(/../g, "$&.").includes(toHex(TOKEN).replace(/../g, "$&."))

const limit = fc.option(fc.nat(20), { nil: undefined })
const amount = fc.bigInt({ min: 0n, max: 30n })
const least = fc.constantFrom(0, 0.5, 1, 1.5, 2)

const anyPolicy: Arbitrary<SpamPolicy> = fc.oneof(
  fc.constantFrom<SpamPreset>("disabled", "conservative", "moderate", "aggressive", "strict_inscriptions").map(
    spamPolicy
  ),
  fc.record({
    envelopes: fc.boolean(),
    tokenDocuments: fc.boolean(),
    minOutputValue: fc.constantFrom(0n, 300n),
    maxWitnessItem: fc.constantFrom(undefined, 40, 4_000),
    minFeeRate: fc.constantFrom(0, 1),
    maxBytesPerSatoshi: fc.constantFrom(undefined, 1),
    maxSmallOutputs: fc.constantFrom(undefined, 0, 1),
    smallOutputValue: fc.constantFrom(400n, 546n)
  })
)

/** Some scriptSigs and witnesses with data in them. */
const spend: Arbitrary<readonly [NaiveTransaction, ReadonlyArray<NaiveOutput>]> = fc
  .tuple(pushingSpend, data, data, fc.nat(3))
  .map(([[tx, spent], a, b, way]) => [
    {
      ...tx,
      inputs: tx.inputs.map((input, i) =>
        i > 0 || way === 0
          ? input
          : way === 1
          ? { ...input, script: pushOf(a) }
          : { ...input, witness: way === 2 ? [b, a] : [a, b, Uint8Array.of(0x50)] }
      )
    },
    spent
  ])

const revealed = (tx: NaiveTransaction, spent: ReadonlyArray<NaiveOutput>, i: number): ReadonlyArray<Uint8Array> => {
  const { script, witness } = tx.inputs[i]!
  const isHash = outputType(spent[i]!.script).kind === "scripthash"
  const last = instructionsOf(script).instructions.at(-1)?.data ?? new Uint8Array(0)
  const redeem = isHash && isPushOnly(script) ? last : undefined
  const program = witnessProgram(redeem ?? spent[i]!.script)
  const stack = witness.length >= 2 && witness.at(-1)![0] === 0x50 && program?.version === 1
    ? witness.slice(0, -1)
    : witness
  const inside = program?.program.length !== 32 || program.version > 1
    ? undefined
    : program.version === 0
    ? stack.at(-1)
    : stack.at(-2)
  return [redeem, inside].filter((each) => each !== undefined)
}

type Rules = Array<readonly [string, () => boolean]>

const spamRules = (
  tx: NaiveTransaction,
  spent: ReadonlyArray<NaiveOutput>,
  fee: bigint,
  size: number,
  policy: SpamPolicy
): Rules => {
  const content = (script: Uint8Array): Rules => [
    ["SPM-001", () => !policy.envelopes || !hasEnvelope(script)],
    ["SPM-002", () => !policy.tokenDocuments || !hasToken(script)]
  ]
  return [
    ...tx.inputs.flatMap(({ witness }, i): Rules => [
      ...revealed(tx, spent, i).flatMap(content),
      ...witness.map(({ length }) =>
        ["SPM-004", () => policy.maxWitnessItem === undefined || length <= policy.maxWitnessItem] as const
      )
    ]),
    ...tx.outputs.flatMap((output): Rules => [
      ...content(output.script),
      ["SPM-003", () => output.value >= policy.minOutputValue || isUnspendable(output.script)]
    ]),
    [
      "SPM-007",
      () =>
        policy.maxSmallOutputs === undefined ||
        tx.outputs.filter(({ value }) => value < policy.smallOutputValue).length <= policy.maxSmallOutputs
    ],
    [
      "SPM-006",
      () =>
        policy.maxBytesPerSatoshi === undefined ||
        BigInt(serializeTransaction(tx).length) <= valueOut(tx) * BigInt(policy.maxBytesPerSatoshi)
    ],
    ["SPM-005", () => Number(fee) >= size * policy.minFeeRate]
  ]
}

describe("SPM spam", () => {
  it("SPM-001/P1 the verdict equals the statement", () =>
    check(fc.property(data, (script) => says(envelopeIsAbsent(script), !hasEnvelope(script), "SPM-001")), 500))

  it("SPM-002/P1 the verdict equals the statement", () =>
    check(fc.property(data, (script) => says(tokenDocumentIsAbsent(script), !hasToken(script), "SPM-002")), 500))

  it("SPM-003/P1 the verdict equals the statement", () =>
    check(
      fc.property(relayedOutput, fc.constantFrom(0n, 330n, 546n), (output, minimum) =>
        says(
          amounts.outputIsWorthKeeping(output, minimum),
          output.value >= minimum || isUnspendable(output.script),
          "SPM-003"
        )),
      300
    ))

  it("SPM-004/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(25), limit, (size, most) =>
        says(amounts.witnessItemIsShort(size, most), most === undefined || size <= most, "SPM-004"))
    ))

  it("SPM-005/P1 the verdict equals the statement", () =>
    check(
      fc.property(amount, fc.nat(20), least, (fee, size, minimum) =>
        says(amounts.feeRateIsWorthRelaying(fee, size, minimum), Number(fee) >= size * minimum, "SPM-005")),
      300
    ))

  it("SPM-006/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(200), amount, limit, (size, value, most) =>
        says(
          amounts.valueIsWorthItsSize(size, value, most),
          most === undefined || size <= Number(value) * most,
          "SPM-006"
        )),
      300
    ))

  it("SPM-007/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(25), limit, (count, most) =>
        says(amounts.smallOutputsAreFew(count, most), most === undefined || count <= most, "SPM-007"))
    ))

  it("SPM-008/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(spend, fc.bigInt({ min: 0n, max: 800n }), fc.integer({ min: 60, max: 400 }), anyPolicy, (
        [tx, spent],
        fee,
        size,
        policy
      ) => {
        const wanted = firstBroken(spamRules(tx, spent, fee, size, policy))
        agree(verdictName(checkSpam(kernelTransaction(tx), spent, fee, size, policy)), wanted)
      }),
      1_500
    ))

  it("SPM-008/P2 the disabled preset refuses nothing", () =>
    check(
      fc.property(spend, ([tx, spent]) =>
        agree(verdictName(checkSpam(kernelTransaction(tx), spent, 0n, 1_000, spamPolicy("disabled"))), "OK"))
    ))

  it("SPM-009/P1 the value equals the statement", () => {
    const rows: Readonly<Record<SpamPreset, ReadonlyArray<number | boolean | undefined>>> = {
      disabled: [false, 0, undefined, 0, undefined, undefined],
      conservative: [true, 546, 2_000, 0, 2_000, 20],
      moderate: [true, 546, 1_000, 0, 1_000, 10],
      aggressive: [true, 546, 500, 2, 500, 5],
      strict_inscriptions: [true, 546, 1_500, 0, 1_000, 10]
    }
    check(
      fc.property(fc.constantFrom(...(Object.keys(rows) as Array<SpamPreset>)), (preset) => {
        const p = spamPolicy(preset)
        agree(
          [
            p.envelopes,
            Number(p.minOutputValue),
            p.maxWitnessItem,
            p.minFeeRate,
            p.maxBytesPerSatoshi,
            p.maxSmallOutputs
          ],
          rows[preset]
        )
        agree([p.tokenDocuments, p.smallOutputValue], [p.envelopes, 546n])
      }),
      30
    )
  })
})
