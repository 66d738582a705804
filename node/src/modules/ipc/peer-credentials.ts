import { type Koffi, loadKoffi } from "@lockstep/crypto/native-memory.ts"
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"

/** The process at the other end of a Unix socket, as the kernel reports it; it cannot be forged. */
export interface PeerCredentials {
  readonly pid: number
  readonly uid: number
}

/** Constants of Linux: SOL_SOCKET, SO_PEERCRED, and the bytes of `struct ucred`. */
const SOL_SOCKET = 1
const SO_PEERCRED = 17
const UCRED_BYTES = 12

type GetOption = (descriptor: number, level: number, name: number, value: Uint8Array, length: Uint32Array) => number

const getOption = (koffi: Koffi): GetOption =>
  koffi.load(null).func("int getsockopt(int, int, int, void *, void *)") as unknown as GetOption

/** Returns the file descriptor of a socket, for which Node.js has no public API. */
const descriptorOf = (socket: Socket): number | undefined =>
  (socket as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd

/**
 * Returns a reader of the credentials of connected Unix sockets. Returns `undefined` on systems other than Linux, or
 * without the library that calls the system.
 */
export const peerCredentialsReader = (): ((socket: Socket) => PeerCredentials | undefined) | undefined => {
  const koffi = process.platform === "linux" ? loadKoffi() : undefined
  if (koffi?.ok !== true) return undefined
  const call = getOption(koffi.value)
  return (socket) => {
    const descriptor = descriptorOf(socket)
    const value = new Uint8Array(UCRED_BYTES)
    if (descriptor === undefined) return undefined
    if (call(descriptor, SOL_SOCKET, SO_PEERCRED, value, Uint32Array.of(UCRED_BYTES)) !== 0) return undefined
    const view = new DataView(value.buffer)
    return { pid: view.getInt32(0, true), uid: view.getUint32(4, true) }
  }
}

/** Maximum steps from a process to its ancestor; a sandbox adds two or three. */
const MAX_GENERATIONS = 16

const parentOf = (pid: number): number => {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/**
 * Reports whether a process is another one or descends from it. A sandbox runs the module as a child of the process
 * that the node started.
 */
export const descendsFrom = (pid: number, ancestor: number): boolean => {
  let each = pid
  for (let i = 0; i < MAX_GENERATIONS && each > 1; i++) {
    if (each === ancestor) return true
    each = parentOf(each)
  }
  return false
}
