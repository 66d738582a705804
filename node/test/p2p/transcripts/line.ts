import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import * as Effect from "effect/Effect"
import { connect, type Socket } from "node:net"
import { testCrypto } from "../../engine/test-engine.ts"

/** A message as it came. */
export interface Frame {
  readonly command: string
  readonly payload: Uint8Array
}

/** One end of a real connection, as a script uses it. */
export interface Line {
  /** What has come and was not taken yet, oldest first. */
  readonly received: Array<Frame>
  readonly isClosed: () => boolean
  readonly send: (command: string, payload: Uint8Array) => void
  readonly sendBytes: (bytes: Uint8Array) => void
  readonly close: () => void
  /** Waits until `found` answers something, or for so many milliseconds. */
  readonly until: <A>(found: () => A | undefined, patience: number) => Effect.Effect<A | undefined>
}

/** Cuts whole frames off the front. */
const framesIn = (pending: Uint8Array): { readonly frames: ReadonlyArray<Frame>; readonly rest: Uint8Array } => {
  const frames: Array<Frame> = []
  let at = 0
  while (pending.length - at >= 24) {
    const view = new DataView(pending.buffer, pending.byteOffset + at)
    const length = view.getUint32(16, true)
    if (pending.length - at < 24 + length) break
    const command = Buffer.from(pending.subarray(at + 4, at + 16)).toString("latin1").replaceAll("\0", "")
    frames.push({ command, payload: pending.slice(at + 24, at + 24 + length) })
    at += 24 + length
  }
  return { frames, rest: pending.slice(at) }
}

/** A line on a socket that is connected. */
export const lineOn = (socket: Socket): Line => {
  const received: Array<Frame> = []
  const watchers = new Set<() => void>()
  let pending: Uint8Array = new Uint8Array(0)
  let isClosed = false
  const look = (): void => {
    for (const watcher of watchers) watcher()
  }
  socket.on("data", (bytes) => {
    const { frames, rest } = framesIn(new Uint8Array(Buffer.concat([pending, bytes])))
    received.push(...frames)
    pending = rest
    look()
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    isClosed = true
    look()
  })
  socket.on("end", () => {
    isClosed = true
    look()
  })
  const sendBytes = (bytes: Uint8Array): void => {
    if (!isClosed) socket.write(bytes)
  }
  return {
    received,
    isClosed: () => isClosed,
    send: (command, payload) => sendBytes(encodeFrame(REGTEST.magic, command, payload, testCrypto)),
    sendBytes,
    close: () => socket.destroy(),
    until: (found, patience) =>
      Effect.callback((resume) => {
        const done = (answer: ReturnType<typeof found>): void => {
          watchers.delete(watcher)
          clearTimeout(timer)
          resume(Effect.succeed(answer))
        }
        const watcher = (): void => {
          const answer = found()
          if (answer !== undefined) done(answer)
        }
        const timer = setTimeout(() => done(undefined), patience)
        watchers.add(watcher)
        watcher()
      })
  }
}

/** Calls a port of this machine. */
export const call = (port: number): Effect.Effect<Line> =>
  Effect.callback((resume) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    socket.once("connect", () => resume(Effect.succeed(lineOn(socket))))
    socket.once("error", (error) => resume(Effect.die(error)))
  })
