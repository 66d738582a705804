import type { NetworkStream } from "@lockstep/sdk"
import { FIRST_BYTES, type KeyPair, respond, type Session } from "./noise/handshake.ts"
import type { Connection } from "./set-up.ts"
import { type FrameReader, frameReader, sealFrame } from "./wire/frames.ts"
import { decodeMessage, encodeMessage, type Message } from "./wire/messages.ts"

/** Maximum unread bytes; a peer that exceeds them is disconnected. */
const MOST_UNREAD_BYTES = 8 * 1024 * 1024

/** Time limit of a handshake in milliseconds. */
const HANDSHAKE_MS = 10_000

/** Options for serving a stream. */
export interface StreamOptions {
  readonly stream: NetworkStream
  readonly server: KeyPair
  readonly certificate: () => Uint8Array
  readonly connect: (send: (message: Message) => void) => Connection
}

/** Performs the handshake with a peer, and serves it until it breaks the protocol or disconnects. */
export const serveStream = ({ certificate, connect, server, stream }: StreamOptions): void => {
  let held: Buffer = Buffer.alloc(0)
  let session: Session | undefined
  let reader: FrameReader | undefined
  let connection: Connection | undefined

  const send = (message: Message): void => {
    if (session === undefined || stream.writableEnded || stream.destroyed) return
    if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy()
    else stream.write(sealFrame(session, encodeMessage(message)))
  }

  const shakeHands = (): void => {
    const answer = respond(held.subarray(0, FIRST_BYTES), server, certificate())
    session = answer.session
    const opened = connect(send)
    connection = opened
    reader = frameReader(session, opened.mostPayload)
    stream.write(answer.second)
  }

  const takeFrames = (chunk: Uint8Array): boolean => {
    const frames = reader!.feed(chunk)
    if (frames === undefined) return false
    return frames.every((frame) => {
      const message = decodeMessage(frame)
      return message !== undefined && connection!.take(message)
    })
  }

  const patience = setTimeout(() => stream.destroy(), HANDSHAKE_MS)
  stream.once("close", () => clearTimeout(patience))
  stream.on("data", (chunk) => {
    // A peer that broke the protocol may still send while it reads the reason.
    if (stream.writableEnded) return
    if (session === undefined) {
      held = Buffer.concat([held, chunk as Buffer])
      if (held.length < FIRST_BYTES) return
      clearTimeout(patience)
      shakeHands()
      chunk = held.subarray(FIRST_BYTES)
    }
    // Earlier answers, such as an error code, are still sent.
    if (!takeFrames(chunk as Buffer)) stream.end(() => stream.destroy())
  })
}
