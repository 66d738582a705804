import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { dirname } from "node:path"
import { acquireRelease, addFinalizer } from "../../finalizers/finalizers.ts"
import { isNamedPipe } from "./socket-place.ts"
import { descendsFrom, peerCredentialsReader } from "./peer-credentials.ts"

/** The reason why no socket could be created for a module. */
export class ModuleSocketError extends Data.TaggedError("ModuleSocketError")<{ readonly message: string }> {}

/** Maximum bytes of the path of a Unix socket on Linux and macOS. */
const MAX_PATH_BYTES = 103

/** The socket of one module. */
export interface ModuleSocket {
  /**
   * Returns the next connection of the process, or of one that descends from it; an earlier one waits. All others are
   * closed at once, and so is a second one that would have to wait.
   */
  readonly accept: (pid: number) => Effect.Effect<Socket>
  /** Stops accepting connections. */
  readonly close: Effect.Effect<void>
}

/** A named pipe has no file, so only the secret id keeps others out. */
const prepare = (path: string): void => {
  if (isNamedPipe(path)) return
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // An existing directory may be open to other users.
  chmodSync(directory, 0o700)
  rmSync(path, { force: true })
}

const listening = (server: Server, path: string): Effect.Effect<void, ModuleSocketError> =>
  Effect.callback((resume) => {
    const fail = (error: unknown): void =>
      resume(Effect.fail(
        new ModuleSocketError({ message: `no socket for a module at ${path}: ${(error as Error).message}` })
      ))
    if (!isNamedPipe(path) && Buffer.byteLength(path) > MAX_PATH_BYTES) {
      return fail(new Error(`the path is longer than ${MAX_PATH_BYTES} bytes; set [modules].socket_dir`))
    }
    try {
      prepare(path)
    } catch (error) {
      return fail(error)
    }
    server.once("error", fail)
    server.listen(path, () => {
      server.off("error", fail)
      if (!isNamedPipe(path)) chmodSync(path, 0o600)
      resume(Effect.void)
    })
  })

const closed = (server: Server, path: string): Effect.Effect<void> =>
  Effect.sync(() => {
    server.close()
    if (!isNamedPipe(path)) rmSync(path, { force: true })
  })

/** Maximum number of connections that arrive before the process is known. */
const MAX_WAITING = 4

/**
 * Creates the socket of a module in a directory that only this user can enter; it lasts as long as the scope. It
 * accepts one connection at a time, and the kernel identifies the process that connects (decision 0019).
 */
export const listenForModule = Effect.fnUntraced(
  function*(path: string): Effect.fn.Return<ModuleSocket, ModuleSocketError, Scope.Scope> {
    const credentialsOf = peerCredentialsReader()
    let awaited: ((socket: Socket) => void) | undefined
    const waiting: Array<Socket> = []
    /** Connections of the process that arrived before `accept` was called. */
    const early: Array<Socket> = []
    let expected: number | undefined
    let isClosed = false

    const isExpected = (socket: Socket): boolean => {
      if (credentialsOf === undefined) return process.platform !== "linux"
      const peer = credentialsOf(socket)
      return peer !== undefined && peer.uid === process.getuid?.() && descendsFrom(peer.pid, expected!)
    }
    const offer = (socket: Socket): void => {
      if (!isExpected(socket)) return void socket.destroy()
      const take = awaited
      if (take === undefined) {
        if (isClosed || early.some(({ destroyed }) => !destroyed)) return void socket.destroy()
        return void early.splice(0, early.length, socket)
      }
      awaited = undefined
      take(socket)
    }
    const server = createServer((socket) => {
      socket.on("error", () => undefined)
      if (expected !== undefined) offer(socket)
      else if (waiting.length < MAX_WAITING) waiting.push(socket)
      else socket.destroy()
    })
    yield* acquireRelease(listening(server, path), () => closed(server, path))
    yield* addFinalizer(() => Effect.sync(() => [...waiting, ...early].forEach((socket) => socket.destroy())))
    return {
      accept: (pid) =>
        Effect.callback((resume) => {
          expected = pid
          const take = (socket: Socket): void => resume(Effect.succeed(socket))
          awaited = take
          for (const socket of [...early.splice(0), ...waiting.splice(0)]) if (!socket.destroyed) offer(socket)
          return Effect.sync(() => {
            if (awaited === take) awaited = undefined
          })
        }),
      close: Effect.andThen(
        closed(server, path),
        Effect.sync(() => {
          isClosed = true
          for (const socket of early.splice(0)) socket.destroy()
        })
      )
    }
  }
)
