import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { endpointText, parseEndpoint } from "../../../src/net/endpoint-text.ts"
import { freePort } from "../../process/node-process.ts"
import { until, type WireNode, type WireNodes } from "../sockets/wire-node.ts"
import { startProxy } from "../transport/proxy-server.ts"
import type { Character, ChainPeerFigures, ChainPeerOptions } from "./chain-peer.ts"

/**
 * They are discouraged only at an address that others could have, too. So the node dials them, at one that is made up,
 * through a proxy on this machine that leads to them.
 */
const LIARS: ReadonlySet<Character> = new Set<Character>(["liar", "forker"])
const [FAR_AWAY, FAR_AWAY_PORT] = ["44.7.8.9", 18_444]

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

const asked = async (
  child: ChildProcess,
  message: ReadonlyArray<ChainPeerOptions> | "figures"
): Promise<ReadonlyArray<ChainPeerFigures>> => {
  const answer = once(child, "message")
  child.send(message)
  return (await answer)[0] as ReadonlyArray<ChainPeerFigures>
}

const discouragedAt = async ({ running, token }: WireNode): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${running.port}/metrics`, {
    headers: { authorization: `Bearer ${token}` }
  })
  return Number(/^lockstep_discouraged_addresses (\S+)$/m.exec(await response.text())?.[1])
}

/** A new node to which peers of these characters connect, all at once: how long until it has the chain. */
export const syncInCompany = async (options: CompanyOptions): Promise<CompanySync> => {
  const { args, characters, file, nodes, slowBytesPerSecond, tip } = options
  const dialedPort = await freePort()
  const scope = Scope.makeUnsafe()
  const child = fork(fileURLToPath(new URL("company-program.ts", import.meta.url)), [file], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  try {
    await once(child, "message")
    const proxy = await Effect.runPromise(
      Scope.provide(startProxy({ to: parseEndpoint(`127.0.0.1:${dialedPort}`, 0)! }), scope)
    )
    const node = await nodes.start(`among-${characters.join("-")}-${performance.now()}`, [
      "--set",
      "logging.level=info,net=debug",
      "--set",
      `connections.proxy=${endpointText(proxy.at)}`,
      "--target-peer-count",
      "1",
      ...args
    ])
    const start = performance.now()
    const connect = async (some: ReadonlyArray<Character>): Promise<void> => {
      await asked(
        child,
        some.map((character) => {
          const isDialed = LIARS.has(character)
          return {
            name: character,
            character,
            isDialed,
            port: isDialed ? dialedPort : node.p2pPort,
            bytesPerSecond: slowBytesPerSecond
          }
        })
      )
      if (some.some((character) => LIARS.has(character))) await node.call("addpeeraddress", FAR_AWAY, FAR_AWAY_PORT)
    }
    if (options.isGoodLate === true) {
      await connect(characters.filter((character) => character !== "good"))
      await until(
        "all others are asked for blocks",
        async () => (await asked(child, "figures")).every((peer) => peer.asked > 0)
      )
      await connect(["good"])
    } else await connect(characters)
    await until("the chain is there", async () => await node.call("getbestblockhash") === tip, options.patience).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}:\n${node.running.stdout()}`, { cause: error })
      }
    )
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
    await Effect.runPromise(Scope.close(scope, Exit.void))
    child.kill("SIGKILL")
  }
}
