import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { configWith } from "../../process/config-with.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"

const TOKEN = "escape-admin"

const MEBIBYTE = 1_048_576

/** What `listmodules` says of a module. */
export interface Listed {
  readonly name: string
  readonly status: string
  readonly pid?: number
  readonly errors: ReadonlyArray<string>
}

/** A module that is put on disk. */
export interface ModuleOnDisk {
  readonly name: string
  readonly manifest: string
  readonly entryPoint: string
  readonly program: string | Uint8Array
  /** Files beside the program, by name. */
  readonly files?: Readonly<Record<string, Uint8Array>>
}

/** A module of one program, and of nothing else unless it is given. */
export const moduleOnDisk = (
  name: string,
  capabilities: ReadonlyArray<string>,
  program: string,
  files: Readonly<Record<string, Uint8Array>> = {}
): ModuleOnDisk => ({
  name,
  entryPoint: "run",
  program,
  files,
  manifest: `name = "${name}"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = ${
    JSON.stringify(capabilities)
  }\n`
})

/** A node that runs modules, and what can be seen of it. */
export interface ModuleNode {
  readonly node: RunningNode
  readonly put: (module: ModuleOnDisk) => void
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>
  readonly one: (name: string) => Promise<Listed | undefined>
  readonly mine: () => Promise<void>
  /** The content of a file in the data directory of a module; nothing where it is not there. */
  readonly dataFile: (module: string, file: string) => string | undefined
  /** Names of the sockets of modules. */
  readonly sockets: () => ReadonlyArray<string>
  /** What the node's directories hold that no module may see. */
  readonly secrets: { readonly cookie: string; readonly modules: string; readonly port: number }
  readonly end: () => Promise<void>
}

/** Waits until something holds; `seen` says what is there when it never does. */
export const untilHolds = async (
  holds: () => boolean | Promise<boolean>,
  seen: () => string,
  quietMs = 60_000
): Promise<void> => {
  const start = Date.now()
  let deadline = start + patience(quietMs)
  while (!await holds()) {
    // The machine may have become busier since the wait began.
    if (Date.now() > deadline) deadline = start + patience(quietMs)
    if (Date.now() > deadline) throw new Error(`it never came:\n${seen()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const fileIn = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** Processes that have a module of this name in their environment: those in its sandbox, and the sandbox itself. */
export const processesOf = (module: string): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) =>
    (fileIn(`/proc/${pid}/environ`) ?? "").split("\0").includes(`MODULE_NAME=${module}`) &&
    !/^State:\s*[ZX]/m.test(fileIn(`/proc/${pid}/status`) ?? "State: X")
  )

/** Starts a node with a directory of modules that is still empty. */
export const startModuleNode = async (): Promise<ModuleNode> => {
  const root = mkdtempSync(join(tmpdir(), "lse-"))
  const [modules, sockets, data] = [join(root, "modules"), join(root, "s"), join(root, "data")]
  mkdirSync(modules)
  const file = join(root, "node.toml")
  writeFileSync(
    file,
    configWith(
      TOKEN,
      `[modules]\nenabled = true\nmodules_dir = "${modules}"\nsocket_dir = "${sockets}"`,
      `[module_resource_limits]\ndefault_max_memory_bytes = ${
        128 * MEBIBYTE
      }\ndefault_max_cpu_percent = 50\ndefault_max_disk_bytes = ${64 * MEBIBYTE}`
    )
  )
  const node = await startNode(data, { args: ["--config", file], token: TOKEN })
  const call: ModuleNode["call"] = (method, ...params) => node.client.call(method, ...params)
  await untilHolds(() => node.stdout().includes("Component startup complete"), node.stdout)
  return {
    node,
    call,
    put: ({ entryPoint, files = {}, manifest, name, program }) => {
      mkdirSync(join(modules, name), { recursive: true })
      writeFileSync(join(modules, name, entryPoint), program, { mode: 0o755 })
      for (const [each, content] of Object.entries(files)) writeFileSync(join(modules, name, each), content)
      writeFileSync(join(modules, name, "module.toml"), manifest)
    },
    one: async (name) => (await call("listmodules") as ReadonlyArray<Listed>).find((each) => each.name === name),
    mine: async () => void await call("generatetoaddress", 1, OPEN_ADDRESS),
    dataFile: (module, each) => fileIn(join(data, "regtest", "modules", module, each)),
    sockets: () => readdirSync(sockets),
    secrets: { cookie: join(data, "regtest", ".cookie"), modules: join(data, "regtest", "modules"), port: node.port },
    end: async () => {
      node.signal("SIGKILL")
      node.client.close()
      await node.ended
      rmSync(root, { recursive: true, force: true })
    }
  }
}
