import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import { pushOf } from "../oracles/instructions.ts"
import { bytesOfNumber, truth } from "../oracles/script-number.ts"
import { type NaiveStack, STACK_FUNCTIONS } from "../oracles/stack-functions.ts"
import { scriptInteger } from "./number.ts"

/** What the author of a script wants to do next; where the stack does not allow it, a number is pushed in its place. */
type Element =
  | { readonly push: bigint }
  | { readonly opcode: number }
  | {
    readonly argument: boolean
    readonly negate: boolean
    readonly taken: ReadonlyArray<Element>
    readonly skipped: Uint8Array
  }

interface Draft {
  readonly script: Uint8Array
  readonly stack: NaiveStack
}

const pushNumber = (value: bigint): Uint8Array =>
  value === 0n
    ? Uint8Array.of(0)
    : value === -1n || (value >= 1n && value <= 16n)
    ? Uint8Array.of(Number(value) + 80)
    : pushOf(bytesOfNumber(value))

const withPush = (draft: Draft, value: bigint): Draft => ({
  script: join(draft.script, pushNumber(value)),
  stack: [...draft.stack, bytesOfNumber(value)]
})

const withOpcode = (draft: Draft, opcode: number): Draft => {
  const outcome = STACK_FUNCTIONS[opcode]!(draft.stack, true)
  // Elements grow by no opcode, so only the number of them needs a limit.
  if (typeof outcome === "string" || outcome.length > 100) return withPush(draft, BigInt(opcode))
  return { script: join(draft.script, [opcode]), stack: outcome }
}

const write = (draft: Draft, element: Element): Draft => {
  if ("push" in element) return withPush(draft, element.push)
  if ("opcode" in element) return withOpcode(draft, element.opcode)
  const opened = {
    script: join(draft.script, [element.argument ? 81 : 0, element.negate ? 100 : 99]),
    stack: draft.stack
  }
  const skippedFirst = element.argument === element.negate
  const before = skippedFirst ? join(opened.script, element.skipped, [103]) : opened.script
  const taken = element.taken.reduce(write, { script: before, stack: draft.stack })
  return {
    script: join(taken.script, skippedFirst ? [] : [103], skippedFirst ? [] : element.skipped, [104]),
    stack: taken.stack
  }
}

/** Leaves exactly one element, which is true. */
const finished = (draft: Draft): Uint8Array => {
  const kept = draft.stack.length > 0 && truth(draft.stack.at(-1)!) ? draft : withPush(draft, 1n)
  return join(kept.script, new Uint8Array(kept.stack.length - 1).fill(119))
}

/** Opcodes that may stand where they are not executed: no conditionals, none that is disabled. */
const harmless: Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 4 }).map((bytes) =>
  bytes.map((byte) => 105 + (byte % 20))
)

const planned = Object.keys(STACK_FUNCTIONS)
  .map(Number)
  .filter((opcode) => opcode !== 106)

const { element } = fc.letrec<{ element: Element }>((tie) => ({
  element: fc.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: scriptInteger.map((push) => ({ push })) },
    { weight: 6, arbitrary: fc.constantFrom(...planned).map((opcode) => ({ opcode })) },
    {
      weight: 1,
      arbitrary: fc.record({
        argument: fc.boolean(),
        negate: fc.boolean(),
        taken: fc.array(tie("element"), { maxLength: 4 }),
        skipped: harmless
      })
    }
  )
}))

/** A script that holds on the empty stack under every flag, in every version, and leaves one true element. */
export const validScript: Arbitrary<Uint8Array> = fc
  .array(element, { maxLength: 40 })
  .map((elements) => finished(elements.reduce(write, { script: new Uint8Array(0), stack: [] })))
  .filter((script) => script.filter((byte) => byte > 96).length <= 201)
