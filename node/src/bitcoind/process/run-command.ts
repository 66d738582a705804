import { spawn } from "node:child_process"
import { constants } from "node:os"
import { bytesOfText, holdsBytes } from "../../bytes/byte-text.ts"

/** Octal digits of a byte, as printf(1) reads them. */
const octal = (byte: number): string => `\\0${byte.toString(8).padStart(3, "0")}`

/** A command as Node.js can hand it to a shell: where it is not UTF-8, the shell makes its bytes. */
const shellText = (command: string): string =>
  holdsBytes(command) ? `eval "$(printf '%b' '${Array.from(bytesOfText(command), octal).join("")}')"` : command

/** Runs a command in the system's shell; answers what the log says when it does not end well. */
export const runShellCommand = (command: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const failed = (code: number): string => `runCommand error: system(${command}) returned ${code}`
    const child = spawn(shellText(command), { shell: true, stdio: "ignore", detached: true })
    child.on("error", () => resolve(failed(-1)))
    // As wait(2) has it: the exit code stands in the upper byte, a signal in the lower.
    child.on("exit", (code, signal) => {
      const status = code === null ? constants.signals[signal!] : code * 256
      resolve(status === 0 ? undefined : failed(status))
    })
    child.unref()
  })

/** What a warning may have in a command: the rest could be more than a text to a shell. */
export const safeText = (text: string): string => text.replaceAll(/[^A-Za-z0-9 .,;\-_/:?@()]/g, "")
