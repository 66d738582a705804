import { assert, describe, it } from "@effect/vitest"
import { readEnvironment } from "../../src/config/given/environment.ts"

describe("variables of the environment", () => {
  it.each<readonly [variable: string, text: string, key: string, value: unknown]>([
    ["NODE_LOG_LEVEL", "debug", "logging.level", "debug"],
    ["NODE_DATA_DIR", "/d", "storage.data_dir", "/d"],
    ["NODE_NETWORK", "signet", "network", "signet"],
    ["NODE_LISTEN_ADDR", "10.0.0.1:7", "listen_addr", "10.0.0.1:7"],
    ["NODE_RPC_ADDR", "10.0.0.1:7", "rpc_addr", "10.0.0.1:7"],
    ["NODE_NODE_MAX_PEERS", "7", "max_peers", 7],
    ["NODE_NODE_TRANSPORT", "hybrid", "transport_preference", "hybrid"],
    ["NODE_NETWORK_TARGET_PEER_COUNT", "7", "target_peer_count", 7],
    ["NODE_ASSUME_VALID_HEIGHT", "7", "validation.assume_valid", 7],
    ["NODE_REUSE_CORE_BLOCK_FILES", "false", "storage.reuse_core_block_files", false],
    ["NODE_CORE_MIGRATE_BLOCK_WORKERS", "7", "core_migrate_block_workers", 7],
    ["NODE_CORE_MIGRATE_BLOCK_BATCH", "7", "core_migrate_block_batch", 7],
    ["NODE_IBD_MODE", "parallel", "ibd.mode", "parallel"],
    ["NODE_IBD_EVICTION", "fifo", "ibd.eviction", "fifo"],
    ["NODE_IBD_ENGINE", "true", "ibd_engine", true],
    ["NODE_IBD_CHUNK_SIZE", "7", "ibd.chunk_size", 7],
    ["NODE_IBD_MAX_BLOCKS_IN_TRANSIT_PER_PEER", "7", "ibd.max_blocks_in_transit_per_peer", 7],
    ["NODE_IBD_DOWNLOAD_TIMEOUT_SECS", "7", "ibd.download_timeout_secs", 7],
    ["NODE_IBD_HEADERS_TIMEOUT_SECS", "7", "ibd.headers_timeout_secs", 7],
    ["NODE_IBD_HEADERS_MAX_FAILURES", "7", "ibd.headers_max_failures", 7],
    ["NODE_IBD_DUMP_DIR", "/d", "ibd.dump_dir", "/d"],
    ["NODE_IBD_PEERS", "10.0.0.1:7", "ibd_peers", ["10.0.0.1:7"]],
    ["NODE_IBD_WAN_SINGLE_PEER", "true", "ibd_wan_single_peer", true],
    ["NODE_MODULE_MAX_CPU_PERCENT", "7", "module_resource_limits.default_max_cpu_percent", 7],
    ["NODE_MODULE_MAX_MEMORY_BYTES", "70000000", "module_resource_limits.default_max_memory_bytes", 70_000_000],
    ["NODE_MODULE_MAX_FILE_DESCRIPTORS", "77", "module_resource_limits.default_max_file_descriptors", 77],
    ["NODE_MODULE_MAX_DISK_BYTES", "70000000", "module_resource_limits.default_max_disk_bytes", 70_000_000],
    ["NODE_MODULE_MAX_CHILD_PROCESSES", "7", "module_resource_limits.default_max_child_processes", 7],
    ["RPC_AUTH_TOKENS", "a,b", "rpc_auth.tokens", ["a", "b"]],
    ["RUST_LOG", "warn", "logging.level", "warn"]
  ])("%s=%s sets %s", (variable, text, key, value) => {
    const { given, problems } = readEnvironment({ [variable]: ` ${text} ` })
    assert.deepStrictEqual([given, problems], [[{ key, value, origin: "environment", source: variable }], []])
    assert.deepStrictEqual(readEnvironment({ [variable]: " " }).given, [])
  })

  it.each<readonly [variable: string, text: string, said: RegExp]>([
    ["NODE_ASSUME_VALID_HEIGHT", "1x", /^NODE_ASSUME_VALID_HEIGHT: expected a height, found "1x"$/],
    ["NODE_ASSUME_VALID_HEIGHT", "1234567890", /expected a height/],
    ["NODE_NODE_MAX_PEERS", "many", /^NODE_NODE_MAX_PEERS: /],
    [
      "NODE_IBD_PEER",
      "a",
      /^NODE_IBD_PEER is not a known variable; did you mean NODE_IBD_PEERS\? Unset it; known are /
    ],
    [
      "NODE_MODULE_MAX_ELSE",
      "1",
      /^NODE_MODULE_MAX_ELSE is not a known variable\. Unset it; .*NODE_MODULE_MAX_DISK_BYTES/
    ]
  ])("%s=%s is refused", (variable, text, said) => {
    const { given, problems } = readEnvironment({ [variable]: text })
    assert.deepStrictEqual(given, [])
    assert.match(problems.join("\n"), said)
  })

  it("of parts that are not built are refused, those of others are left alone, and empty ones say nothing", () => {
    const { given, problems, refused } = readEnvironment({
      NODE_REQUEST_TIMEOUT: "1",
      NODE_OPTIONS: "x",
      NODE_IBD_X: ""
    })
    assert.deepStrictEqual([given, problems], [[], []])
    assert.deepStrictEqual(refused, [
      "NODE_REQUEST_TIMEOUT: changing the timeouts of requests to peers is not in this build; unset the variable"
    ])
  })

  it("RUST_LOG is left alone where it says more than this program reads, and is weaker than the node's own", () => {
    assert.deepStrictEqual(readEnvironment({ RUST_LOG: "hyper[span]=trace" }), readEnvironment({}))
    const { given } = readEnvironment({ NODE_LOG_LEVEL: "info", RUST_LOG: "warn" })
    assert.deepStrictEqual(given.map(({ value }) => value), ["warn", "info"])
  })
})
