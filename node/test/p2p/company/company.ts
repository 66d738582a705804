import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { networkInterfaces } from "node:os"
import { fileURLToPath } from "node:url"
import { until, type WireNode, type WireNodes } from "../sockets/wire-node.ts"
import type { Character, ChainPeerFigures, ChainPeerOptions } from "./chain-peer.ts"

/** An address of this machine that others could have, too: peers there are discouraged. None: the loopback one is all there is. */
export const outerAddress = (): string | undefined =>
  Object.values(networkInterfaces()).flat().find((each) => each?.family === "IPv4" && !each.internal)?.address

const LIARS: ReadonlySet<Character> = new Set<Character>(["liar", "forker"])

export interface CompanyOptions {
  readonly nodes: WireNodes
  /** Raw blocks in order, genesis first, as `gen_chain.py` writes them. */
  readonly file: string
  /** Hash of the last of them, as people write it. */
  readonly tip: string
  readonly characters: ReadonlyArray<Character>
  readonly slowBytesPerSecond: number
  readonly args: ReadonlyArray<string>
  /** Milliseconds. */
  readonly patience: number
  /** Good ones come only when each of the others was asked for blocks. */
  readonly isGoodLate?: boolean
  /** Whether nothing more is waited for once the chain is there. */
  readonly isSettled?: (peers: ReadonlyArray<ChainPeerFigures>) => boolean
}

/** What became of a sync in such company. */
export interface CompanySync {
  readonly seconds: number
  readonly peers: ReadonlyArray<ChainPeerFigures>
  /** What the node said, debug lines included. */
  readonly log: string
  readonly discouraged: number
  readonly coins: string
}

const asked = async (child: ChildProcess, message: ReadonlyArray<ChainPeerOptions> | "figures"): Promise<ReadonlyArray<ChainPeerFigures>> => {
  const answer = once(child, "message")
  child.send(message)
  return (await answer)[0] as ReadonlyArray<ChainPeerFigures>
}

const discouragedAt = async ({ running, token }: WireNode): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${running.port}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  return Number(/^lockstep_discouraged_addresses (\S+)$/m.exec(await response.text())?.[1])
}

/** A new node to which peers of these characters connect, all at once: how long until it has the chain. */
export const syncInCompany = async (options: CompanyOptions): Promise<CompanySync> => {
  const { args, characters, file, nodes, slowBytesPerSecond, tip } = options
  const outer = outerAddress()
  // All of one address end when one of them misbehaves: whoever lies comes from another one than the rest.
  const hostOf = (character: Character): string => outer !== undefined && LIARS.has(character) ? outer : "127.0.0.1"
  const child = fork(fileURLToPath(new URL("company-program.ts", import.meta.url)), [file], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  try {
    await once(child, "message")
    const node = await nodes.start(`among-${characters.join("-")}-${performance.now()}`, ["--set", "logging.level=info,net=debug", ...args], "0.0.0.0")
    const start = performance.now()
    const connect = (some: ReadonlyArray<Character>) => asked(child, some.map((character) =>
      ({ name: character, character, host: hostOf(character), port: node.p2pPort, bytesPerSecond: slowBytesPerSecond })))
    if (options.isGoodLate === true) {
      await connect(characters.filter((character) => character !== "good"))
      await until("all others are asked for blocks", async () => (await asked(child, "figures")).every((peer) => peer.asked > 0))
      await connect(["good"])
    } else await connect(characters)
    await until("the chain is there", async () => await node.call("getbestblockhash") === tip, options.patience).catch((error: unknown) => {
      throw new Error(`${String(error)}:\n${node.running.stdout()}`, { cause: error })
    })
    const seconds = (performance.now() - start) / 1_000
    let peers = await asked(child, "figures")
    await until("the others have got what they deserve", async () => {
      peers = await asked(child, "figures")
      return options.isSettled?.(peers) ?? true
    })
    const discouraged = await discouragedAt(node)
    const { muhash: coins } = await node.call<{ readonly muhash: string }>("gettxoutsetinfo", "muhash")
    await nodes.stop(node)
    return { seconds, peers, log: node.running.stdout(), discouraged, coins }
  } finally {
    child.kill("SIGKILL")
  }
}
