import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CACHE, freePort, spawnNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"

/** A start that is to be refused. */
export interface BadStart {
  readonly name: string
  /** Prepares `root`, and answers the arguments behind `start`. */
  readonly prepare: (root: string) => ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Takes back what would keep `root` from being removed. */
  readonly clear?: (root: string) => void
  /** What the one message says; `<root>` stands for the directory of the test. */
  readonly says: RegExp
  readonly exitCode: 1 | 2
}

/** On a quiet machine. */
const WITHIN_MS = 20_000

/** The content of every file below a directory, by path. */
const contentOf = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, "latin1")])
  )

const demand = (holds: boolean, message: string): void => {
  if (!holds) throw new Error(message)
}

/** Throws unless the start is refused as it should be, at once, and leaves everything as it was. */
export const isRefused = async ({ clear, env = {}, exitCode, name, prepare, says }: BadStart): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-bad-start-"))
  try {
    const args = prepare(root)
    const before = contentOf(root)
    const address = args.includes("--rpc-addr") ? [] : ["--rpc-addr", `127.0.0.1:${await freePort()}`]
    const node = spawnNode(["start", ...args, ...address], { HOME: root, XDG_CACHE_HOME: CACHE, ...env })
    const timer = setTimeout(() => node.signal("SIGKILL"), patience(WITHIN_MS))
    const ending = await node.ended
    clearTimeout(timer)
    const { stderr, stdout } = ending
    const said = `${name}: exit code ${ending.exitCode}, ${ending.signal}\n${stdout}\n${stderr}`
    demand(ending.signal === null && ending.exitCode === exitCode, said)
    demand(says.test(stderr.replaceAll(root, "<root>")), `${said}\nis not ${says}`)
    demand(stderr.trimEnd().split("\n").every((line) => line.startsWith("node: ")), said)
    demand(!/\n\s+at /.test(`${stdout}\n${stderr}`), said)
    const after = contentOf(root)
    for (const [path, content] of before) {
      // A program that locks the directory puts its name there.
      if (!path.endsWith("/lock")) demand(after.get(path) === content, `${name}: ${path} was changed`)
    }
  } finally {
    clear?.(root)
    rmSync(root, { recursive: true, force: true })
  }
}

/** Several at a time: most of a start is waiting. */
export const areRefused = async (starts: ReadonlyArray<BadStart>): Promise<void> => {
  const left = [...starts]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await isRefused(next)
  }
  await Promise.all([work(), work(), work()])
}
