import { assert, describe, it } from "vitest"
import { everyLiar, OFFENCES } from "./every-liar.ts"
import { type Plan, planText } from "./plan/plan.ts"
import { planOf } from "./plan/plan-of.ts"
import { askedFor, REGRESSIONS, SEEDS, SHORT } from "./seeds.ts"
import { type Outcome, simulate } from "./simulate.ts"

const PATIENCE = 300_000

/** `LOCKSTEP_SIMULATION_SEED=<seed>` plays that one alone, as `pnpm simulate --seed` does. */
const asked = askedFor(process.env["LOCKSTEP_SIMULATION_SEED"])

const play = async (plan: Plan): Promise<Outcome> => {
  const outcome = await simulate(plan)
  const story = [planText(plan), ...outcome.last, ...outcome.faults.map((fault) => `FAULT ${fault}`)].join("\n")
  assert.isEmpty(outcome.faults, `pnpm simulate --seed ${plan.seed} --trouble ${plan.seconds}\n${story}`)
  return outcome
}

describe.runIf(asked !== undefined)("a network of nodes and scripted peers", () => {
  it("holds for the seed that is asked for", () => play(asked!), PATIENCE)
})

describe.runIf(asked === undefined)("a network of nodes and scripted peers", () => {
  for (const seed of SEEDS) {
    it(`agrees, keeps its bounds and does not stumble: seed ${seed}`, () => play(planOf(seed, SHORT)), PATIENCE)
  }

  for (const { fault, seed, trouble } of REGRESSIONS) {
    it(`does not fall back: ${fault}, seed ${seed}`, () => play(planOf(seed, trouble)), PATIENCE)
  }

  it("notices every liar, and is the same again for the same seed", async () => {
    const [once, again] = [await play(everyLiar), await play(everyLiar)]
    assert.deepStrictEqual([...once.noticed.keys()].toSorted(), OFFENCES)
    assert.deepStrictEqual([once.digest, once.lines], [again.digest, again.lines])
    const other = await play({ ...everyLiar, seed: 2, seconds: 20 })
    assert.notStrictEqual(once.digest, other.digest)
  }, PATIENCE)
})
