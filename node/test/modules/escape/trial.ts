import { assert } from "vitest"
import { BYSTANDER, type Seen, seenBy } from "./bystander.ts"
import type { HostileModule } from "./hostile-module.ts"
import { type ModuleNode, moduleOnDisk, processesOf, untilHolds } from "./module-node.ts"

/** What came of one hostile module. */
export interface Trial {
  readonly module: HostileModule
  /** How it ended, in the node's words. */
  readonly ending: string
  readonly bystander: Seen
}

const isLate = (error: unknown): boolean => error instanceof Error && error.message.includes("did not connect within")

/** Loads it; a machine that is busy may need longer to start a process than the node waits. */
const load = async ({ call }: ModuleNode, { name, outcome }: HostileModule): Promise<unknown> => {
  const isMeantToBeLate = outcome._tag === "Ended" && outcome.reason.source.startsWith("did not connect within")
  for (let left = 3;; left--) {
    const loaded = await call("loadmodule", name).catch((error: unknown) => error)
    if (isMeantToBeLate || left === 0 || !isLate(loaded)) return loaded
  }
}

/** Waits for the reason with which the node ended a module. */
const endingOf = async ({ node, one }: ModuleNode, name: string, loaded: unknown): Promise<string> => {
  if (loaded instanceof Error) return loaded.message
  const ended = async (): Promise<boolean> => (await one(name))?.status === "crashed"
  await untilHolds(ended, () => `${name} was not ended\n${node.stdout().slice(-5_000)}`)
  return (await one(name))!.errors.join()
}

const contained = async (node: ModuleNode, { name, outcome }: HostileModule): Promise<string> => {
  assert(outcome._tag === "Contained")
  const report = (): string | undefined => node.dataFile(name, "report")
  const seen = (): string => `${name} reported nothing\n${node.node.stdout().slice(-5_000)}`
  await untilHolds(() => report() !== undefined, seen)
  await new Promise((resolve) => setTimeout(resolve, outcome.holdMs ?? 0))
  assert.deepStrictEqual(JSON.parse(report()!), outcome.report, `${name}: ${report()}`)
  await node.call("unloadmodule", name)
  return "unloaded"
}

const nothingLeft = async (node: ModuleNode, name: string): Promise<void> => {
  const left = (): string => `${name} left ${processesOf(name).join()} and ${node.sockets().join()}`
  const isGone = (): boolean =>
    processesOf(name).length === 0 && node.sockets().every((socket) => !socket.startsWith(`${name}-`))
  await untilHolds(isGone, left)
}

/** Loads one hostile module, and sees that it comes to nothing, leaves nothing, and that the bystander works on. */
export const trialOf = async (node: ModuleNode, module: HostileModule): Promise<Trial> => {
  const { capabilities = [], files, name, outcome } = module
  const before = await node.one(BYSTANDER)
  node.put(moduleOnDisk(name, capabilities, module.program(node), files))
  const loaded = await load(node, module)
  if (outcome._tag === "Contained" && loaded instanceof Error) throw loaded
  const ending = outcome._tag === "Contained" ? await contained(node, module) : await endingOf(node, name, loaded)
  if (outcome._tag === "Ended") assert.match(ending, outcome.reason, name)
  await nothingLeft(node, name)
  const after = await node.one(BYSTANDER)
  assert.deepStrictEqual([after?.status, after?.pid], ["loaded", before?.pid], `${name}: the bystander`)
  return { module, ending, bystander: await blockSeen(node) }
}

/** The bystander receives the next block, and answers. */
const blockSeen = async (node: ModuleNode): Promise<Seen> => {
  await node.mine()
  let [answers, blocks, longest] = [0, 0, 0]
  const both = async (): Promise<boolean> => {
    const seen = await seenBy(node)
    answers += seen.answers
    blocks += seen.blocks
    longest = Math.max(longest, seen.longest)
    return blocks > 0 && answers > 0
  }
  await untilHolds(both, () => `the bystander has ${answers} answers and ${blocks} blocks`)
  return { answers, blocks, longest }
}
