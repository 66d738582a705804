import { spawn } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { patience } from "../process/patience.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

const BIN = fileURLToPath(new URL("../../bin", import.meta.url))

export interface Ran {
  /** None: it did not end in time. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program with nothing on standard input, or with a text there. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  input?: string,
  cwd?: string
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = endsWithTests(spawn(program, args, {
      env,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      timeout: patience(60_000),
      killSignal: "SIGKILL",
      ...(cwd === undefined ? {} : { cwd })
    }))
    let stdout = ""
    let stderr = ""
    child.stdout!.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
    child.stderr!.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
    child.stdin?.end(input)
  })

/** A project's directory with nothing but the launcher in it. */
export interface CopiedLauncher {
  readonly root: string
  readonly bin: string
  /** Writes a file of the project; `program` makes it executable. */
  readonly write: (path: string, text: string, program?: boolean) => string
  readonly remove: () => void
}

export const copyLauncher = (): CopiedLauncher => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-launcher-")))
  const bin = join(root, "node/bin")
  cpSync(BIN, bin, { recursive: true, verbatimSymlinks: true })
  const write = (path: string, text: string, program = false): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (program) chmodSync(file, 0o755)
    return file
  }
  return { root, bin, write, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** A directory with the programs of the system that the launcher may use, and no Node.js. */
export const withoutNodejs = (place: CopiedLauncher): string => {
  const directory = join(place.root, "system")
  mkdirSync(directory)
  for (const program of ["sh", "readlink", "env"]) symlinkSync(`/usr/bin/${program}`, join(directory, program))
  return directory
}
