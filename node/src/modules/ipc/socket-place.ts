import { join } from "node:path"

/** Returns the address of a module's socket: the path of a file, or on Windows the name of a named pipe. */
export const socketPlace = (platform: NodeJS.Platform, directory: string, name: string, pid: number): string =>
  platform === "win32" ? `\\\\.\\pipe\\lockstep-${name}-${pid}` : join(directory, `${name}-${pid}.sock`)

/** Reports whether an address is a named pipe of Windows. */
export const isNamedPipe = (place: string): boolean => place.startsWith("\\\\.\\pipe\\")
