import { type NaiveBlock, serializeBlock } from "../../src/oracles/block.ts"
import { type NaiveEntry, type NaiveNode, naiveCopy, offerToNaive } from "../../src/sequence/naive-node.ts"
import type { Providers } from "../target.ts"
import { fateOf, mutation, offer, undecoded } from "./offer.ts"
import { realBlock } from "./real-block.ts"
import type { RealPlan, RealStep } from "./real-plan.ts"
import { type RealStart, realStart } from "./real-start.ts"
import { count } from "./tally.ts"

/** A block or what was to be one, and when it arrives. */
interface Arrival {
  readonly block: NaiveBlock | Uint8Array
  readonly kind: string
  readonly at: number
}

/** The tip, or the newest block, or one before it; six below the start at the earliest. */
const parentOf = (naive: NaiveNode, back: number, height: number): NaiveEntry => {
  const entries = [...naive.entries.values()]
  return back === 0 ? naive.tip : entries[Math.max(0, height - 6, entries.length - back)]!
}

const bytesOf = (
  block: NaiveBlock | Uint8Array
): Uint8Array => (block instanceof Uint8Array ? block : serializeBlock(block))

const unchanged = (step: RealStep): RealStep => ({ ...step, changes: [], flip: -1, time: 0, above: 0 })

const isChanged = ({ above, changes, flip, time }: RealStep): boolean =>
  changes.length > 0 || flip >= 0 || time > 0 || above > 0

/** A change may find nothing to change. */
const kindOf = (block: NaiveBlock | Uint8Array, form: RealStep, parent: NaiveEntry, start: RealStart): string => {
  if (!isChanged(form)) return "real blocks"
  const real = realBlock(unchanged(form), parent, start)
  return Buffer.compare(bytesOf(block), bytesOf(real)) === 0 ? "real blocks" : "changed blocks"
}

/** Every block of the plan, made where all blocks before it are known already. */
const arrivals = ({ height, steps }: RealPlan, start: RealStart): ReadonlyArray<Arrival> => {
  const maker = naiveCopy(start.naive)
  const made: Array<Arrival> = []
  for (const [i, step] of steps.entries()) {
    const parent = parentOf(maker, step.back, height)
    const forms = step.again && isChanged(step) ? [step, unchanged(step)] : [step]
    for (const form of forms) {
      const block = realBlock(form, parent, start)
      const kind = kindOf(block, form, parent, start)
      made.push({ block, kind, at: i + step.late })
      if (step.twice) made.push({ block, kind: "blocks once more", at: steps.length + i })
      if (!(block instanceof Uint8Array)) offerToNaive(maker, block)
    }
  }
  return made.toSorted((a, b) => a.at - b.at)
}

/** Plays a plan to both nodes; answers in what they differ. */
export const playReal = (plan: RealPlan, providers: Providers): string | undefined => {
  const { crypto } = providers[0]!
  const start = realStart(plan.network, plan.blocks, plan.height, crypto)
  const { kernel, naive } = start
  const heard: Array<readonly [kind: string, block: NaiveBlock, said: string]> = []
  const waiting: Array<Arrival> = []
  const offered = (arrival: Arrival, isLast: boolean): string | undefined => {
    const { block, kind } = arrival
    if (block instanceof Uint8Array) {
      count(kind, "not decoded")
      return undecoded(block)
    }
    return offer(naive, kernel, block, (said) => {
      if (said === "missing parent" && !isLast) waiting.push(arrival)
      else heard.push([kind, block, said])
    })
  }
  for (const arrival of arrivals(plan, start)) {
    const wrong = offered(arrival, false) ??
      (arrival.block instanceof Uint8Array ? undefined : mutation(arrival.block, providers[0]!))
    if (wrong !== undefined) return wrong
  }
  // What came before its parent comes again, as a node asks for it again.
  for (const arrival of waiting) {
    const wrong = offered(arrival, true)
    if (wrong !== undefined) return wrong
  }
  for (const [kind, block, said] of heard) count(kind, fateOf(block, said, naive))
  return undefined
}
