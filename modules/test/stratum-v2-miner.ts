import { hash } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import { initiate, SECOND_BYTES, type Session } from "../stratum-v2/src/noise/handshake.ts"
import { type FrameReader, frameReader, sealFrame } from "../stratum-v2/src/wire/frames.ts"
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type MessageName,
  type MessageOf
} from "../stratum-v2/src/wire/messages.ts"

/** A miner of Stratum V2 as a test writes it. */
export interface ScriptedMiner {
  readonly send: (message: Message) => void
  /** The next message of a kind; others before it are passed over. */
  readonly next: <N extends MessageName>(name: N) => Promise<MessageOf<N>>
  readonly closed: Promise<unknown>
  readonly end: () => void
}

/** Connects and shakes hands. Rejects where the authority does not vouch for the server. */
export const scriptedMiner = async (port: number, authorityKey: Uint8Array): Promise<ScriptedMiner> => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => undefined)
  const closed = once(socket, "close")
  const initiator = initiate()
  const received: Array<Message> = []
  let wake: (() => void) | undefined
  let held: Buffer = Buffer.alloc(0)
  let reader: FrameReader | undefined
  let session: Session | undefined
  const shaken = new Promise<void>((resolve, reject) => {
    socket.on("data", (chunk) => {
      held = Buffer.concat([held, chunk as Buffer])
      if (reader === undefined) {
        if (held.length < SECOND_BYTES) return
        session = initiator.finish(held.subarray(0, SECOND_BYTES), authorityKey, Date.now() / 1_000)
        if (session === undefined) return reject(new Error("the authority does not vouch for this server"))
        reader = frameReader(session)
        held = held.subarray(SECOND_BYTES)
        resolve()
      }
      for (const frame of reader.feed(held)!) received.push(decodeMessage(frame)!)
      held = Buffer.alloc(0)
      wake?.()
    })
  })
  socket.write(initiator.first)
  await shaken
  return {
    send: (message) => void socket.write(sealFrame(session!, encodeMessage(message))),
    next: async (name) => {
      for (;;) {
        const message = received.shift()
        if (message?._tag === name) return message as never
        if (message === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    },
    closed,
    end: () => void socket.destroy()
  }
}

const sha256d = (bytes: Uint8Array): Buffer => hash("sha256", hash("sha256", bytes, "buffer"), "buffer")

const little = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

/** The root of an extended job with an extranonce. */
export const extendedRoot = (
  { coinbase_tx_prefix, coinbase_tx_suffix, merkle_path }: MessageOf<"NewExtendedMiningJob">,
  extranonce: Uint8Array
): Uint8Array =>
  merkle_path.reduce<Uint8Array>(
    (left, right) => sha256d(Buffer.concat([left, right])),
    sha256d(Buffer.concat([coinbase_tx_prefix, extranonce, coinbase_tx_suffix]))
  )

/** A nonce whose header is as good as regtest wants, or not. */
export const solvedNonce = (
  { nbits, prev_hash }: MessageOf<"SetNewPrevHash">,
  { root, time, version }: { readonly root: Uint8Array; readonly time: number; readonly version: number },
  isGood = true
): number => {
  for (let nonce = 0;; nonce++) {
    const header = Buffer.concat([little(version), prev_hash, root, little(time), little(nbits), little(nonce)])
    // The target of regtest begins with 7fffff.
    if ((sha256d(header)[31]! < 0x7f) === isGood) return nonce
  }
}
