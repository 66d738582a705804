/** Exports for authors of modules. */
export type {
  AnswerTo,
  BlockTemplate,
  CliSpec,
  LogLevel,
  ModuleEventPayload,
  ModuleEventType,
  Permission,
  RequestType
} from "@lockstep/protocol/module-ipc/index.ts"
export { type Manifest, manifestFaultText, readManifest } from "@lockstep/protocol/module-manifest/index.ts"
export type { NodeClient, RequestFields } from "./client/node-client.ts"
export { NodeError } from "./client/node-error.ts"
export type { ModuleNetwork, NetworkListener } from "./network/module-network.ts"
export type { NetworkStream } from "./network/network-stream.ts"
export { type ModuleEnvironment, moduleEnvironment } from "./run/environment.ts"
export type { Command, CommandResult, EventHandlers, ModuleApi, ModuleParts, RpcMethod } from "./run/module-parts.ts"
export type { ModuleContext } from "./run/module-context.ts"
export type { Migration, StorageChanges } from "./run/migrations.ts"
export { JsonNumber, type JsonValue } from "./run/json-text.ts"
export { RpcError } from "./run/rpc-error.ts"
export { type RunningModule, runModule, startModule } from "./run/run-module.ts"
export type { SettingDefaults, Settings, SettingValue } from "./run/settings.ts"
