import * as Effect from "effect/Effect"
import { createSocket, type Socket } from "node:dgram"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

/** A relay of datagrams on loopback between one client and a server: a bad line. */
export interface Relay {
  readonly port: number
  /** Datagrams that were passed on, and that were dropped. */
  readonly counts: { passed: number; dropped: number }
  /** From now on nothing passes: the other side seems to be dead. */
  readonly cut: () => void
}

const HOST = "127.0.0.1"

const bind = (socket: Socket): Promise<number> =>
  new Promise((resolve) => socket.bind(0, HOST, () => resolve(socket.address().port)))

/** Drops the given share of all datagrams, the same ones for the same seed. */
export const startRelay = (to: number, share: number, seed: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const [front, back] = [createSocket("udp4"), createSocket("udp4")]
      const random = seededRandom(seed)
      const counts = { passed: 0, dropped: 0 }
      let isCut = false
      let client: number | undefined
      const passes = (): boolean => {
        const isDropped = isCut || random.below(1_000) < share * 1_000
        counts[isDropped ? "dropped" : "passed"]++
        return !isDropped
      }
      front.on("message", (bytes, from) => {
        client = from.port
        if (passes()) back.send(bytes, to, HOST)
      })
      back.on("message", (bytes) => {
        if (client !== undefined && passes()) front.send(bytes, client, HOST)
      })
      await bind(back)
      const cut = (): void => {
        isCut = true
      }
      const relay: Relay = { port: await bind(front), counts, cut }
      return { relay, front, back }
    }),
    ({ back, front }) =>
      Effect.sync(() => {
        front.close()
        back.close()
      })
  ).pipe(Effect.map(({ relay }) => relay))
