import * as Schema from "effect/Schema"
import { LOGGING_TABLE, MODULE_KEYS, MODULE_LIMITS_TABLE, REGTEST_TABLE, VALIDATION_TABLE } from "./other-tables.ts"
import { CONNECTIONS_TABLE } from "./connections-table.ts"
import { MEMPOOL_TABLE, MINING_TABLE, RBF_TABLE } from "./mempool-tables.ts"
import { IBD_TABLE, PEER_KEYS, PROTOCOL_LIMITS_TABLE } from "./peer-keys.ts"
import { DANDELION_TABLE, RELAY_TABLE } from "./relay-tables.ts"
import { REST_API_TABLE, RPC_AUTH_TABLE, RPC_TABLE } from "./rpc-tables.ts"
import { STORAGE_TABLE } from "./storage-table.ts"
import { STRATUM_V2_TABLE } from "./stratum-table.ts"

/** The whole `node.toml`: every key, its type, its default and its purpose. */
export const NodeFile = Schema.Struct({
  ...PEER_KEYS,
  connections: CONNECTIONS_TABLE,
  relay: RELAY_TABLE,
  dandelion: DANDELION_TABLE,
  storage: STORAGE_TABLE,
  logging: LOGGING_TABLE,
  rpc: RPC_TABLE,
  rpc_auth: RPC_AUTH_TABLE,
  rest_api: REST_API_TABLE,
  validation: VALIDATION_TABLE,
  mempool: MEMPOOL_TABLE,
  rbf: RBF_TABLE,
  mining: MINING_TABLE,
  ibd: IBD_TABLE,
  protocol_limits: PROTOCOL_LIMITS_TABLE,
  modules: Schema.optionalKey(
    Schema.StructWithRest(Schema.Struct(MODULE_KEYS), [Schema.Record(Schema.String, Schema.Unknown)])
  )
    .annotateKey({
      description:
        "Modules are programs of their own. Beside these keys: the name of a module with the version that is " +
        "wanted, or a table with the settings of a module."
    }),
  module_resource_limits: MODULE_LIMITS_TABLE,
  stratum_v2: STRATUM_V2_TABLE,
  regtest: REGTEST_TABLE
})

export type NodeFile = typeof NodeFile.Type
