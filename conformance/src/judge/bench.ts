import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { createMachine, type Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import { type Coverage, createCoverage } from "./coverage.ts"
import { memoCrypto } from "./memo-crypto.ts"

/** What the cases of a run share: one provider, one script machine on it, and the counts of rules. */
export interface Bench {
  readonly crypto: Crypto
  readonly machine: Machine
  readonly coverage: Coverage
  /**
   * A machine for judging one input under many flags: it asks the provider each question once per {@link
   * Bench.newSweep}.
   */
  readonly sweepMachine: Machine
  readonly newSweep: () => void
}

/** A bench on `crypto`. */
export const createBench = (crypto: Crypto): Bench => {
  const memo = memoCrypto(crypto)
  return {
    crypto,
    machine: createMachine(crypto),
    coverage: createCoverage(),
    sweepMachine: createMachine(memo.crypto),
    newSweep: memo.forget
  }
}
