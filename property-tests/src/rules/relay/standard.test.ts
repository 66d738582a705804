import * as dust from "@lockstep/kernel/internal/relay/dust.ts"
import { outputType } from "@lockstep/kernel/internal/relay/output-type.ts"
import { DEFAULT_RELAY_POLICY } from "@lockstep/kernel/internal/relay/relay-policy.ts"
import { sigOpCostIsStandard } from "@lockstep/kernel/internal/relay/sigop-cost.ts"
import * as standard from "@lockstep/kernel/internal/relay/standard.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeUint32 } from "../../arbitraries/number.ts"
import { doubtfulOutputScript, relayedOutput, relayedTransaction, setRate } from "../../arbitraries/relay.ts"
import { anyScript, pushOnlyScript } from "../../arbitraries/script.ts"
import { doubtfulTransaction } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { isPushOnly } from "../../oracles/instructions.ts"
import * as oracle from "../../oracles/relay.ts"
import { isCoinbase } from "../../oracles/sigops.ts"
import type { NaiveTransaction } from "../../oracles/transaction.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const says = (verdict: Verdict<unknown>, holds: boolean, rule: string): void =>
  agree(verdictName(verdict), holds ? "OK" : rule)

/** Numbers on both sides of a limit. */
const around = (limit: number): Arbitrary<number> =>
  fc.oneof(fc.integer({ min: limit - 2, max: limit + 2 }), fc.nat(2 * limit))

const type = doubtfulOutputScript.map(oracle.outputType).map((each) => each as ReturnType<typeof outputType>)

const policy = fc.record({
  permitBareMultisig: fc.boolean(),
  dataCarrierBytes: fc.constantFrom(0, 5, 83, 100_000),
  dustRelayFee: fc.constantFrom({ fee: 3000n, size: 1000 }, { fee: 0n, size: 1000 })
})

describe("POL standard transactions", () => {
  it("POL-030/P1 the verdict equals the statement", () =>
    check(
      fc.property(relayedTransaction, fc.oneof(fc.nat(5), edgeUint32), (tx, version) =>
        says(
          standard.versionIsStandard(kernelTransaction({ ...tx, version })),
          version >= 1 && version <= 3,
          "POL-030"
        ))
    ))

  it("POL-031/P1 the verdict equals the statement", () =>
    check(
      fc.property(around(400_000), (weight) => says(standard.weightIsStandard(weight), weight <= 400_000, "POL-031"))
    ))

  it("POL-032/P1 the verdict equals the statement", () =>
    check(
      fc.property(around(1_650), (size) =>
        says(standard.scriptSigSizeIsStandard(new Uint8Array(size)), size <= 1_650, "POL-032"))
    ))

  it("POL-033/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.oneof(anyScript, pushOnlyScript), (script) =>
        says(standard.scriptSigOnlyPushes(script), isPushOnly(script), "POL-033")),
      400
    ))

  it("POL-034/P1 the value equals the statement", () =>
    check(fc.property(doubtfulOutputScript, (script) => agree(outputType(script), oracle.outputType(script))), 2_000))

  it("POL-035/P1 the verdict equals the statement", () =>
    check(
      fc.property(type, (each) =>
        says(standard.outputFormIsKnown(each), each.kind !== "nonstandard" && each.keys <= 3, "POL-035")),
      400
    ))

  it("POL-036/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(90), fc.nat(90), (size, left) =>
        says(standard.dataCarrierFits(size, left), size <= left, "POL-036"))
    ))

  it("POL-037/P1 the verdict equals the statement", () =>
    check(
      fc.property(type, fc.boolean(), (each, permitted) =>
        says(standard.bareMultisigIsPermitted(each, permitted), permitted || each.kind !== "multisig", "POL-037"))
    ))

  it("POL-038/P1 the value equals the statement", () =>
    check(
      fc.property(relayedOutput, setRate, (output, rate) =>
        agree(dust.dustThreshold(output, rate), oracle.dustThreshold(output, rate))),
      500
    ))

  it("POL-039/P1 the value equals the statement", () =>
    check(
      fc.property(relayedTransaction, fc.constantFrom({ fee: 3000n, size: 1000 }, { fee: 0n, size: 1 }), (tx, rate) =>
        agree(dust.dustOutputs(kernelTransaction(tx), rate), oracle.dustOf(tx, rate))),
      400
    ))

  it("POL-040/P1 the verdict equals the statement", () =>
    check(fc.property(fc.nat(4), (count) => says(dust.dustIsSingle(count), count <= 1, "POL-040"))))

  it("POL-041/P1 the verdict is that of the first rule that does not hold", () => {
    const heavy = fc.constantFrom(99_000, 99_990, 100_100).map((size): NaiveTransaction => ({
      version: 2,
      inputs: [{ txid: new Uint8Array(32), vout: 0, script: new Uint8Array(size), sequence: 0, witness: [] }],
      outputs: [],
      lockTime: 0
    }))
    check(
      fc.property(
        fc.oneof({ weight: 9, arbitrary: relayedTransaction }, { weight: 1, arbitrary: heavy }),
        policy,
        (tx, set) => {
          const verdict = standard.checkStandard(kernelTransaction(tx), { ...DEFAULT_RELAY_POLICY, ...set })
          agree(verdictName(verdict), oracle.firstBroken(oracle.standardRules(tx, set)))
        }
      ),
      1_000
    )
  })

  it("POL-042/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(8), fc.boolean(), (size, withWitness) => {
        const tx: NaiveTransaction = {
          version: 2,
          inputs: [{
            txid: new Uint8Array(32),
            vout: 0,
            script: new Uint8Array(0),
            sequence: 0,
            witness: withWitness ? [new Uint8Array(9)] : []
          }],
          outputs: [{ value: 0n, script: new Uint8Array(size) }],
          lockTime: 0
        }
        says(standard.strippedSizeIsStandard(kernelTransaction(tx)), oracle.strippedSize(tx) >= 65, "POL-042")
      })
    ))

  it("POL-043/P1 the verdict equals the statement", () =>
    check(
      fc.property(doubtfulTransaction, (tx) =>
        says(standard.isNoLooseCoinbase(kernelTransaction(tx)), !isCoinbase(tx), "POL-043"))
    ))

  it("POL-070/P1 the verdict equals the statement", () =>
    check(fc.property(around(16_000), (cost) => says(sigOpCostIsStandard(cost), cost <= 16_000, "POL-070"))))

  it("POL-080/P1 the verdict equals the statement", () =>
    check(
      fc.property(
        fc.nat(2),
        fc.bigInt({ min: -1n, max: 1n }),
        fc.bigInt({ min: -1n, max: 1n }),
        (count, fee, modified) =>
          says(dust.dustPaysNoFee(count, fee, modified), count === 0 || (fee === 0n && modified === 0n), "POL-080")
      )
    ))

  it("POL-081/P1 the verdict equals the statement", () => {
    const parents = fc.array(
      fc.record({
        txid: fc.nat(3).map((byte) => new Uint8Array(32).fill(byte + 1)),
        dust: fc.array(fc.nat(3), { maxLength: 2 })
      }),
      { maxLength: 3 }
    )
    check(
      fc.property(relayedTransaction, parents, (tx, given) => {
        const spent = new Set(tx.inputs.map(({ txid, vout }) => `${txid[0]}:${vout}`))
        const holds = given.every(({ dust: indexes, txid }) => indexes.every((vout) => spent.has(`${txid[0]}:${vout}`)))
        says(dust.parentDustIsSpent(kernelTransaction(tx), given), holds, "POL-081")
      }),
      500
    )
  })
})
