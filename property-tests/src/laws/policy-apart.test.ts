import { collectBlock, type Collected } from "@lockstep/kernel/internal/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/internal/connect/conclude.ts"
import { judgeScripts } from "@lockstep/kernel/internal/connect/judge.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import { checkBeforeCoins } from "@lockstep/kernel/internal/relay/acceptance.ts"
import { checkInputForms } from "@lockstep/kernel/internal/relay/input-forms.ts"
import { DEFAULT_RELAY_POLICY } from "@lockstep/kernel/internal/relay/relay-policy.ts"
import { checkWitnessLimits } from "@lockstep/kernel/internal/relay/witness-limits.ts"
import { checkSpam } from "@lockstep/kernel/internal/spam/check-spam.ts"
import { spamPolicy } from "@lockstep/kernel/internal/spam/spam-policy.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { type Scenario, validScenario } from "../arbitraries/world.ts"
import { check } from "../check.ts"
import { readHeader } from "../oracles/header.ts"
import {
  kernelBlock,
  kernelChain,
  kernelChild,
  kernelIdentity,
  kernelParameters,
  kernelView
} from "../subject/chain.ts"
import { verdictName } from "../subject/kernel.ts"

const machine = createMachine(nobleCrypto)

const collected = ({ block, coins, place }: Scenario): Collected =>
  collectBlock(
    kernelBlock(block),
    kernelChild(kernelChain(place.chain), readHeader(block.header)),
    kernelIdentity(block),
    kernelParameters(place.parameters),
    kernelView(coins)
  )

const connects = (found: Collected): string => {
  for (const job of found.jobs) {
    const judged = judgeScripts(machine, job)
    if (judged._tag === "Failure") return verdictName(concludeBlock(found, judged.failure))
  }
  return verdictName(concludeBlock(found, undefined))
}

/** Which rules of relay the transactions of a valid block would break outside of it. */
const refusals = (scenario: Scenario, found: Collected): ReadonlyArray<string> => {
  const tip = kernelChain(scenario.place.chain)
  return found.jobs.flatMap(({ coins, tx }) => [
    verdictName(checkBeforeCoins(tx, tip, DEFAULT_RELAY_POLICY)),
    verdictName(checkInputForms(machine, tx, coins)),
    verdictName(checkWitnessLimits(machine, tx, coins)),
    verdictName(checkSpam(tx, coins, 0n, 1_000, spamPolicy("aggressive")))
  ]).filter((rule) => /^(POL|SPM)-/.test(rule))
}

describe("law: no block is judged by relay policy", () => {
  it("a valid block connects whatever rules of relay its transactions break", () => {
    const broken = new Set<string>()
    check(
      fc.property(validScenario, (scenario) => {
        const found = collected(scenario)
        for (const rule of refusals(scenario, found)) broken.add(rule)
        agree(connects(found), "OK")
      }),
      150
    )
    // Blocks in which nothing is refused would show nothing.
    for (const area of ["POL-0", "SPM-0"]) {
      assert.isTrue([...broken].some((rule) => rule.startsWith(area)), `no transaction broke a rule ${area}…`)
    }
  })
})
