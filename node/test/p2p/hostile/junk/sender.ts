import type { Random } from "../../../crash/random.ts"
import { connectPeer, type WirePeer } from "../../sockets/wire-peer.ts"
import { pause, until } from "../../sockets/wire-node.ts"
import { JUNK, type JunkCoins } from "./junk.ts"

export interface JunkFlood {
  readonly port: number
  readonly peers: number
  /** Of all peers together. */
  readonly transactions: number
  readonly coins: JunkCoins
  readonly random: Random
}

export interface JunkFigures {
  readonly sent: Readonly<Record<string, number>>
  /** Connections that the node ended; they were made again. */
  readonly lost: number
}

const BATCH = 10

/** A peer that reports how many of its pings were answered. */
const counting = async (port: number): Promise<{ readonly peer: WirePeer; readonly pongs: () => number }> => {
  let pongs = 0
  const peer = await connectPeer(port, (message, say) => {
    if (message.command === "pong") pongs++
    if (message.command === "ping" && message.nonce !== undefined) say({ command: "pong", nonce: message.nonce })
  })
  await until("the handshake is over", () => peer.isClosed() || peer.commands().includes("verack"))
  return { peer, pongs: () => pongs }
}

/** All peers send junk at once, as fast as the node takes it: each waits until its last batch was handled. */
export const floodWithJunk = async (
  { coins, peers, port, random, transactions }: JunkFlood
): Promise<JunkFigures> => {
  const sent: Record<string, number> = Object.fromEntries(JUNK.map(({ what }) => [what, 0]))
  let left = transactions
  let lost = 0
  const one = async (): Promise<void> => {
    let { peer, pongs } = await counting(port)
    for (let batch = 1; left > 0; batch++) {
      for (let i = 0; i < BATCH && left > 0; i++) {
        left--
        const { make, what } = JUNK[left % JUNK.length]!
        sent[what]!++
        peer.say({ command: "tx", transaction: make(random, coins) })
      }
      peer.say({ command: "ping", nonce: BigInt(batch) })
      const [{ isClosed }, answered, target] = [peer, pongs, batch]
      await until("a batch of junk is handled", () => isClosed() || answered() >= target)
      if (!isClosed()) continue
      lost++
      await pause(100)
      ;({ peer, pongs } = await counting(port))
      batch = 0
    }
    peer.end()
  }
  await Promise.all(Array.from({ length: peers }, one))
  return { sent, lost }
}
