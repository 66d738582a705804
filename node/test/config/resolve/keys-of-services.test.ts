import { assert, describe, it } from "@effect/vitest"
import { changedBy, type KeyRow } from "./changed-by.ts"

describe("keys about storage, RPC, logs and modules", () => {
  it.each<KeyRow>([
    ["storage.data_dir", "data", { dataDirectory: "/d/data/regtest" }, {}],
    ["storage.database_backend", "heed3", { "storage.backend": "heed3" }, {}],
    ["storage.database_backend", "leveldb", { "storage.backend": "leveldb" }, {}],
    ["storage.database_backend", "redb", {
      warnings: ["[storage].database_backend = \"redb\" is not in this build; falling back to auto"]
    }, {}],
    ["storage.dbcache_mb", 7, { "storage.dbcacheMegabytes": 7 }, {}],
    ["storage.min_free_disk_mb", 7, { "storage.minimumFreeMegabytes": 7 }, {}],
    ["storage.maintenance_interval_secs", 7, { "storage.maintenanceSeconds": 7 }, {}],
    ["storage.core_blocks_dir", "blocks", { "storage.coreBlocks": "/d/blocks" }, {}],
    ["storage.pruning.mode", "manual", { "storage.pruning._tag": "Manual" }, {}],
    ["storage.pruning.mode", "normal", { "storage.pruning._tag": "KeepBlocks", "storage.pruning.blocks": 288 }, {}],
    [
      "storage.pruning.target_mb",
      700,
      { "storage.pruning._tag": "TargetSize", "storage.pruning.bytes": 734003200 },
      {}
    ],
    ["storage.indexing.txindex", true, { "storage.transactionIndex": true }, {}],
    ["storage.indexing.txospenderindex", true, { "storage.spenderIndex": true }, {}],
    ["storage.indexing.coinstatsindex", true, { "storage.coinStatisticsIndex": true }, {}],
    ["storage.indexing.blockfilterindex", true, { "storage.blockFilterIndex": true }, {}],
    ["storage.indexing.enable_address_index", true, { "storage.addressIndex": true }, {}],
    ["storage.indexing.enable_value_index", true, { "storage.valueIndex": true }, {}],
    ["logging.level", "debug", { "logging.level": "debug" }, {}],
    ["logging.level", "warn", { "logging.level": "warn" }, {}],
    ["logging.json_format", true, { "logging.format": "json" }, {}],
    ["logging.json_format", false, { "logging.format": "human" }, {}],
    ["logging.file", "log", { "logging.file": "/d/log" }, {}],
    [
      "logging.categories",
      { rpc: "debug" },
      { "logging.categories": undefined, "logging.categories.rpc": "debug" },
      {}
    ],
    ["rpc.max_request_size_bytes", 7, { "rpc.limits.maxRequestBytes": 7 }, {}],
    ["rpc.allow_ip", ["10.0.0.0/8"], {
      warnings: ["[rpc].allow_ip changes nothing while RPC listens on 127.0.0.1:18443; set --rpc-addr"],
      "rpc.allowed": ["10.0.0.0/8"]
    }, {}],
    ["rpc.work_queue", 7, { "rpc.limits.workQueue": 7 }, {}],
    ["rpc.request_timeout_secs", 7, { "rpc.limits.requestTimeoutSeconds": 7 }, {}],
    ["rpc.deprecated", ["bip125"], { "rpc.deprecated": ["bip125"] }, {}],
    ["rpc.rate_limit_when_auth_disabled", true, { "rpc.limits.rates.whenAuthDisabled": true }, {}],
    ["rpc.rate_limit_loopback", true, { "rpc.limits.rates.ofLoopback": true }, {}],
    ["rpc.rate_limit_admins", true, { "rpc.limits.rates.ofAdmins": true }, {}],
    ["rpc.ip_rate_limit_burst", 7, { "rpc.limits.rates.address.burst": 7 }, {}],
    ["rpc.ip_rate_limit_rate", 7, { "rpc.limits.rates.address.rate": 7 }, {}],
    ["rpc.max_connections_per_ip_per_minute", 7, { "rpc.limits.rates.connections": 7 }, {}],
    ["rpc.connection_rate_limit_window_seconds", 7, { "rpc.limits.rates.connectionWindowSeconds": 7 }, {}],
    ["rpc.batch_rate_multiplier_cap", 7, { "rpc.limits.rates.batchCap": 7 }, {}],
    ["rpc.max_failed_credentials", 7, { "rpc.limits.rates.failures": 7 }, {}],
    ["rpc.failed_credentials_block_secs", 7, { "rpc.limits.rates.blockSeconds": 7 }, {}],
    ["rpc.quic.bind", "10.0.0.1:7", {
      "rpc.quic.bind.host": "10.0.0.1",
      "rpc.quic.bind.port": 7,
      "rpc.quic.identities": [],
      "rpc.quic.adminIdentities": []
    }, {}],
    ["rpc.quic.bind", "localhost:7", {
      "rpc.quic.bind.host": "127.0.0.1",
      "rpc.quic.bind.port": 7,
      "rpc.quic.identities": [],
      "rpc.quic.adminIdentities": []
    }, {}],
    ["rpc_auth.required", true, { "rpc.credentials.required": true }, {}],
    ["rpc_auth.tokens", ["t"], { "rpc.credentials.tokens": ["t"] }, {}],
    ["rpc_auth.admin_tokens", ["t"], { "rpc.credentials.adminTokens": ["t"] }, {}],
    ["rpc_auth.rpcauth", ["a:s$abababababababababababababababababababababababababababababababab"], {
      "rpc.credentials.salted": [{
        user: "a",
        salt: "s",
        hash: "abababababababababababababababababababababababababababababababab"
      }]
    }, {}],
    ["rpc_auth.whitelist", { a: ["help"] }, {
      "rpc.credentials.whitelist": undefined,
      "rpc.credentials.whitelist.a": ["help"]
    }, {}],
    ["rpc_auth.whitelist_default", true, { "rpc.credentials.whitelistDefault": true }, {}],
    ["rpc_auth.rate_limit_burst", 7, { "rpc.limits.rates.user.burst": 7 }, {}],
    ["rpc_auth.rate_limit_rate", 7, { "rpc.limits.rates.user.rate": 7 }, {}],
    ["rest_api.enabled", true, { "rest.bind.host": "127.0.0.1", "rest.bind.port": 28443 }, {}],
    ["validation.script_workers", 7, { "validation.scriptWorkers": 7 }, {}],
    ["validation.assume_valid", "none", { "validation.assumedValid._tag": "Nothing" }, {}],
    ["validation.assume_valid", "abababababababababababababababababababababababababababababababab", {
      "validation.assumedValid._tag": "Block",
      "validation.assumedValid.hash": "abababababababababababababababababababababababababababababababab"
    }, {}],
    ["storage.reuse_core_block_files", false, { "storage.copyCoreBlocks": true }, { "storage.core_blocks_dir": "/b" }],
    ["storage.pruning.auto_prune", false, { "storage.pruning._tag": "Manual", "storage.pruning.bytes": undefined }, {
      "storage.pruning.target_mb": 700
    }],
    ["rpc.quic.identities", ["12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"], {
      "rpc.quic.identities": ["12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"]
    }, { "rpc.quic.bind": "10.0.0.1:7" }],
    ["rpc.quic.admin_identities", ["12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"], {
      "rpc.quic.adminIdentities": ["12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"]
    }, { "rpc.quic.bind": "10.0.0.1:7" }],
    ["rpc_auth.username", "u", { "rpc.credentials.basic.username": "u", "rpc.credentials.basic.password": "p" }, {
      "rpc_auth.password": "p"
    }],
    ["rest_api.listen_addr", "10.0.0.1:7", {
      warnings: ["REST on 10.0.0.1:7 answers other machines without credentials; set [rpc_auth].required = true"],
      "rest.bind.host": "10.0.0.1",
      "rest.bind.port": 7
    }, { "rest_api.enabled": true }],
    ["modules.modules_dir", "m", { "modules.directory": "/d/m" }, { "modules.enabled": true }],
    ["modules.socket_dir", "s", { "modules.socketDirectory": "/d/s" }, { "modules.enabled": true }],
    ["modules.require_signatures", true, { "modules.requiresSignatures": true }, { "modules.enabled": true }],
    ["modules.trusted_keys", ["ababababababababababababababababababababababababababababababababab"], {
      "modules.trustedKeys": ["ababababababababababababababababababababababababababababababababab"]
    }, { "modules.enabled": true }],
    ["modules.restart_crashed", true, { "modules.restartsCrashed": true }, { "modules.enabled": true }],
    ["modules.watch_enabled", true, { "modules.watchesFiles": true }, { "modules.enabled": true }],
    ["modules.allow_unconfined", true, { "modules.allowsUnconfined": true }, { "modules.enabled": true }],
    ["modules.allow_missing_handshake", true, { "modules.allowsMissingHandshake": true }, { "modules.enabled": true }],
    ["modules.registry_url", "http://a", { "modules.registryUrl": "http://a" }, { "modules.enabled": true }],
    ["module_resource_limits.default_max_cpu_percent", 7, { "modules.limits.processorPercent": 7 }, {
      "modules.enabled": true
    }],
    ["module_resource_limits.default_max_memory_bytes", 7000000, { "modules.limits.memoryBytes": 7000000 }, {
      "modules.enabled": true
    }],
    ["module_resource_limits.default_max_file_descriptors", 7, { "modules.limits.openFiles": 7 }, {
      "modules.enabled": true
    }],
    ["module_resource_limits.default_max_disk_bytes", 7000000, { "modules.limits.diskBytes": 7000000 }, {
      "modules.enabled": true
    }],
    ["stratum_v2.listen_addr", "10.0.0.1:7", {
      "modules.settings": undefined,
      "modules.places": undefined,
      "modules.settings.stratum-v2.MODULE_CONFIG_LISTEN": "10.0.0.1:7",
      "modules.places.stratum-v2.listen": [{ host: "10.0.0.1", ports: { least: 7, most: 7 } }]
    }, { "modules.enabled": true, "stratum_v2.enabled": true }]
  ])("%s = %j changes what it is for, and nothing else", (key, value, changes, beside) => {
    assert.deepStrictEqual(changedBy(key, value, beside), changes)
  })
})
