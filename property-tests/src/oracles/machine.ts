import type { NaiveSpend } from "./spend.ts"
import type { NaiveStack } from "./stack-functions.ts"

export type NaiveVersion = "base" | "witness_v0" | "tapscript"

/** What only tapscript has: the leaf, the annex, and the budget that signatures use up. */
export interface NaiveTapscript {
  readonly leafHash: Uint8Array
  readonly annex: Uint8Array | undefined
  readonly budget: number
}

/** Everything the loop knows between two instructions. */
export interface NaiveState {
  readonly script: Uint8Array
  readonly version: NaiveVersion
  readonly spend: NaiveSpend
  readonly tapscript: NaiveTapscript
  readonly stack: NaiveStack
  readonly alt: NaiveStack
  /** Open conditionals, outermost first: whether the branch is taken. */
  readonly branches: ReadonlyArray<boolean>
  readonly opcodes: number
  /** Where the code that signatures sign starts; the position of that separator in instructions. */
  readonly codeStart: number
  readonly separator: number
}

/**
 * The next state, or what is broken: rule and reference error name; the name alone where the rule is the opcode's own.
 */
export type Step = NaiveState | string
