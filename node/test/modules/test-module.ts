import {
  encodeModuleFrame,
  feedModuleFrames,
  decodeModuleMessage,
  MAX_NODE_MESSAGE_BYTES,
  moduleFrameReader,
  type ModuleMessage,
  moduleRequest,
  readModuleFrame,
  type RequestPayload
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { mkdirSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/** A directory for sockets. */
export const root = join(tmpdir(), `lockstep-ipc-${process.pid}`)

/** Each test file says so for itself: files of one process share this module, and the directory ends with each of them. */
export const useSockets = (): void => {
  mkdirSync(root, { recursive: true })
  afterAll(() => rmSync(root, { recursive: true, force: true }))
}

let made = 0
/** A path at which no socket is yet. */
export const socketPath = (): string => join(root, `${made++}`, "module.sock")

/** A module as a test writes it: it sends what it is given, and keeps what it receives. */
export interface TestModule {
  readonly socket: Socket
  readonly send: (message: ModuleMessage) => void
  readonly ask: (payload: RequestPayload, id?: bigint) => void
  readonly next: Effect.Effect<ModuleMessage>
  readonly closed: Effect.Effect<void>
}

export const testModule = (socket: Socket): TestModule => {
  const reader = moduleFrameReader(MAX_NODE_MESSAGE_BYTES)
  const received: Array<ModuleMessage> = []
  const waiting: Array<(message: ModuleMessage) => void> = []
  socket.on("error", () => undefined)
  socket.on("data", (chunk: Buffer) => {
    feedModuleFrames(reader, chunk)
    for (;;) {
      const frame = Result.getOrThrow(readModuleFrame(reader))
      if (frame === undefined) return
      const message = Result.getOrThrow(decodeModuleMessage(frame))
      const next = waiting.shift()
      if (next === undefined) received.push(message)
      else next(message)
    }
  })
  const send = (message: ModuleMessage): void => void socket.write(encodeModuleFrame(message))
  return {
    socket,
    send,
    ask: (payload, id = 1n) => send(moduleRequest(id, payload)),
    next: Effect.callback((resume) => {
      const first = received.shift()
      if (first === undefined) waiting.push((message) => resume(Effect.succeed(message)))
      else resume(Effect.succeed(first))
    }),
    closed: Effect.callback((resume) => {
      if (socket.closed) return resume(Effect.void)
      socket.once("close", () => resume(Effect.void))
    })
  }
}

/** Both ends of a connection over a real socket. */
export const connected = Effect.callback<{ readonly module: TestModule; readonly server: Socket }>((resume) => {
  const path = join(root, `pair-${made++}`)
  const server = createServer((socket) => {
    server.close()
    resume(Effect.succeed({ module, server: socket }))
  })
  server.once("error", (error) => resume(Effect.die(error)))
  let module: TestModule
  server.listen(path, () => {
    module = testModule(connect(path))
  })
})
