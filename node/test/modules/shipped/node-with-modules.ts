import { buildModule } from "@lockstep/modules/build"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../../process/config-with.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"

const TOKEN = "modules-admin"

/** A module as `listmodules` has it. */
export interface ListedModule {
  readonly name: string
  readonly status: string
  readonly pid?: number
  readonly errors: ReadonlyArray<string>
}

/** A regtest node that runs modules as they are shipped, confined where the machine can. */
export interface NodeWithModules {
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>
  readonly log: () => string
  /** Waits until something holds; a failure shows the log. */
  readonly until: <A>(look: () => A | undefined | false | Promise<A | undefined | false>) => Promise<A>
  /** The status of a module, and why it does not run. */
  readonly status: (module: string) => Promise<ListedModule>
  readonly node: () => RunningNode
  /** Kills the node with SIGKILL and starts it again. */
  readonly killAndStart: () => Promise<void>
  /** The data directory of a module. */
  readonly directoryOf: (module: string) => string
  /** Where the node looks for modules. */
  readonly modulesDirectory: string
  readonly stop: () => Promise<void>
}

/**
 * Starts it with a table of settings, as text of TOML, and with files in the data directory, for each module; waits until each
 * module runs or does not.
 */
export const nodeWithModules = async (
  modules: Readonly<Record<string, string>>,
  more: ReadonlyArray<string> = [],
  files: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
): Promise<NodeWithModules> => {
  const root = mkdtempSync(join(tmpdir(), "lss-"))
  const directory = join(root, "modules")
  await Promise.all(Object.keys(modules).map((name) => buildModule(name, directory)))
  const file = join(root, "node.toml")
  writeFileSync(
    file,
    configWith(
      TOKEN,
      ...more,
      `[modules]\nenabled = true\nmodules_dir = "${directory}"\nsocket_dir = "${join(root, "s")}"`,
      "allow_unconfined = true",
      ...Object.entries(modules).map(([name, settings]) => `[modules.${name}]\n${settings}`)
    )
  )
  const data = join(root, "data")
  const start = (): Promise<RunningNode> => startNode(data, { args: ["--config", file], token: TOKEN })
  const directoryOf = (name: string): string => join(data, "regtest", "modules", name)
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(directoryOf(name), { recursive: true })
    for (const [path, content] of Object.entries(contents)) writeFileSync(join(directoryOf(name), path), content)
  }
  let node = await start()
  const call: NodeWithModules["call"] = (method, ...params) => node.client.call(method, ...params)

  const until: NodeWithModules["until"] = async (look) => {
    const deadline = Date.now() + patience(60_000)
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      if (Date.now() > deadline) throw new Error(`it never came:\n${node.stdout()}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  const status: NodeWithModules["status"] = async (module) => {
    const all = await call("listmodules") as ReadonlyArray<ListedModule>
    return all.find(({ name }) => name === module)!
  }

  const settled = async (): Promise<void> => {
    for (const name of Object.keys(modules)) {
      await until(async () => {
        // RPC answers before the modules are started.
        const found = await status(name).catch(() => undefined)
        // A machine that is busy may need longer to start a process than a node waits.
        if (found?.errors.some((error) => error.includes("did not connect")) === true) await call("loadmodule", name)
        return found !== undefined && ["loaded", "crashed", "refused"].includes(found.status)
      })
    }
  }
  const stop = async (): Promise<void> => {
    node.signal("SIGTERM")
    await node.ended
    node.client.close()
    rmSync(root, { recursive: true, force: true })
  }
  await settled().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    call,
    log: () => node.stdout(),
    until,
    status,
    node: () => node,
    killAndStart: async () => {
      node.signal("SIGKILL")
      await node.ended
      node.client.close()
      node = await start()
      await settled()
    },
    directoryOf,
    modulesDirectory: directory,
    stop
  }
}
