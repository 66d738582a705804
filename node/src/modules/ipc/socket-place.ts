import { join } from "node:path"

/** Where the socket of a module is: a file, or on Windows a named pipe, which has a name of its own and no file. */
export const socketPlace = (platform: NodeJS.Platform, directory: string, name: string, pid: number): string =>
  platform === "win32" ? `\\\\.\\pipe\\lockstep-${name}-${pid}` : join(directory, `${name}-${pid}.sock`)

/** Whether a place is a named pipe of Windows. */
export const isNamedPipe = (place: string): boolean => place.startsWith("\\\\.\\pipe\\")
