import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { checkAfterRestart } from "./check.ts"
import { type Memory, putUnderLoad } from "./load.ts"
import { randomOf } from "./random.ts"
import { reference } from "./reference.ts"

const TOKEN = "crash-test-admin"

/** How a series of deaths is to go. */
export interface CrashOptions {
  readonly rounds: number
  readonly seed: number
  readonly backend: "heed3" | "leveldb"
  readonly indexes: boolean
  /** Target size of block files in megabytes; none: nothing is pruned. */
  readonly pruneMegabytes?: number
  /** Named points of a commit at which the process kills itself, in turn with random moments. */
  readonly points: ReadonlyArray<string>
  readonly onRound?: (round: number, text: string) => void
}

const configOf = ({ backend, indexes, pruneMegabytes }: CrashOptions): string =>
  [
    `transport_preference = "tcponly"`,
    `[rpc_auth]`,
    `admin_tokens = ["${TOKEN}"]`,
    `[storage]`,
    `database_backend = "${backend}"`,
    `[storage.indexing]`,
    `txindex = ${indexes}`,
    `coinstatsindex = ${indexes}`,
    ...(pruneMegabytes === undefined ? [] : [`[storage.pruning]`, `target_mb = ${pruneMegabytes}`])
  ].join("\n")

const ignore = (): void => {}

const killAt = async (node: RunningNode, milliseconds: number): Promise<void> => {
  const timer = setTimeout(() => node.signal("SIGKILL"), milliseconds)
  await node.ended
  clearTimeout(timer)
}

/** Starts a node, lets it die under load, starts it again and looks, round after round. Throws at the first thing that is wrong. */
export const crashRounds = async (options: CrashOptions): Promise<void> => {
  const random = randomOf(options.seed)
  const root = mkdtempSync(join(tmpdir(), "lockstep-crash-"))
  const directory = join(root, "data")
  const config = join(root, "node.toml")
  writeFileSync(config, configOf(options))
  const memory: Memory = { blocks: new Map(), tips: new Set(), acknowledged: { hash: "", work: 0n } }
  const clean = reference()
  let node: RunningNode | undefined
  try {
    for (let round = 0; round < options.rounds; round++) {
      const point = random.below(2) === 0 && options.points.length > 0 ? random.pick(options.points) : undefined
      const env: Record<string, string> = point === undefined ? {} : { LOCKSTEP_TEST_CRASH_AT: `${point}:${random.below(12) + 1}` }
      const started = await startNode(directory, { args: ["--config", config], token: TOKEN, env })
      node = started
      await checkAfterRestart(started, memory, random, clean, options.indexes)
      let dead = false
      void started.ended.then(() => (dead = true))
      let fault: unknown
      const load = putUnderLoad(started.client, memory, random, clean, () => dead).catch((error: unknown) => {
        // A call cut off by the death of the node is what this is about; anything else is a fault.
        if (!dead && !/ECONNRE|socket hang up|aborted/i.test(String(error))) fault = error
      })
      const moment = point === undefined ? random.below(1500) + 1 : 20_000
      await killAt(started, moment)
      await load
      if (fault !== undefined) throw fault
      started.client.close()
      options.onRound?.(round, point === undefined ? `killed after ${moment} ms` : `killed at ${env["LOCKSTEP_TEST_CRASH_AT"]}`)
    }
    const last = await startNode(directory, { args: ["--config", config], token: TOKEN })
    node = last
    await checkAfterRestart(last, memory, random, clean, options.indexes)
    await last.client.call("stop")
    const { exitCode, stderr } = await last.ended
    last.client.close()
    if (exitCode !== 0 || stderr !== "") throw new Error(`the last stop: exit code ${exitCode}, ${stderr}`)
    rmSync(root, { recursive: true })
  } catch (error) {
    node?.signal("SIGKILL")
    node?.client.close()
    await node?.ended.catch(ignore)
    throw new Error(`seed ${options.seed}: ${error instanceof Error ? error.message : String(error)} (data in ${root})`, { cause: error })
  }
}
