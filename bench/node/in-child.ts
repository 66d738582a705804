import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Longer than any of them takes: one that hangs is a fault, not a figure. */
const PATIENCE_MILLISECONDS = 600_000

/** The node's launcher keeps compiled code from start to start too. */
const COMPILED = join(tmpdir(), "lockstep-bench-compiled")

/** Those of every node. */
const V8_FLAGS = JSON.parse(
  readFileSync(new URL("../../node/bin/v8-flags.json", import.meta.url), "utf8")
) as ReadonlyArray<string>

/**
 * Runs a program in a process of its own and reads what it prints: memory and processor time are those of nothing else.
 * It is named by its place or by its name in this folder. `within` is the command that runs it, if any does.
 */
export const inChild = async <A>(
  program: string | URL,
  asked: unknown,
  within: ReadonlyArray<string> = []
): Promise<A> => {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const [command, ...args] = [...within, process.execPath, ...V8_FLAGS, path, JSON.stringify(asked)]
  const { stdout } = await run(command!, args, {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    timeout: PATIENCE_MILLISECONDS,
    maxBuffer: 1 << 24
  })
  return JSON.parse(stdout) as A
}

/**
 * The program's side: works on what was asked in an empty directory, which is gone afterwards, and prints what it
 * found.
 */
export const answerParent = async <A, B>(work: (asked: A) => Promise<B>): Promise<void> => {
  process.stdout.write(JSON.stringify(await work(JSON.parse(process.argv[2]!) as A)))
}
