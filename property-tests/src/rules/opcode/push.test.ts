import { evaluateScript } from "@lockstep/kernel/internal/interpreter/evaluate.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeBytes } from "../../arbitraries/bytes.ts"
import { stackOfAny, surroundings, version } from "../../arbitraries/evaluation.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { check } from "../../check.ts"
import { join, littleEndian } from "../../oracles/byte-string.ts"
import { stateAfter } from "../../oracles/evaluate.ts"
import { faultName, kernelEvaluation, loadedMachine, stackOf } from "../../subject/kernel.ts"

describe("OPC pushes, separators and what is left for later", () => {
  it("OPC-000/P1 data behind each length prefix that can hold it is pushed as it is", () => {
    check(
      fc.property(edgeBytes(520), stackOfAny(3), version, surroundings, (data, stack, under, spend) => {
        const plain = { ...spend, flags: new Set<string>() }
        const n = data.length
        const prefixes = [
          ...(n <= 75 ? [[n]] : []),
          ...(n <= 255 ? [[76, n]] : []),
          [77, ...littleEndian(n, 2)],
          [78, ...littleEndian(n, 4)]
        ]
        for (const prefix of prefixes) {
          agree(kernelEvaluation(stack, join(prefix, data), under, plain), { error: "OK", stack: [...stack, data] })
        }
      }),
      150
    )
  })

  it("OPC-171/P1 OP_CODESEPARATOR: offset and position equal the statement, the stack stays", () => {
    const separated = fc.array(
      fc.oneof(
        fc.constant(Uint8Array.of(171)),
        anyScript.map((script) => script.subarray(0, 12))
      ),
      { maxLength: 8 }
    )
    check(
      fc.property(separated, stackOfAny(3), version, surroundings, (parts, stack, under, spend) => {
        const script = join(...parts, [171])
        const m = loadedMachine(stack, script, under, spend)
        const error = faultName(evaluateScript(m))
        const state = stateAfter(stack, script, under, spend)
        if (typeof state === "string") return agree(error, state)
        agree([m.separatorOffset, m.separatorInstruction, stackOf(m)], [state.codeStart, state.separator, state.stack])
      }),
      400
    )
  })

  it("OPC-176/P1 the eight upgradable opcodes do nothing, or are discouraged", () => {
    check(
      fc.property(stackOfAny(4), version, surroundings, (stack, under, spend) => {
        for (const opcode of [176, 179, 180, 181, 182, 183, 184, 185]) {
          agree(
            kernelEvaluation(stack, Uint8Array.of(opcode), under, spend),
            spend.flags.has("DISCOURAGE_UPGRADABLE_NOPS")
              ? { error: "POL-008 DISCOURAGE_UPGRADABLE_NOPS", stack: [] }
              : { error: "OK", stack }
          )
        }
      }),
      50
    )
  })
})
