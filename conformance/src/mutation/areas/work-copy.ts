import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { allPlanted, type Fault } from "./fault.ts"
import { numberPlaces, withProbes, type WithProbes } from "./probes.ts"

/** A copy of the workspace in which faults are planted: the tree it was made of is never written to. */
export interface WorkCopy {
  readonly root: string
  /** Runs `trial` while the faults, none of them inside another, stand in the copy. */
  readonly withFaults: <A>(faults: ReadonlyArray<Fault>, trial: () => Promise<A>) => Promise<A>
  readonly withProbes: WithProbes
  readonly remove: () => void
}

/** The workspace and its packages: every folder with packages installed for it. */
const workspacesOf = (root: string): ReadonlyArray<string> =>
  ["", ...readdirSync(root)].filter((name) => existsSync(join(root, name, "node_modules")))

/** Files as they lie there, whether or not they are committed; not what is ignored. */
const filesIn = (root: string): ReadonlyArray<string> => {
  const { status, stdout, stderr } = spawnSync("git", ["ls-files", "-z", "-c", "-o", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26
  })
  if (status !== 0) throw new Error(`git cannot list the files of ${root}: ${stderr.trim()}`)
  return stdout.split("\0").filter((file) =>
    file !== "" && lstatSync(join(root, file), { throwIfNoEntry: false }) !== undefined
  )
}

/** Links to packages are the same links, so that those of the workspace lead into the copy; the store is shared. */
const copyNodeModules = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === ".pnpm") symlinkSync(join(from, name), join(to, name))
    else if (!name.startsWith(".vite")) {
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    }
  }
}

/** Copies the workspace at `root` into a temporary directory. */
export const makeWorkCopy = (root: string): WorkCopy => {
  const copy = mkdtempSync(join(tmpdir(), "lockstep-mutation-"))
  for (const file of filesIn(root)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
  for (const workspace of workspacesOf(root)) {
    copyNodeModules(join(root, workspace, "node_modules"), join(copy, workspace, "node_modules"))
  }
  const withTexts = async <A>(
    faults: ReadonlyArray<Fault>,
    changed: (text: string, faults: ReadonlyArray<Fault>) => string,
    trial: () => Promise<A>
  ): Promise<A> => {
    const before = new Map(faults.map(({ file }) => [file, readFileSync(join(copy, file), "utf8")]))
    for (const [file, text] of before) {
      writeFileSync(join(copy, file), changed(text, faults.filter((fault) => fault.file === file)))
    }
    try {
      return await trial()
    } finally {
      for (const [file, text] of before) writeFileSync(join(copy, file), text)
    }
  }
  return {
    root: copy,
    withFaults: (faults, trial) => withTexts(faults, allPlanted, trial),
    withProbes: (faults, path, trial) => {
      const numbers = numberPlaces(faults)
      return withTexts(faults, (text, ofFile) => withProbes(text, ofFile, numbers, path), () => trial(numbers))
    },
    remove: () => rmSync(copy, { recursive: true, force: true, maxRetries: 3 })
  }
}
