import { MODULE_EVENT_TYPES, type ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { MODULE_SOURCE } from "../lifecycle/module-program.ts"
import type { NodeWithModules } from "./node-with-modules.ts"

const tagOf = (type: ModuleEventType): number => MODULE_EVENT_TYPES.indexOf(type)

/** Loads a module that writes to the log which of these events it receives; answers whether one was written. */
export const loadWitness = async (
  { call, log, modulesDirectory }: NodeWithModules,
  types: ReadonlyArray<ModuleEventType>
): Promise<(type: ModuleEventType) => boolean> => {
  const directory = join(modulesDirectory, "witness")
  mkdirSync(directory)
  writeFileSync(
    join(directory, "module.toml"),
    `name = "witness"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = ["subscribe_events"]\n`
  )
  writeFileSync(
    join(directory, "run"),
    `${MODULE_SOURCE}
onData = (chunk) => {
  for (let at = 0; at < chunk.length; at += 4 + chunk.readUInt32LE(at)) {
    if (chunk.readUInt32LE(at + 4) === 2) log("witnessed " + chunk.readUInt32LE(at + 8) + ";")
  }
}
handshake()
subscribe(${types.map(tagOf).join(", ")})
`,
    { mode: 0o755 }
  )
  await call("loadmodule", "witness")
  return (type) => log().includes(`witnessed ${tagOf(type)};`)
}
