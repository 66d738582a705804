import type { ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import type { NodeClient } from "../client/node-client.ts"
import type { EventHandlers, ModuleParts } from "./module-parts.ts"
import type { SettingDefaults } from "./settings.ts"

const announceMethods = async <D extends SettingDefaults>(node: NodeClient, { rpc }: ModuleParts<D>): Promise<void> => {
  for (const [method, { description, overrides }] of Object.entries(rpc ?? {})) {
    await node.ask(overrides === true ? "RegisterCoreRpcOverride" : "RegisterRpcEndpoint", { method, description })
  }
}

const announceCommands = async <D extends SettingDefaults>(
  node: NodeClient,
  name: string,
  { commands }: ModuleParts<D>
): Promise<void> => {
  if (commands === undefined) return
  const subcommands = Object.entries(commands.subcommands).map(([each, { about, arguments: args = [] }]) => ({
    name: each,
    about,
    arguments: args
  }))
  await node.ask("RegisterCliSpec", { spec: { name, about: commands.about, subcommands } })
}

/** Registers with the node what a module offers, and then its subscriptions; after these it counts as loaded. */
export const announce = async <D extends SettingDefaults>(
  node: NodeClient,
  name: string,
  parts: ModuleParts<D>,
  events: EventHandlers<D>
): Promise<void> => {
  await announceMethods(node, parts)
  await announceCommands(node, name, parts)
  const { api } = parts
  if (api !== undefined) {
    await node.ask("RegisterModuleApi", { methods: Object.keys(api.methods), api_version: api.version })
  }
  const types = Object.keys(events) as ReadonlyArray<ModuleEventType>
  if (types.length > 0) await node.ask("SubscribeEvents", { event_types: types })
}
