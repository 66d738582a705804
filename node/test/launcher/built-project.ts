import { assert } from "@effect/vitest"
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { type CopiedLauncher, copyLauncher, run } from "./copied-launcher.ts"

export interface Builder {
  readonly buildProgram: (root: string, cache: string, now?: number) => Promise<string | undefined>
}

interface Finder {
  readonly freshBuild: (root: string, cache: string, program: string, now?: number) => string | undefined
}

const ESBUILD = dirname(createRequire(import.meta.url).resolve("esbuild/package.json"))

/** A time at which nothing has been changed for a while. */
export const later = (): number => Date.now() + 60_000

const MAIN = `
import { word } from "./word.ts"
import { value } from "some-package"
declare const lockstepPrograms: string | undefined
const how = typeof lockstepPrograms === "undefined" ? "sources" : "build"
export const run = async (sent?: string) => console.log(how, word, value, ...sent === undefined ? [] : [sent])
`

const QUICK = `
import { place } from "./place.ts"
declare const lockstepPrograms: string | undefined
const how = typeof lockstepPrograms === "undefined" ? "sources" : "build"
export const run = async () => {
  if (process.argv[2] === "rpc") return \`sent by \${how}\`
  console.log("quick", how, place)
  return "done"
}
`

/** A clock that stands still when a program of the project starts: its files have just been written, however busy the machine. */
const CLOCK = "clock.cjs"

/** A small project in the place of the node's, with a package. */
const writeProject = ({ root, write }: CopiedLauncher): void => {
  write("package.json", "{}")
  write("node/package.json", `{ "type": "module" }`)
  write("node/src/main.ts", MAIN)
  write("node/src/word.ts", `export const word: string = "one"`)
  write("node/src/cli/quick/main.ts", QUICK)
  write("node/src/cli/quick/place.ts", `export const place: string = "here"`)
  for (
    const file of [
      "bitcoin-cli/main",
      "bitcoind/main",
      "bitcoind/refused-start",
      "engine-worker/worker",
      "engine/script-pool/script-worker",
      "modules/sandbox/unshare/launcher",
      "storage/key-value/opening/probe-child"
    ]
  ) {
    write(`node/src/${file}.ts`, "export {}")
  }
  for (const version of ["1", "2"]) {
    write(`store/${version}/index.js`, `export const value = ${version}`)
    write(`store/${version}/package.json`, `{ "name": "some-package", "type": "module", "exports": "./index.js" }`)
  }
  mkdirSync(join(root, "node/node_modules"))
  symlinkSync("../../store/1", join(root, "node/node_modules/some-package"))
  symlinkSync(ESBUILD, join(root, "node/node_modules/esbuild"))
  write(CLOCK, `Date.now = () => ${Date.now()}`)
}

/** The project, its builds and its launcher. */
export interface BuiltProject extends CopiedLauncher {
  readonly cache: string
  /** Where its builds are kept. */
  readonly programs: () => string
  readonly build: (now?: number) => Promise<string | undefined>
  readonly fresh: (program?: string) => string | undefined
  /** Runs the launcher, and returns what it prints. */
  readonly start: (...args: ReadonlyArray<string>) => Promise<string>
}

export const builtProject = (): BuiltProject => {
  const place = copyLauncher()
  writeProject(place)
  const cache = join(place.root, ".cache/lockstep")
  /** The files of the project's own launcher. */
  const ofProject = createRequire(join(place.root, "node/bin/lockstep"))
  return {
    ...place,
    cache,
    programs: () => join(cache, "programs", readdirSync(join(cache, "programs"))[0]!),
    build: (now) => (ofProject("./build-program.js") as Builder).buildProgram(place.root, cache, now),
    fresh: (program = "main.cjs") =>
      (ofProject("./program.js") as Finder).freshBuild(place.root, cache, program, later()),
    start: async (...args) => {
      const { code, stderr, stdout } = await run(
        process.execPath,
        ["--no-warnings", "--require", join(place.root, CLOCK), join(place.bin, "lockstep"), ...args],
        {
          PATH: "/usr/bin:/bin",
          HOME: place.root
        }
      )
      assert.deepStrictEqual([code, stderr], [0, ""])
      return stdout.trim()
    }
  }
}
