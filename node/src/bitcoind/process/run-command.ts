import { spawn } from "node:child_process"
import { constants } from "node:os"
import { bytesOfText, holdsBytes } from "../../bytes/byte-text.ts"

/** Returns a byte in octal digits, as printf(1) reads them. */
const octal = (byte: number): string => `\\0${byte.toString(8).padStart(3, "0")}`

/**
 * Returns a command as text that Node.js can pass to a shell. The shell itself produces the bytes of a command that is
 * not UTF-8.
 */
const shellText = (command: string): string =>
  holdsBytes(command) ? `eval "$(printf '%b' '${Array.from(bytesOfText(command), octal).join("")}')"` : command

/** Runs a command in the system's shell. Returns a line for the log if it fails. */
export const runShellCommand = (command: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const failed = (code: number): string => `runCommand error: system(${command}) returned ${code}`
    const child = spawn(shellText(command), { shell: true, stdio: "ignore", detached: true })
    child.on("error", () => resolve(failed(-1)))
    // As in wait(2): the exit code is in the upper byte, a signal in the lower.
    child.on("exit", (code, signal) => {
      const status = code === null ? constants.signals[signal!] : code * 256
      resolve(status === 0 ? undefined : failed(status))
    })
    child.unref()
  })

/** Removes from a warning all characters that a shell could interpret. */
export const safeText = (text: string): string => text.replaceAll(/[^A-Za-z0-9 .,;\-_/:?@()]/g, "")
