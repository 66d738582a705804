import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "./build.ts"
import { type ManifestFile, programOf, readManifestFile } from "./manifest-file.ts"

/** The node's program beside this SDK. */
export const LAUNCHER: string = fileURLToPath(new URL("../../../node/bin/lockstep", import.meta.url))

/** Name of the directory below the module's that holds the files of a trial run. */
const PLACE = ".lockstep"

/**
 * Copies the manifest and the program to where the node looks for modules. The node sees nothing else of the directory.
 */
const install = (file: ManifestFile, modules: string): void => {
  const target = join(modules, file.manifest.name)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  copyFileSync(file.path, join(target, "module.toml"))
  const settings = join(file.directory, "config.toml")
  if (existsSync(settings)) copyFileSync(settings, join(target, "config.toml"))
  copyFileSync(programOf(file), join(target, file.manifest.entryPoint))
  chmodSync(join(target, file.manifest.entryPoint), 0o755)
}

/** Signals that stop the node. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** Options of a trial run. */
export interface RunOptions {
  /** Address on which the node serves RPC; `undefined` for the default port of regtest. */
  readonly rpcAddress: string | undefined
  /** The program that is started; {@link LAUNCHER} by default. */
  readonly launcher?: string
}

const configOf = (place: string, sockets: string): string =>
  `transport_preference = "tcponly"
protocol_version = "Regtest"
listen_addr = "127.0.0.1:0"

[storage]
data_dir = ${JSON.stringify(join(place, "data"))}

[modules]
enabled = true
modules_dir = ${JSON.stringify(join(place, "modules"))}
socket_dir = ${JSON.stringify(sockets)}
`

/** Builds a module and runs it in a node on regtest until that is stopped. Returns the exit code of the node. */
export const run = async (where: string, { launcher = LAUNCHER, rpcAddress }: RunOptions): Promise<number> => {
  const directory = resolve(where)
  if (existsSync(join(directory, "src", "main.ts"))) await build(directory)
  const file = readManifestFile(directory, { isUnsigned: false })
  const place = join(directory, PLACE)
  install(file, join(place, "modules"))
  const config = join(place, "node.toml")
  // The path of a socket must be short, so this is a directory of the user near the root.
  const sockets = join(process.env["XDG_RUNTIME_DIR"] ?? "/tmp", `lockstep-sdk-${process.pid}`)
  writeFileSync(config, configOf(place, sockets), { mode: 0o600 })
  const given = ["--config", config, ...rpcAddress === undefined ? [] : ["--rpc-addr", rpcAddress]]
  process.stdout.write(`ask this node with: pnpm lockstep ${given.join(" ")} rpc listmodules\n`)
  const node = spawn(launcher, ["start", ...given], { stdio: "inherit" })
  // Ctrl-C also reaches the node, and this process ends with it.
  const pass = (signal: NodeJS.Signals): void => void node.kill(signal)
  for (const signal of SIGNALS) process.on(signal, pass)
  try {
    const [code] = await once(node, "close") as [number | null]
    return code ?? 1
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass)
    rmSync(sockets, { recursive: true, force: true })
  }
}
