import { createMachine, type Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import type { NaiveSpend } from "../../src/oracles/spend.ts"
import { verifyScript } from "../../src/oracles/verify-script.ts"
import { kernelVerdict } from "../../src/subject/kernel.ts"
import { mutateSpend } from "../mutate/spend.ts"
import { countedCrypto } from "../run/counted-crypto.ts"
import { difference } from "../run/difference.ts"
import { isSpend } from "./spend-input.ts"
import type { Providers, Target } from "../target.ts"

/** One machine for all inputs of a provider: whatever it judged before may not matter either. */
const machines = new Map<string, Machine>()
const machineOf = ({ name, crypto }: Providers[number]): Machine => {
  const machine = machines.get(name) ?? createMachine(crypto)
  machines.set(name, machine)
  return machine
}

/** Spends edited, commitments recomputed: rule and error as the oracle has them, with every provider. */
export const verifyScriptTarget: Target<NaiveSpend> = {
  name: "verify-script",
  about: "spends, edited so that the edited script runs, on every crypto provider",
  generate: (random, { spends }) => mutateSpend(random.pick(spends), random, random.pick(spends)),
  isInput: isSpend,
  judge: (spend, providers) => {
    const expected = verifyScript(spend)
    const [fastest, ...others] = providers
    const counted = countedCrypto(fastest!.crypto)
    const fresh = difference(fastest!.name, kernelVerdict(spend, createMachine(counted.crypto)), expected)
    if (fresh !== undefined) return fresh
    const reused = difference(`${fastest!.name}, used machine`, kernelVerdict(spend, machineOf(fastest!)), expected)
    if (reused !== undefined || !counted.wasAsked()) return reused
    for (const provider of others) {
      const wrong = difference(provider.name, kernelVerdict(spend, machineOf(provider)), expected)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
}
