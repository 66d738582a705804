import { constants } from "node:os"

/** Messages of the operating system for errors, which differ from those of libuv. */
const WORDS: Readonly<Record<string, string>> = {
  EPERM: "Operation not permitted",
  ENOENT: "No such file or directory",
  EIO: "Input/output error",
  EACCES: "Permission denied",
  ENODEV: "No such device",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  EINVAL: "Invalid argument",
  ENFILE: "Too many open files in system",
  EMFILE: "Too many open files",
  ENOMEM: "Cannot allocate memory",
  ENOSPC: "No space left on device",
  EROFS: "Read-only file system",
  ENAMETOOLONG: "File name too long",
  ELOOP: "Too many levels of symbolic links",
  EDQUOT: "Disk quota exceeded",
  EADDRINUSE: "Address already in use",
  EADDRNOTAVAIL: "Cannot assign requested address",
  EAFNOSUPPORT: "Address family not supported by protocol",
  EPROTONOSUPPORT: "Protocol not supported",
  ENOBUFS: "No buffer space available",
  ENETDOWN: "Network is down",
  ENETUNREACH: "Network is unreachable"
}

/** Returns the message of the operating system for an error, or that of Node.js if it is unknown. */
export const systemErrorWords = (error: NodeJS.ErrnoException): string => WORDS[error.code ?? ""] ?? error.message

/**
 * Returns an error of the operating system as Bitcoin Core shows it, with its number. Other errors keep their message.
 */
export const systemErrorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code = "", errno, message } = error as NodeJS.ErrnoException
  const words = WORDS[code]
  return words === undefined || errno === undefined ? message : `${words} (${Math.abs(errno)})`
}

const NUMBERS: Readonly<Record<string, number>> = constants.errno

/**
 * Returns why a socket cannot be bound to an address, in Bitcoin Core's words. `code` is the system's, such as
 * `EACCES`.
 */
export const bindFaultText = (address: string, code: string): string => {
  if (code === "EADDRINUSE") {
    return `Unable to bind to ${address} on this computer. Bitcoin Core is probably already running.`
  }
  const number = NUMBERS[code]
  const error = number === undefined ? code : `${WORDS[code] ?? code} (${number})`
  return `Unable to bind to ${address} on this computer (bind returned error ${error})`
}
