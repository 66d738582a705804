import { spawnSync } from "node:child_process"
import { readSync } from "node:fs"
import { isatty } from "node:tty"
import { textOfBytes } from "../bytes/byte-text.ts"
import { failClient } from "./client-failure.ts"

const INPUT = 0
const NEWLINE = 0x0a
const RETRY_MS = 10

/** Reads one byte; returns false at the end. Waits for a slow writer of a pipe, which has no byte at times. */
const nextByte = (into: Uint8Array): boolean => {
  for (;;) {
    try {
      return readSync(INPUT, into, 0, 1, null) > 0
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === "EOF") return false
      if (code !== "EAGAIN") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

/** Reads the next line, and nothing after it, which is left to later reads. Returns `undefined` at the end. */
const nextLine = (): string | undefined => {
  const bytes: Array<number> = []
  const byte = new Uint8Array(1)
  while (nextByte(byte)) {
    if (byte[0] === NEWLINE) return textOfBytes(Buffer.from(bytes))
    bytes.push(byte[0]!)
  }
  return bytes.length === 0 ? undefined : textOfBytes(Buffer.from(bytes))
}

const isTerminal = (): boolean => isatty(INPUT)

const echo = (word: "-echo" | "echo"): void => {
  spawnSync("stty", [word], { stdio: ["inherit", "ignore", "ignore"] })
}

const withoutEcho = <A>(read: () => A): A => {
  if (!isTerminal()) return read()
  echo("-echo")
  try {
    return read()
  } finally {
    echo("echo")
    process.stdout.write("\n")
  }
}

/** Reads a secret from standard input for an option. */
export const readSecret = (option: string, prompt: string): string => {
  if (isTerminal()) process.stderr.write(prompt)
  return withoutEcho(nextLine) ?? failClient(`-${option} specified but failed to read from standard input`)
}

/** Reads all remaining lines. */
export const readLines = (): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let line = nextLine(); line !== undefined; line = nextLine()) lines.push(line)
  if (isTerminal()) process.stdout.write("\n")
  return lines
}
