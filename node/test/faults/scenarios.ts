import { appendFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { acknowledge, fork, infoOf, type Memory, mine, mineSpends, prune } from "../crash/load.ts"
import type { Random } from "../crash/random.ts"
import { type Ending, freePort, type NodeProcess, spawnNode } from "../process/node-process.ts"
import { type RpcClient, rpcClient, RpcFailure } from "../process/rpc-client.ts"
import { environmentOf, type Sample, TOKEN } from "./sample.ts"
import { patience } from "../process/patience.ts"

/** Far more than anything takes, also on a machine that has much else to do. */
const PATIENCE_MS = patience(120_000)
/** How long a node that waits for room on its disk is left to it. */
const ROOM_MS = 700

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** One round's data directory, and the environment in which it meets its fault. */
export interface Stage {
  readonly sample: Sample
  readonly directory: string
  readonly memory: Memory
  readonly random: Random
  readonly environment: Readonly<Record<string, string>>
  /** A write that waits for room waits for ever. */
  readonly staysFull: boolean
  /** From now on calls are counted. */
  readonly arm: () => void
  /** Whether the fault has happened. */
  readonly hasHappened: () => boolean
}

export interface Scenario {
  readonly name: string
  /** Begins in an empty data directory. */
  readonly isEmpty?: boolean
  /** What is to hold once the command is done without a fault. */
  readonly run: (stage: Stage) => Promise<Ending>
}

/** A process that does not end is a finding, and ends here. */
const untilEnded = async (node: NodeProcess, what: string): Promise<Ending> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, undefined)
  })
  const ending = await Promise.race([node.ended, late])
  clearTimeout(timer)
  if (ending !== undefined) return ending
  node.signal("SIGKILL")
  await node.ended
  throw new Error(`${what} does not end:\n${node.stdout().split("\n").slice(-12).join("\n")}\n${node.stderr()}`)
}

const argumentsFor = (
  { directory, sample }: Stage
): ReadonlyArray<string> => ["--network", "regtest", "--config", sample.config, "--data-dir", directory]

const spawn = (stage: Stage, ...command: ReadonlyArray<string>): NodeProcess =>
  spawnNode([...command, ...argumentsFor(stage)], { ...environmentOf(), ...stage.environment })

/** Answers whether a process is over. */
const watched = (node: NodeProcess): () => boolean => {
  let isOver = false
  void node.ended.then(() => (isOver = true))
  return () => isOver
}

/** Ends a process that waits for room, as an operator would. */
const stopWhenFull = async (node: NodeProcess, { staysFull }: Stage): Promise<void> => {
  if (!staysFull) return
  const isOver = watched(node)
  while (!isOver()) {
    await pause(50)
    if (!node.stdout().includes("The disk is full")) continue
    await pause(ROOM_MS)
    return node.signal("SIGTERM")
  }
}

const command = (name: string, ...args: ReadonlyArray<string>) => async (stage: Stage): Promise<Ending> => {
  stage.arm()
  const node = spawn(stage, name, ...args)
  void stopWhenFull(node, stage)
  return untilEnded(node, name)
}

/** Waits until the node answers; false: it has ended instead, or waits for room. */
const isReady = async (node: NodeProcess, client: RpcClient): Promise<boolean> => {
  const isOver = watched(node)
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline && !isOver();) {
    const answer = await client.call("getblockcount").then(() => true, () => false)
    if (answer) return true
    await pause(20)
  }
  return false
}

type Work = (client: RpcClient, stage: Stage) => Promise<void>

/** Work on a node that runs, then its stop. The fault is somewhere in that, or already in the start. */
const onNode =
  (work: Work, { fromStart }: { readonly fromStart: boolean }) => async (stage: Stage): Promise<Ending> => {
    if (fromStart) stage.arm()
    const port = await freePort()
    const node = spawn(stage, "start", "--rpc-addr", `127.0.0.1:${port}`)
    const client = rpcClient(port, TOKEN)
    void stopWhenFull(node, stage)
    try {
      if (await isReady(node, client)) {
        stage.arm()
        await work(client, stage)
        await client.call("stop")
      }
    } catch (error) {
      // A call that is refused, or cut off by the end of the node, is what this is about.
      const isCut = /ECONNRE|socket hang up|aborted/i.test(String(error))
      if (!isCut && !(error instanceof RpcFailure && stage.hasHappened())) {
        node.signal("SIGKILL")
        await node.ended
        throw error
      }
      if (!isCut) await Promise.race([client.call("stop").catch(() => {}), node.ended])
    } finally {
      client.close()
    }
    return untilEnded(node, "the node")
  }

const acknowledged = async (client: RpcClient, { memory }: Stage): Promise<void> =>
  void (await acknowledge(client, memory))

const grow: Work = async (client, stage) => {
  for (let i = 0; i < 3; i++) {
    await mine(client, stage.memory, stage.random, stage.random.below(6) + 1)
    await acknowledged(client, stage)
  }
  await mineSpends(client, stage.memory, stage.random, stage.sample.clean)
  await acknowledged(client, stage)
}

const reorganise: Work = async (client, stage) => {
  await mine(client, stage.memory, stage.random, 2)
  await acknowledged(client, stage)
  await fork(client, stage.memory, stage.random)
  await acknowledged(client, stage)
  await mine(client, stage.memory, stage.random, 1)
  await acknowledged(client, stage)
}

const pruneSome: Work = async (client, stage) => {
  await prune(client, stage.random)
  await mine(client, stage.memory, stage.random, 2)
  await acknowledged(client, stage)
}

const nothing: Work = async (client) => void (await infoOf(client))

const importBlocks: Scenario = {
  name: "import",
  isEmpty: true,
  run: (stage) => {
    const names = readdirSync(stage.sample.blocks).filter((name) => name.startsWith("blk")).sort()
    return command("import", ...names.map((name) => join(stage.sample.blocks, name)))(stage)
  }
}

const rebuild: Scenario = { name: "rebuild", run: command("rebuild") }

/** What a series goes through. */
export const scenariosOf = ({ prunes }: Sample): ReadonlyArray<Scenario> => [
  { name: "start", run: onNode(nothing, { fromStart: true }) },
  { name: "first start", isEmpty: true, run: onNode(nothing, { fromStart: true }) },
  importBlocks,
  { name: "mine", run: onNode(grow, { fromStart: false }) },
  { name: "reorganise", run: onNode(reorganise, { fromStart: false }) },
  rebuild,
  ...(prunes ? [{ name: "prune", run: onNode(pruneSome, { fromStart: false }) }] : [])
]

export const armWith = (path: string) => (): void => appendFileSync(path, "")
