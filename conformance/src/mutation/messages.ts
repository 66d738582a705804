import type { Choice } from "./kernel-sources.ts"

/** What a laboratory process is started with, as its one argument in JSON. */
export interface Order {
  readonly task: "survey" | "trial"
  readonly root: string
  readonly vectors: string | undefined
  readonly choice: Choice
}

/** A case as the survey found it. */
export interface SurveyedCase {
  readonly suite: string
  readonly label: string
  readonly milliseconds: number
  /** Loop turns it takes. */
  readonly turns: number
  /** What is wrong with it while no mutant is on; nothing when it holds. */
  readonly fault: string | undefined
}

/** What the survey answers: the cases, and for each mutant number which cases it could make a difference to. */
export interface Survey {
  /** Of the kernel and the cases it was taken of. */
  readonly fingerprint: string
  readonly cases: ReadonlyArray<SurveyedCase>
  readonly seenBy: ReadonlyArray<Uint32Array>
  /** Mutants that make a difference while the kernel loads: any case may kill them. */
  readonly seenAtLoad: Uint32Array
  /** Mutants whose place was run by some case. */
  readonly reached: Uint32Array
}

/** To a trial process: first how many loop turns each case may take, then mutants one by one. */
export type TrialRequest =
  | { readonly kind: "begin"; readonly turns: Float64Array }
  | { readonly kind: "try"; readonly mutant: number; readonly cases: Uint32Array }
  | { readonly kind: "check" }

/** How a mutant differs from the kernel in the case that killed it. */
export type Difference = "answers differently" | "throws" | "loops"

/** From a trial process. */
export type TrialAnswer =
  | { readonly kind: "ready"; readonly fingerprint: string }
  | { readonly kind: "killed"; readonly mutant: number; readonly case: number; readonly how: Difference }
  | { readonly kind: "survived"; readonly mutant: number }
  /** Cases that fail with no mutant on: an earlier mutant has damaged what cases share. */
  | { readonly kind: "checked"; readonly failing: ReadonlyArray<string> }
