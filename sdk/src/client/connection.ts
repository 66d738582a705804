import {
  decodeModuleMessage,
  encodeModuleFrame,
  feedModuleFrames,
  moduleFrameReader,
  moduleIpcFaultText,
  type ModuleMessage,
  readModuleFrame
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Result from "effect/Result"
import { connect, type Socket } from "node:net"
import { NodeError } from "./node-error.ts"

/** One end of the wire between a node and a module. */
export interface Wire {
  readonly send: (message: ModuleMessage) => void
  /** Ends the connection after everything is written. */
  readonly end: () => void
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<string>
}

/** Reads messages of at most `most` bytes each from a socket, and passes each to `take` in order. */
export const wireOver = (socket: Socket, most: number, take: (message: ModuleMessage) => void): Wire => {
  const reader = moduleFrameReader(most)
  let reason = "the other side ended the connection"

  const fail = (text: string): void => {
    reason = text
    socket.destroy()
  }
  const takeAll = (): void => {
    for (;;) {
      const frame = readModuleFrame(reader)
      if (Result.isFailure(frame)) return fail(moduleIpcFaultText(frame.failure))
      if (frame.success === undefined) return
      const message = decodeModuleMessage(frame.success)
      if (Result.isFailure(message)) return fail(moduleIpcFaultText(message.failure))
      take(message.success)
    }
  }
  socket.on("data", (chunk) => {
    feedModuleFrames(reader, chunk as Buffer)
    takeAll()
  })
  const closed = new Promise<string>((resolve) => {
    socket.on("error", (error) => {
      reason = error.message
    })
    socket.on("close", () => resolve(reason))
  })
  return {
    send: (message) => {
      if (socket.writable) socket.write(encodeModuleFrame(message))
    },
    end: () => void socket.end(),
    closed
  }
}

const ATTEMPTS = 50
const PAUSE_MS = 100

/** Connects to a socket; rejects with the system's error. */
export const connectOnce = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.off("error", reject)
      resolve(socket)
    })
    socket.once("error", reject)
  })

/**
 * Connects to the node's socket for this module. Retries for five seconds, since the node may not have created it yet.
 */
export const connectToNode = async (path: string): Promise<Socket> => {
  for (let attempt = 1;; attempt++) {
    try {
      return await connectOnce(path)
    } catch (error) {
      if (attempt === ATTEMPTS) throw new NodeError("ConnectionError", `${path}: ${(error as Error).message}`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
