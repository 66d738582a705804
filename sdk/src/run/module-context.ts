import type { NodeClient } from "../client/node-client.ts"
import type { ModuleNetwork } from "../network/module-network.ts"
import type { SettingDefaults, Settings } from "./settings.ts"

/** Context that the handlers of a module receive. */
export interface ModuleContext<D extends SettingDefaults = SettingDefaults> {
  readonly node: NodeClient
  readonly network: ModuleNetwork
  readonly name: string
  readonly dataDirectory: string
  readonly settings: Settings<D>
}
