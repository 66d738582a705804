import fc, { type Arbitrary } from "fast-check"
import { closed, CONSENSUS_FLAG_NAMES, FLAG_NAMES } from "../oracles/spend.ts"

/** Any set of flags that the interpreter accepts; none, all consensus flags and all flags come often. */
export const flagSet: Arbitrary<ReadonlySet<string>> = fc.oneof(
  fc.constantFrom(closed([]), closed(CONSENSUS_FLAG_NAMES), closed(FLAG_NAMES)),
  fc.subarray([...FLAG_NAMES]).map(closed)
)

/** Any set of the flags that decide over blocks. */
export const consensusFlagSet: Arbitrary<ReadonlySet<string>> = fc.oneof(
  fc.constant(closed(CONSENSUS_FLAG_NAMES)),
  fc.subarray([...CONSENSUS_FLAG_NAMES]).map(closed)
)
