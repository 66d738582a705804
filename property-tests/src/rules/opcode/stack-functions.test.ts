import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { stackOfAny, surroundings, version } from "../../arbitraries/evaluation.ts"
import { check } from "../../check.ts"
import { evaluate } from "../../oracles/evaluate.ts"
import { kernelEvaluation } from "../../subject/kernel.ts"

/** Opcodes whose whole statement is about the main stack. */
const OPCODES: ReadonlyArray<readonly [title: string, opcode: number]> = [
  ["OPC-079/P1 OP_1NEGATE leaves the stack that the statement says", 79],
  ["OPC-097/P1 OP_NOP leaves the stack that the statement says", 97],
  ["OPC-105/P1 OP_VERIFY: verdict and stack equal the statement", 105],
  ["OPC-106/P1 OP_RETURN fails on every stack", 106],
  ["OPC-109/P1 OP_2DROP: verdict and stack equal the statement", 109],
  ["OPC-110/P1 OP_2DUP: verdict and stack equal the statement", 110],
  ["OPC-111/P1 OP_3DUP: verdict and stack equal the statement", 111],
  ["OPC-112/P1 OP_2OVER: verdict and stack equal the statement", 112],
  ["OPC-113/P1 OP_2ROT: verdict and stack equal the statement", 113],
  ["OPC-114/P1 OP_2SWAP: verdict and stack equal the statement", 114],
  ["OPC-115/P1 OP_IFDUP: verdict and stack equal the statement", 115],
  ["OPC-116/P1 OP_DEPTH leaves the stack that the statement says", 116],
  ["OPC-117/P1 OP_DROP: verdict and stack equal the statement", 117],
  ["OPC-118/P1 OP_DUP: verdict and stack equal the statement", 118],
  ["OPC-119/P1 OP_NIP: verdict and stack equal the statement", 119],
  ["OPC-120/P1 OP_OVER: verdict and stack equal the statement", 120],
  ["OPC-121/P1 OP_PICK: verdict and stack equal the statement", 121],
  ["OPC-122/P1 OP_ROLL: verdict and stack equal the statement", 122],
  ["OPC-123/P1 OP_ROT: verdict and stack equal the statement", 123],
  ["OPC-124/P1 OP_SWAP: verdict and stack equal the statement", 124],
  ["OPC-125/P1 OP_TUCK: verdict and stack equal the statement", 125],
  ["OPC-130/P1 OP_SIZE: verdict and stack equal the statement", 130],
  ["OPC-135/P1 OP_EQUAL: verdict and stack equal the statement", 135],
  ["OPC-136/P1 OP_EQUALVERIFY: verdict and stack equal the statement", 136],
  ["OPC-139/P1 OP_1ADD: verdict and stack equal the statement", 139],
  ["OPC-140/P1 OP_1SUB: verdict and stack equal the statement", 140],
  ["OPC-143/P1 OP_NEGATE: verdict and stack equal the statement", 143],
  ["OPC-144/P1 OP_ABS: verdict and stack equal the statement", 144],
  ["OPC-145/P1 OP_NOT: verdict and stack equal the statement", 145],
  ["OPC-146/P1 OP_0NOTEQUAL: verdict and stack equal the statement", 146],
  ["OPC-147/P1 OP_ADD: verdict and stack equal the statement", 147],
  ["OPC-148/P1 OP_SUB: verdict and stack equal the statement", 148],
  ["OPC-154/P1 OP_BOOLAND: verdict and stack equal the statement", 154],
  ["OPC-155/P1 OP_BOOLOR: verdict and stack equal the statement", 155],
  ["OPC-156/P1 OP_NUMEQUAL: verdict and stack equal the statement", 156],
  ["OPC-157/P1 OP_NUMEQUALVERIFY: verdict and stack equal the statement", 157],
  ["OPC-158/P1 OP_NUMNOTEQUAL: verdict and stack equal the statement", 158],
  ["OPC-159/P1 OP_LESSTHAN: verdict and stack equal the statement", 159],
  ["OPC-160/P1 OP_GREATERTHAN: verdict and stack equal the statement", 160],
  ["OPC-161/P1 OP_LESSTHANOREQUAL: verdict and stack equal the statement", 161],
  ["OPC-162/P1 OP_GREATERTHANOREQUAL: verdict and stack equal the statement", 162],
  ["OPC-163/P1 OP_MIN: verdict and stack equal the statement", 163],
  ["OPC-164/P1 OP_MAX: verdict and stack equal the statement", 164],
  ["OPC-165/P1 OP_WITHIN: verdict and stack equal the statement", 165],
  ["OPC-166/P1 OP_RIPEMD160: verdict and stack equal the statement", 166],
  ["OPC-167/P1 OP_SHA1: verdict and stack equal the statement", 167],
  ["OPC-168/P1 OP_SHA256: verdict and stack equal the statement", 168],
  ["OPC-169/P1 OP_HASH160: verdict and stack equal the statement", 169],
  ["OPC-170/P1 OP_HASH256: verdict and stack equal the statement", 170]
]

/** Two equal elements on top often enough for the comparisons. */
const anyStack = fc
  .tuple(stackOfAny(), fc.boolean())
  .map(([stack, twin]) => (twin && stack.length > 0 ? [...stack, stack.at(-1)!] : stack))

describe("OPC opcodes that only touch the main stack", () => {
  it.each(OPCODES)("%s", (_, opcode) => {
    check(
      fc.property(anyStack, version, surroundings, (stack, under, spend) => {
        const script = Uint8Array.of(opcode)
        agree(kernelEvaluation(stack, script, under, spend), evaluate(stack, script, under, spend))
      }),
      100
    )
  })

  it("OPC-081/P1 the sixteen small integers push themselves", () => {
    check(
      fc.property(stackOfAny(3), version, surroundings, (stack, under, spend) => {
        for (let n = 1; n <= 16; n++) {
          agree(kernelEvaluation(stack, Uint8Array.of(80 + n), under, spend), {
            error: "OK",
            stack: [...stack, Uint8Array.of(n)]
          })
        }
      }),
      30
    )
  })
})
