import { selectProvider } from "../../crypto/src/index.ts"
import type { RunningNode } from "../../node/test/process/node-process.ts"
import { startBenchNode } from "../rpc/bench-node.ts"
import { fanOutBlocks, rawBlock } from "./fan-out-chain.ts"
import { answerParent } from "./in-child.ts"
import { inTemporaryDirectory } from "./temporary-directory.ts"

export interface StopAsked {
  readonly backend: "heed3" | "leveldb"
}

export interface StopFigures {
  /** From the call of `stop` until the process has ended. */
  readonly seconds: number
  /** Coins that the stop had to write. */
  readonly changes: number
  /** Memory that the cache took. */
  readonly bytes: number
}

const ADMIN = "bench-admin"
/** They make nothing: their coinbases have to grow old. */
const BARREN_BLOCKS = 100
const MOST_BLOCKS = 400
/** Of the changes that the last commit came with, what the cache has again. One more block may be too many. */
const FULL = 0.9

type Cache = Omit<StopFigures, "seconds">

const cacheOf = async (port: number): Promise<Cache> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${ADMIN}` } })
  const text = await response.text()
  const [, changes] = /^lockstep_coin_cache_changes (\d+)$/m.exec(text) ?? []
  const [, bytes] = /^lockstep_coin_cache_bytes (\d+)$/m.exec(text) ?? []
  if (changes === undefined || bytes === undefined) throw new Error("the metrics do not say how full the cache is")
  return { changes: Number(changes), bytes: Number(bytes) }
}

/**
 * Hands blocks in until the cache holds as many changes as it ever does. By then memory has stopped growing from commit
 * to commit: clean coins have all of their part, and the bound of a commit follows what this disk takes.
 */
const fill = async ({ client, port }: RunningNode, blocks: Generator<Uint8Array, never>): Promise<Cache> => {
  let before: Cache = { changes: 0, bytes: 0 }
  let atCommit = before
  let isSettled = false
  for (let height = 1; height <= MOST_BLOCKS; height++) {
    const said = await client.call("submitblock", Buffer.from(rawBlock(blocks.next().value)).toString("hex"))
    if (said !== null) throw new Error(`a good block is refused: ${String(said)}`)
    if (height <= BARREN_BLOCKS) continue
    const cache = await cacheOf(port)
    if (cache.changes < before.changes) {
      isSettled = before.bytes === atCommit.bytes
      atCommit = before
    }
    before = cache
    if (isSettled && cache.changes >= FULL * atCommit.changes) return cache
  }
  throw new Error(
    `the cache is not full after ${MOST_BLOCKS} blocks: ${before.changes} changes in ${before.bytes} bytes`
  )
}

/** Fills the cache of a node with coins that are not on disk, as many as it ever holds, and stops it. */
await answerParent(({ backend }: StopAsked) =>
  inTemporaryDirectory(async (directory): Promise<StopFigures> => {
    const selection = selectProvider()
    if (!selection.ok) throw new Error("there is no crypto provider")
    const args = ["--set", `rpc_auth.admin_tokens=${ADMIN}`, "--set", `storage.database_backend=${backend}`]
    const node = await startBenchNode(directory, args, ADMIN)
    try {
      const { bytes, changes } = await fill(node, fanOutBlocks(selection.provider.crypto))
      const start = performance.now()
      await node.client.call("stop")
      node.client.close()
      const { exitCode, stderr } = await node.ended
      const seconds = (performance.now() - start) / 1_000
      if (exitCode !== 0 || stderr !== "") throw new Error(`the node ended with exit code ${exitCode}: ${stderr}`)
      return { seconds, changes, bytes }
    } finally {
      node.signal("SIGKILL")
      await node.ended
      node.client.close()
    }
  })
)
