import { spawnSync } from "node:child_process"
import { readSync } from "node:fs"
import { isatty } from "node:tty"
import { textOfBytes } from "../bytes/byte-text.ts"
import { failClient } from "./client-failure.ts"

const INPUT = 0
const NEWLINE = 0x0a
const RETRY_MS = 10

/** One byte; none at the end. A pipe whose writer is slow has none at times. */
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

/** The next line; none at the end. No more is read than that: what follows is for other readers. */
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

/** Reads a secret from standard input; `option` wants it. */
export const readSecret = (option: string, prompt: string): string => {
  if (isTerminal()) process.stderr.write(prompt)
  return withoutEcho(nextLine) ?? failClient(`-${option} specified but failed to read from standard input`)
}

/** All lines that are left. */
export const readLines = (): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let line = nextLine(); line !== undefined; line = nextLine()) lines.push(line)
  if (isTerminal()) process.stdout.write("\n")
  return lines
}
