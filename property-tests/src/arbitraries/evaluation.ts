import fc, { type Arbitrary } from "fast-check"
import type { NaiveTapscript, NaiveVersion } from "../oracles/machine.ts"
import type { NaiveSpend } from "../oracles/spend.ts"
import { edgeBytes } from "./bytes.ts"
import { flagSet } from "./flags.ts"
import { numberOperand } from "./number.ts"
import { spendFrame } from "./transaction.ts"

export const version: Arbitrary<NaiveVersion> = fc.constantFrom("base", "witness_v0", "tapscript")

/** A stack of up to `maxDepth` numbers and other byte strings. */
export const stackOfAny = (maxDepth: number = 8): Arbitrary<ReadonlyArray<Uint8Array>> =>
  fc.array(fc.oneof({ weight: 4, arbitrary: numberOperand }, { weight: 1, arbitrary: edgeBytes(520) }), {
    maxLength: maxDepth
  })

/** Any input with any flags: what an evaluation may look at besides script and stack. */
export const surroundings: Arbitrary<NaiveSpend> = fc.tuple(spendFrame, flagSet).map(([frame, flags]) => ({
  ...frame,
  flags
}))

export const tapscriptContext: Arbitrary<NaiveTapscript> = fc.record({
  leafHash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  annex: fc.option(
    fc.uint8Array({ maxLength: 5 }).map((rest) => Uint8Array.of(0x50, ...rest)),
    { nil: undefined }
  ),
  budget: fc.oneof(fc.constantFrom(0, 49, 50, 51, 99, 100, 150), fc.nat(1000))
})
