import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import type { ClientTarget } from "../commands/client-credentials.ts"
import { environment } from "../environment.ts"
import { cacheDirectory, thisMachine } from "../machine.ts"

/**
 * Reading and checking the whole configuration takes longer than a call, so the result is kept for the next call with
 * the same options.
 */
interface Kept {
  /** Files and directories that it depends on, existing or missing. */
  readonly paths: ReadonlyArray<string>
  /** The target, encrypted with a key made of the content of these paths and of the call: it may contain credentials. */
  readonly sealed: string
}

const MOST = 32
// The launcher sets the excluded variable for some programs.
const VARIABLES = /^(?:NODE_(?!COMPILE_CACHE$)|RPC_AUTH_TOKENS$|RUST_LOG$|XDG_CONFIG_HOME$)/
const CONFIG = join(import.meta.dirname, "../../config")

/** Reports whether an environment variable can change which node is called. */
export const isOurVariable = (name: string): boolean => VARIABLES.test(name)

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Returns the version of the sources in a directory: another one may judge a configuration differently. */
export const targetVersion = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted().map((name) => {
    const { mtimeMs, size } = statSync(join(directory, name))
    return `${name} ${size} ${mtimeMs}`
  })

const circumstances = (options: ReadonlyArray<string>): string => {
  const { directory, home } = thisMachine()
  const variables = Object.entries(environment).filter(([name]) => isOurVariable(name)).toSorted()
  return JSON.stringify([targetVersion(CONFIG), options, variables, directory, home])
}

const stateOf = (path: string): string => {
  try {
    const facts = statSync(path)
    if (facts.isDirectory()) return "directory"
    // Reading another kind of file would consume its content, and may wait for ever.
    return facts.isFile()
      ? sha256(readFileSync(path, "latin1")).toString("hex")
      : `no file ${randomBytes(8).toString("hex")}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable"
  }
}

const keyOf = (around: string, paths: ReadonlyArray<string>): Buffer =>
  sha256(JSON.stringify(["key", around, paths.map((path) => [path, stateOf(path)])]))

const cache = (): string => cacheDirectory(environment["XDG_CACHE_HOME"])

const keptIn = (): string => join(cache(), "lockstep", "calls")

/**
 * Makes directories one after the other, because Node.js never stops trying below a directory in which nothing can be
 * made.
 */
const makeDirectory = (directory: string): void => {
  for (const each of [cache(), join(cache(), "lockstep"), directory]) {
    if (!existsSync(each)) mkdirSync(each, { mode: 0o700 })
  }
}

const fileOf = (around: string): string => join(keptIn(), sha256(around).toString("hex"))

/** Reports whether only this user can have created it. */
const isOwn = (path: string): boolean => {
  const { mode, uid } = statSync(path)
  return (mode & 0o077) === 0 && uid === process.getuid?.()
}

/** Returns the node of an earlier call with these options, unless something changed that could change it. */
export const recallTarget = (options: ReadonlyArray<string>): ClientTarget | undefined => {
  try {
    const around = circumstances(options)
    const path = fileOf(around)
    if (!isOwn(keptIn()) || !isOwn(path)) return undefined
    const { paths, sealed } = JSON.parse(readFileSync(path, "utf8")) as Kept
    const bytes = Buffer.from(sealed, "base64")
    const opened = createDecipheriv("aes-256-gcm", keyOf(around, paths), bytes.subarray(0, 12)).setAuthTag(
      bytes.subarray(12, 28)
    )
    return JSON.parse(
      Buffer.concat([opened.update(bytes.subarray(28)), opened.final()]).toString("utf8")
    ) as ClientTarget
  } catch {
    return undefined
  }
}

const forgetOldest = (directory: string): void => {
  const files = readdirSync(directory).map((name) => ({
    path: join(directory, name),
    time: statSync(join(directory, name)).mtimeMs
  }))
  for (const { path } of files.toSorted((a, b) => b.time - a.time).slice(MOST)) rmSync(path, { force: true })
}

/** Stores which node a call goes to. If that fails, the next call reads everything again. */
export const keepTarget = (
  options: ReadonlyArray<string>,
  target: ClientTarget,
  paths: ReadonlyArray<string>
): void => {
  try {
    const around = circumstances(options)
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", keyOf(around, paths), nonce)
    const text = Buffer.concat([cipher.update(JSON.stringify(target)), cipher.final()])
    const kept: Kept = { paths, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64") }
    const directory = keptIn()
    makeDirectory(directory)
    chmodSync(directory, 0o700)
    const path = fileOf(around)
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
    renameSync(draft, path)
    forgetOldest(directory)
  } catch {
    // A failure costs only time.
  }
}
