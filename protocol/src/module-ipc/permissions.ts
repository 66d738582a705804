import type { RequestType } from "./requests.ts"

/** Every permission of a manifest, in its snake_case form. */
export const PERMISSIONS = [
  "read_blockchain",
  "read_utxo",
  "read_chain_state",
  "subscribe_events",
  "send_transactions",
  "read_mempool",
  "read_network",
  "network_access",
  "read_lightning",
  "read_payment",
  "read_storage",
  "write_storage",
  "manage_storage",
  "read_filesystem",
  "write_filesystem",
  "manage_filesystem",
  "register_rpc_endpoint",
  "manage_timers",
  "report_metrics",
  "read_metrics",
  "discover_modules",
  "publish_events",
  "call_module",
  "register_module_api",
  "submit_block",
  "queue_inbound_block"
] as const

export type Permission = (typeof PERMISSIONS)[number]

const pascalCase = (permission: string): string =>
  permission.split("_").map((word) => word === "utxo" ? "UTXO" : word[0]!.toUpperCase() + word.slice(1)).join("")

const BY_NAME: ReadonlyMap<string, Permission> = new Map(
  PERMISSIONS.flatMap((permission) => [[permission, permission], [pascalCase(permission), permission]] as const)
)

/** The permission of a name in snake_case or PascalCase; nothing where there is none. */
export const permissionCalled = (name: string): Permission | undefined => BY_NAME.get(name)

/** The permission that a request needs; nothing for the handshake, which precedes every permission. */
export const PERMISSION_OF_REQUEST: Readonly<Record<Exclude<RequestType, "Handshake">, Permission>> = {
  GetBlock: "read_blockchain",
  GetBlockHeader: "read_blockchain",
  GetTransaction: "read_blockchain",
  HasTransaction: "read_blockchain",
  GetChainTip: "read_chain_state",
  GetBlockHeight: "read_chain_state",
  GetUtxo: "read_utxo",
  SubscribeEvents: "subscribe_events",
  GetMempoolTransactions: "read_mempool",
  GetMempoolTransaction: "read_mempool",
  GetMempoolSize: "read_mempool",
  GetNetworkStats: "read_network",
  GetNetworkPeers: "read_network",
  GetChainInfo: "read_chain_state",
  GetBlockByHeight: "read_blockchain",
  GetLightningNodeUrl: "read_lightning",
  GetLightningInfo: "read_lightning",
  GetPaymentState: "read_payment",
  CheckTransactionInMempool: "read_mempool",
  GetFeeEstimate: "read_mempool",
  ReadFile: "read_filesystem",
  WriteFile: "write_filesystem",
  DeleteFile: "manage_filesystem",
  ListDirectory: "read_filesystem",
  CreateDirectory: "manage_filesystem",
  GetFileMetadata: "read_filesystem",
  RegisterRpcEndpoint: "register_rpc_endpoint",
  UnregisterRpcEndpoint: "register_rpc_endpoint",
  RegisterCoreRpcOverride: "register_rpc_endpoint",
  UnregisterCoreRpcOverride: "register_rpc_endpoint",
  RegisterTimer: "manage_timers",
  CancelTimer: "manage_timers",
  ScheduleTask: "manage_timers",
  ReportMetric: "report_metrics",
  GetModuleMetrics: "read_metrics",
  GetAllMetrics: "read_metrics",
  DiscoverModules: "discover_modules",
  GetModuleInfo: "discover_modules",
  IsModuleAvailable: "discover_modules",
  PublishEvent: "publish_events",
  CallModule: "call_module",
  RegisterModuleApi: "register_module_api",
  UnregisterModuleApi: "register_module_api",
  GetModuleHealth: "read_metrics",
  GetAllModuleHealth: "read_metrics",
  ReportModuleHealth: "report_metrics",
  SendMeshPacketToPeer: "network_access",
  SendStratumV2MessageToPeer: "network_access",
  GetBlockTemplate: "read_blockchain",
  SubmitBlock: "submit_block",
  QueueReceivedBlock: "queue_inbound_block",
  MergeBlockServeDenylist: "network_access",
  GetBlockServeDenylistSnapshot: "read_network",
  ClearBlockServeDenylist: "network_access",
  ReplaceBlockServeDenylist: "network_access",
  MergeTxServeDenylist: "network_access",
  GetTxServeDenylistSnapshot: "read_network",
  ClearTxServeDenylist: "network_access",
  ReplaceTxServeDenylist: "network_access",
  GetSyncStatus: "read_chain_state",
  BanPeer: "network_access",
  SetBlockServeMaintenanceMode: "network_access",
  RegisterCliSpec: "register_rpc_endpoint",
  ReadStorage: "read_storage",
  ListStorage: "read_storage",
  WriteStorage: "write_storage",
  ClearStorage: "manage_storage",
  SubmitTransaction: "send_transactions",
  WaitForBlockTemplate: "read_blockchain",
  FollowChain: "subscribe_events"
}
