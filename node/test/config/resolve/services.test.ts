import { assert, describe, it } from "@effect/vitest"
import { FILE_KEYS } from "../../../src/config/catalogue.ts"
import { effectiveOf } from "../../../src/config/given/effective.ts"
import { hasCredentials, isOpenToAll } from "../../../src/config/resolve/credentials.ts"
import { withSource } from "../../../src/config/resolve/with-source.ts"
import { resolvedFrom, type Settings } from "./changed-by.ts"

const ID = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"
const QUIC: Settings = { "rpc.quic.bind": "127.0.0.1:7" }
const STRATUM: Settings = { "modules.enabled": true, "stratum_v2.enabled": true }
const NAMED = "a.example is a name; give an address, such as 127.0.0.1"

describe("problems of services", () => {
  it.each<readonly [settings: Settings, problems: ReadonlyArray<string>]>([
    [QUIC, []],
    [{ ...QUIC, "rpc.quic.identities": [ID], "rpc.quic.admin_identities": [ID] }, []],
    [{ "rpc.quic.bind": "a.example:7" }, ["[rpc.quic].bind: a.example is a name; give an address, such as 127.0.0.1"]],
    [
      { ...QUIC, "rpc.quic.identities": ["x"], "rpc.quic.admin_identities": ["y"] },
      ["x", "y"].map((each) => `[rpc.quic]: ${each} is no identity; a client that is refused shows its own`)
    ],
    [
      { "rpc.quic.identities": [ID], "rpc.quic.admin_identities": [ID] },
      ["identities", "admin_identities"].map((each) => `[rpc.quic].${each} needs [rpc.quic].bind: set it as well`)
    ],
    [{ "connections.tor_control": "a.example:1" }, [`[connections].tor_control: ${NAMED}`]],
    [{ "connections.i2p_sam": "a.example:1" }, [`[connections].i2p_sam: ${NAMED}`]],
    [{ "connections.onion_proxy": "a.example:1" }, [`[connections].onion_proxy: ${NAMED}`]],
    [{ "connections.onion_listen_addrs": ["a.example:1"] }, [`[connections].onion_listen_addrs: ${NAMED}`]],
    [
      { transport_preference: "all", "connections.quic_listen_addr": "a.example:1" },
      [`[connections].quic_listen_addr: ${NAMED}`]
    ],
    [
      { transport_preference: "all", "connections.iroh_listen_addr": "a.example:1" },
      [`[connections].iroh_listen_addr: ${NAMED}`]
    ],
    [
      { "storage.pruning.mode": "manual", "storage.pruning.target_mb": 700 },
      ["[storage.pruning]: mode \"manual\" and target_mb = 700 exclude each other; keep one"]
    ],
    [{ "storage.pruning.mode": "normal", "storage.pruning.target_mb": 700 }, []],
    [
      { "storage.pruning.mode": "manual", "storage.indexing.txindex": true },
      ["[storage.indexing].txindex = true needs every block, so [storage.pruning].mode must be \"disabled\""]
    ],
    [
      {
        "relay.private_broadcast": true,
        "connections.proxy": "127.0.0.1:1",
        "connections.only_persistent_peers": true
      },
      [
        "[relay].private_broadcast opens connections to randomly chosen peers, which [connections].only_persistent_peers and " +
        "a transport_preference without TCP rule out; leave one out"
      ]
    ],
    [
      { "rest_api.enabled": true, rpc_addr: "127.0.0.1:60000" },
      ["REST has no port: that of RPC and 10000 would be 70000; set [rest_api].listen_addr"]
    ],
    [{ "rest_api.enabled": true, rpc_addr: "127.0.0.1:55535" }, []],
    [STRATUM, []],
    [
      { "stratum_v2.enabled": true },
      ["node.toml: Stratum V2 is a module, and modules are off; say [modules].enabled = true"]
    ],
    [{ ...STRATUM, "stratum_v2.listen_addr": "127.0.0.1:7", "modules.stratum-v2": { other: 1 } }, []],
    [{ ...STRATUM, "modules.stratum-v2": { listen: "127.0.0.1:7" } }, []],
    [
      { ...STRATUM, "stratum_v2.listen_addr": "127.0.0.1:7", "modules.stratum-v2": { listen: "127.0.0.1:7" } },
      ["node.toml: [stratum_v2].listen_addr and [modules.stratum-v2].listen are one setting; keep one"]
    ],
    [{ "modules.enabled": true, "modules.a": { network_listen: ["127.0.0.1:7"], version: "1.2.3" } }, []],
    [
      { "modules.enabled": true, "modules.a": { version: 1 }, "modules.b": "one" },
      ["[modules.a].version", "[modules].b"].map((where) =>
        `node.toml: ${where}: expected a version such as 0.1.*, 1.2.3, ^1.2.0 or >=1.0.0, <2.0.0`
      )
    ],
    [
      { "modules.enabled": true, "modules.a": { network_listen: ["127.0.0.1"] } },
      ["node.toml: [modules.a].network_listen: expected a list of places such as [\"127.0.0.1:3333\", \"*:443\"]"]
    ]
  ])("of %j are all named", (settings, problems) => {
    assert.deepStrictEqual(resolvedFrom(settings).problems, problems)
  })

  it("give modules their settings as texts: lists and tables as JSON, dates as they are written", () => {
    const settings = { a: [1, 2n], "b-c": { d: true }, when: new Date(0), text: "x", number: 5n, version: "1.2.3" }
    const { config } = resolvedFrom({ "modules.enabled": true, "modules.a": settings })
    assert.deepStrictEqual(config.modules?.settings.get("a"), {
      MODULE_CONFIG_A: "[1,2]",
      MODULE_CONFIG_B_C: "{\"d\":true}",
      MODULE_CONFIG_WHEN: String(new Date(0)),
      MODULE_CONFIG_TEXT: "x",
      MODULE_CONFIG_NUMBER: "5"
    })
  })

  it("let modules listen and connect where their tables say, and ask no name servers where peers are named", () => {
    const settings = { network_listen: ["127.0.0.1:7"], network_connect: ["10.0.0.1:8"] }
    const { config } = resolvedFrom({ "modules.enabled": true, "modules.a": settings })
    assert.deepStrictEqual(config.modules?.places.get("a"), {
      listen: [{ host: "127.0.0.1", ports: { least: 7, most: 7 } }],
      connect: [{ host: "10.0.0.1", ports: { least: 8, most: 8 } }]
    })
    const mainnet = { protocol_version: "BitcoinV1", "connections.only_persistent_peers": true }
    assert.isFalse(resolvedFrom(mainnet).config.peers.dnsSeeds)
  })

  it("warn of a private broadcast that shares its paths through Tor", () => {
    const settings = { "relay.private_broadcast": true, "connections.proxy": "127.0.0.1:1" }
    assert.deepStrictEqual(resolvedFrom({ ...settings, "connections.isolate_streams": false }).config.warnings, [
      "[relay].private_broadcast shares its paths through Tor with other connections while [connections].isolate_streams is false"
    ])
  })

  it("keep the version of a module that is named, and take any where none is", () => {
    const versionOf = (settings: Settings) => resolvedFrom(settings).config.modules?.pins.get("stratum-v2")?.written
    assert.strictEqual(versionOf({ ...STRATUM, "modules.stratum-v2": "1.2.3" }), "1.2.3")
    assert.strictEqual(versionOf(STRATUM), "*")
    assert.isUndefined(versionOf({ "modules.enabled": true }))
  })

  it.each([[8_332, 8_080], [18_332, 18_080], [0, 0], [18_443, 28_443], [48_332, 58_332], [1, 10_001]])(
    "leave REST beside RPC at port %d on port %d",
    (rpc, rest) => {
      const { config } = resolvedFrom({ rpc_addr: `127.0.0.1:${rpc}`, "rest_api.enabled": true })
      assert.deepStrictEqual(config.rest?.bind, { host: "127.0.0.1", port: rest })
    }
  )
})

describe("credentials", () => {
  const none = resolvedFrom({}).config.rpc.credentials
  it.each<readonly [name: string, found: object, has: boolean]>([
    ["none", {}, false],
    ["tokens", { tokens: ["a"] }, true],
    ["tokens of administrators", { adminTokens: ["a"] }, true],
    ["a name with a password", { basic: { username: "a", password: "b" } }, true],
    ["salted passwords", { salted: [{ user: "a", salt: "b", hash: "c" }] }, true]
  ])("are there where there are %s", (_, found, has) => {
    const credentials = { ...none, ...found }
    assert.deepStrictEqual([hasCredentials(credentials), isOpenToAll(credentials)], [has, !has])
    assert.isFalse(isOpenToAll({ ...credentials, required: true }))
  })

  it("need a name and a password, or neither", () => {
    const found = (settings: Settings) => {
      const { config, problems } = resolvedFrom(settings)
      return [config.rpc.credentials.basic, problems]
    }
    const [name, password] = [{ "rpc_auth.username": "a" }, { "rpc_auth.password": "b" }]
    assert.deepStrictEqual(found({ ...name, ...password }), [{ username: "a", password: "b" }, []])
    const both = "set both or none"
    assert.deepStrictEqual(found(name), [undefined, [`[rpc_auth]: username without password; ${both}`]])
    assert.deepStrictEqual(found(password), [undefined, [`[rpc_auth]: password without username; ${both}`]])
  })

  it("are the keys whose values are shown nowhere", () => {
    assert.sameMembers(FILE_KEYS.filter(({ facts }) => facts.secret === true).map(({ name }) => name), [
      "connections.tor_password",
      "rpc_auth.tokens",
      "rpc_auth.admin_tokens",
      "rpc_auth.password",
      "rpc_auth.rpcauth"
    ])
  })
})

describe("a problem between keys", () => {
  const effective = effectiveOf([
    { key: "max_peers", value: 1, origin: "file", source: "node.toml:1" },
    { key: "storage.pruning.mode", value: "manual", origin: "file", source: "node.toml:3" },
    { key: "storage.dbcache_mb", value: 9, origin: "command line", source: "--dbcache" },
    { key: "rpc.work_queue", value: 9, origin: "file", source: "node.toml:5" }
  ])
  it.each([
    ["[storage.pruning]: x", "node.toml:3: [storage.pruning]: x"],
    ["[storage.pruning].mode: x", "node.toml:3: [storage.pruning].mode: x"],
    ["[storage].dbcache_mb and [rpc].work_queue", "node.toml:5: [storage].dbcache_mb and [rpc].work_queue"],
    ["[storage].dbcache_mb: x", "[storage].dbcache_mb: x"],
    ["[storage]: x", "[storage]: x"],
    ["[rpc].other: x", "[rpc].other: x"],
    ["[rpc]: x", "node.toml:5: [rpc]: x"],
    ["node.toml:1: [rpc]: x", "node.toml:1: [rpc]: x"],
    ["--dbcache: [rpc]: x", "--dbcache: [rpc]: x"]
  ])("%s is shown as %s", (problem, shown) => assert.strictEqual(withSource(problem, effective), shown))
})
