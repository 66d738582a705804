import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { WAITING_BLOCK_BYTES } from "../../../src/p2p/sync/sync-limits.ts"
import { randomOf } from "../../crash/random.ts"
import { chainOfFile, hex, type ServedChain } from "../company/served-chain.ts"
import { pause, until, type WireNode, type WireNodes } from "../sockets/wire-node.ts"
import { blocksOnDisk } from "./blocks-on-disk.ts"
import { endsWithTests } from "../../process/ends-with-tests.ts"

/** How nodes are to die while they sync. */
export interface ResumeOptions {
  readonly nodes: WireNodes
  /** Raw blocks in order, genesis first. */
  readonly file: string
  /** Hash of the last of them, as people write it, and what the coins hash to there; none: the same in every round. */
  readonly tip: string
  readonly coins: string | undefined
  readonly rounds: number
  readonly seed: number
  /** A sync without a kill takes about so long, milliseconds: the moments of death are shared out over it. */
  readonly length: number
  readonly args: ReadonlyArray<string>
  readonly patience: number
  /** Most blocks that the node asks of the peer at a time. */
  readonly inTransit: number
  readonly onRound?: (round: ResumeRound) => void
}

/** What one death cost, in blocks. */
export interface ResumeRound {
  readonly killedAfter: number
  readonly coins: string
  /** Asked for before it. */
  readonly asked: number
  /** That stood in the block files then, and how far the chain reached when the node answered again. */
  readonly stored: number
  readonly heightAfter: number
  /**
   * Of those asked for and not stored: the newest, which may all have been on their way, and bytes of the rest: what it
   * held.
   */
  readonly onTheWay: number
  readonly heldBytes: number
  /** Asked for after it, and those of them that had been asked for before. */
  readonly askedAfter: number
  readonly again: number
  /** Of these: that stood in the block files, and that the last commit had. */
  readonly storedAgain: number
  readonly committedAgain: number
}

/**
 * What may have arrived and not be in a file: what waits for the engine, and the block with which that became too much.
 */
const mostHeld = ({ blocks }: ServedChain): number =>
  WAITING_BLOCK_BYTES + blocks.reduce((most, { bytes }) => Math.max(most, bytes.length), 0)

const sizeOf = ({ blocks, places }: ServedChain, hash: string): number => blocks[places.get(hash)!]!.bytes.length

const hashesAsked = async (child: ChildProcess): Promise<ReadonlyArray<string>> => {
  const answer = once(child, "message")
  child.send("hashes")
  return ((await answer)[0] as ReadonlyArray<ReadonlyArray<string>>).flat()
}

/** A good peer in a process of its own, which connects to the node. */
const goodPeer = async (file: string, node: WireNode): Promise<ChildProcess> => {
  const program = fileURLToPath(new URL("../company/company-program.ts", import.meta.url))
  const child = endsWithTests(fork(program, [file], { stdio: ["ignore", "inherit", "inherit", "ipc"] }))
  await once(child, "message")
  const connected = once(child, "message")
  child.send([{ name: "good", character: "good", isDialed: false, port: node.p2pPort, bytesPerSecond: 0 }])
  await connected
  return child
}

const oneRound = async (
  options: ResumeOptions,
  chain: ServedChain,
  round: number,
  killedAfter: number
): Promise<ResumeRound> => {
  const { coins, file, inTransit, nodes, patience, tip } = options
  const args = [...options.args, "--set", `ibd.max_blocks_in_transit_per_peer=${inTransit}`]
  const name = `resumed-${options.seed}-${round}`
  const node = await nodes.start(name, args)
  const before = await goodPeer(file, node)
  await pause(killedAfter)
  await nodes.kill(node)
  const asked = new Set(await hashesAsked(before))
  before.kill("SIGKILL")
  const stored = blocksOnDisk(node.directory)
  // They come in the order in which they are asked for.
  const newest = new Set([...asked].slice(-inTransit))
  const lost = [...asked].filter((hash) => !stored.has(hash))
  const held = lost.filter((hash) => !newest.has(hash))

  const again = await nodes.start(name, args)
  const heightAfter = await again.call<number>("getblockcount")
  const after = await goodPeer(file, again)
  try {
    await until("the chain is there", async () => await again.call("getbestblockhash") === tip, patience)
    const { muhash } = await again.call<{ readonly muhash: string }>("gettxoutsetinfo", "muhash")
    if (coins !== undefined && muhash !== coins) throw new Error(`the coins hash to ${muhash} instead of ${coins}`)
    const askedAfter = new Set(await hashesAsked(after))
    const committed = new Set(chain.blocks.slice(0, heightAfter).map(({ hash }) => hex(hash)))
    await nodes.stop(again)
    return {
      killedAfter,
      coins: muhash,
      asked: asked.size,
      stored: stored.size,
      heightAfter,
      onTheWay: lost.length - held.length,
      heldBytes: held.reduce((sum, hash) => sum + sizeOf(chain, hash), 0),
      askedAfter: askedAfter.size,
      again: [...askedAfter].filter((hash) => asked.has(hash)).length,
      storedAgain: [...askedAfter].filter((hash) => stored.has(hash)).length,
      committedAgain: [...askedAfter].filter((hash) => committed.has(hash)).length
    }
  } finally {
    after.kill("SIGKILL")
  }
}

/**
 * Kills a node at moments of chance while it fetches a chain, starts it again and has it fetch the rest. Throws when a
 * block was fetched again that must not be.
 */
export const resumeRounds = async (options: ResumeOptions): Promise<ReadonlyArray<ResumeRound>> => {
  const random = randomOf(options.seed)
  const chain = chainOfFile(readFileSync(options.file))
  const found: Array<ResumeRound> = []
  for (let round = 0; round < options.rounds; round++) {
    const one = await oneRound(
      { ...options, coins: options.coins ?? found[0]?.coins },
      chain,
      round,
      random.below(options.length) + 1
    )
    found.push(one)
    options.onRound?.(one)
    if (one.heldBytes > mostHeld(chain)) {
      throw new Error(
        `seed ${options.seed}, round ${round + 1}: more had come and was in no file than may wait: ${
          JSON.stringify(one)
        }`
      )
    }
    if (one.committedAgain > 0 || one.storedAgain > 0) {
      throw new Error(
        `seed ${options.seed}, round ${round + 1}: blocks were fetched again that were here: ${JSON.stringify(one)}`
      )
    }
  }
  return found
}
