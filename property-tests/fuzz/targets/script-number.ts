import { numberIsMinimal } from "@lockstep/kernel/internal/policy/minimal-data.ts"
import { ScriptFlag } from "@lockstep/kernel/internal/script/flags.ts"
import { encodeScriptNumber, isTrue, scriptNumber } from "@lockstep/kernel/internal/interpreter/script-number.ts"
import * as oracle from "../../src/oracles/script-number.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Target } from "../target.ts"

/** Bytes as a number: value, truth, minimality, and back. */
export const scriptNumberTarget: Target<{ readonly bytes: Uint8Array; readonly maxSize: number }> = {
  name: "script-number",
  about: "bytes read as a number or a truth value",
  generate: (random) => ({
    bytes: mutateBytes(random.bytes(random.below(7)), random).subarray(0, 9),
    maxSize: random.below(6)
  }),
  judge: ({ bytes, maxSize }) => {
    const value = scriptNumber(bytes, maxSize)
    const expected = oracle.operand(bytes, maxSize, false)
    return (
      difference("number", Number.isNaN(value) ? "SCR-007 SCRIPTNUM" : BigInt(value), expected) ??
        difference("truth", isTrue(bytes), oracle.truth(bytes)) ??
        difference("minimality", numberIsMinimal(bytes, ScriptFlag.MINIMALDATA) === 0, oracle.isMinimal(bytes)) ??
        (typeof expected === "string"
          ? undefined
          : difference("encoding", encodeScriptNumber(value), oracle.bytesOfNumber(expected)))
    )
  }
}
