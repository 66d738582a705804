import { type AvailableProvider, detectProviders } from "@lockstep/crypto/index.ts"
import { parentPort, workerData } from "node:worker_threads"
import { gatherSeeds } from "../corpus/seeds.ts"
import { decodeInput, encodeInput } from "../input-codec.ts"
import { randomOf } from "../random.ts"
import { type AnyTarget, targetsOf } from "../target.ts"
import { findingIn, kindOf } from "./judged.ts"
import type { Answer, Order, WorkerData } from "./messages.ts"
import { minimised } from "./minimise.ts"

/** A target with many findings has one cause; the rest would only be noise. */
const MOST_FINDINGS = 5

const { progress, vectors, corpus, scratch, modules } = workerData as WorkerData
const targets = await targetsOf(modules)
const targetNamed = (name: string): AnyTarget | undefined => targets.find((target) => target.name === name)
const current = new Int32Array(progress)
const providers = detectProviders().filter((provider): provider is AvailableProvider => provider.available)
const seeds = gatherSeeds(vectors, corpus)
// A thread's port has no origin to name.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const answer = (message: Answer): void => parentPort!.postMessage(message)

const run = async ({ target: name, seed, from, until }: Extract<Order, { type: "run" }>): Promise<void> => {
  const target = targetNamed(name)!
  const kinds = new Set<string>()
  let index = from
  for (; Date.now() < until && kinds.size < MOST_FINDINGS; index++) {
    Atomics.store(current, 0, index)
    const input: unknown = target.generate(randomOf(seed, index), seeds)
    const finding = await findingIn(target, input, providers)
    if (finding === undefined || kinds.has(kindOf(finding))) continue
    kinds.add(kindOf(finding))
    answer({ type: "finding", index, finding, input: encodeInput(input) })
  }
  answer({ type: "done", next: index, notes: target.notes?.() ?? [] })
}

const minimise = async (
  { target: name, input, finding, until }: Extract<Order, { type: "minimise" }>
): Promise<void> => {
  const target = targetNamed(name)!
  const shows = async (candidate: unknown): Promise<boolean> => {
    if (target.isInput !== undefined && !target.isInput(candidate as never)) return false
    const found = await findingIn(target, candidate, providers)
    return found !== undefined && kindOf(found) === kindOf(finding)
  }
  answer({ type: "input", input: encodeInput(await minimised(decodeInput(input), shows, until)) })
}

const carryOut = async (order: Order): Promise<void> => {
  if (order.type === "prepare") {
    await targetNamed(order.target)!.prepare?.({ scratch })
    return answer({ type: "prepared" })
  }
  if (order.type === "run") return run(order)
  if (order.type === "minimise") return minimise(order)
  answer({
    type: "input",
    input: encodeInput(targetNamed(order.target)!.generate(randomOf(order.seed, order.index), seeds))
  })
}

parentPort!.on("message", (order: Order) => void carryOut(order))

answer({
  type: "ready",
  providers: providers.map(({ name }) => name),
  seeds:
    `${seeds.spends.length} spends, ${seeds.transactions.length} transactions, ${seeds.blocks.length} blocks, ${seeds.chains.length} chains`
})
