import { describe, it } from "@effect/vitest"
import { once } from "node:events"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { mayMount, mountDisk, unmountDisk } from "../corruption/small-disk.ts"
import { areRefused, type BadStart, isRefused } from "./refused-start.ts"
import { patience } from "../process/patience.ts"

const TCP = `transport_preference = "tcponly"\n`

/** A start on a data directory in which `prepare` has put something in the way. */
const onData = (
  name: string,
  says: RegExp,
  prepare: (data: string, own: string) => void,
  ...args: ReadonlyArray<string>
): BadStart => ({
  name,
  prepare: (root) => {
    const data = join(root, "data")
    prepare(data, join(data, "regtest"))
    return ["--data-dir", data, ...args]
  },
  says,
  exitCode: 1
})

const inOwn = (name: string, says: RegExp, prepare: (own: string) => void, ...args: ReadonlyArray<string>): BadStart =>
  onData(name, says, (_, own) => {
    mkdirSync(own, { recursive: true })
    prepare(own)
  }, ...args)

const DIRECTORIES: ReadonlyArray<BadStart> = [
  onData(
    "is a file",
    /Cannot create <root>\/data\/regtest: a part of the path is a file.*\(ENOTDIR\)/,
    (data) => writeFileSync(data, "mine")
  ),
  onData(
    "leads nowhere",
    /Cannot create <root>\/data: .*a link that leads nowhere.*Move it away/,
    (data) => symlinkSync("/nowhere/at/all", data)
  ),
  onData("leads in a circle", /symbolic links lead in a circle/, (data) => symlinkSync(data, data)),
  onData("has a file for the network", /Cannot create <root>\/data\/regtest: a file is there already/, (data) => {
    mkdirSync(data)
    writeFileSync(join(data, "regtest"), "mine")
  }),
  {
    name: "where nothing can be made",
    prepare: () => ["--data-dir", "/proc/nowhere"],
    says: /Cannot create \/proc\/nowhere\/regtest: /,
    exitCode: 1
  },
  {
    name: "with a long name",
    prepare: (root) => ["--data-dir", join(root, "x".repeat(300))],
    says: /the path is too long/,
    exitCode: 1
  },
  inOwn(
    "lock is a directory",
    /<root>\/data\/regtest\/lock: it is a directory.*Move/,
    (own) => mkdirSync(join(own, "lock"))
  ),
  inOwn("schema is a directory", /schema\.json: it is a directory.*Move/, (own) => mkdirSync(join(own, "schema.json"))),
  inOwn(
    "schema is garbage",
    /schema\.json.*cannot be read.*Restore it/,
    (own) => writeFileSync(join(own, "schema.json"), "\u0000\u0001")
  ),
  inOwn(
    "schema is newer",
    /newer version.*schema 99; this version knows up to 1.*Nothing was changed/,
    (own) => writeFileSync(join(own, "schema.json"), `{"schema":99,"network":"regtest"}`)
  ),
  inOwn(
    "network is another",
    /belongs to the network signet, not to regtest/,
    (own) => writeFileSync(join(own, "schema.json"), `{"schema":1,"network":"signet"}`)
  ),
  inOwn("blocks is a file", /regtest\/blocks: .*a file/, (own) => writeFileSync(join(own, "blocks"), "mine")),
  inOwn(
    "store is a file",
    /regtest\/store-leveldb: a part of the path is a file/,
    (own) => writeFileSync(join(own, "store-leveldb"), "mine")
  ),
  inOwn(
    "the other store is a file",
    /regtest\/store-heed3: a file is there already/,
    (own) => writeFileSync(join(own, "store-heed3"), "mine"),
    "--set",
    "storage.database_backend=heed3"
  ),
  inOwn(
    "cookie is a directory",
    /Cannot write <root>\/data\/regtest\/\.cookie: it is a directory.*Move/,
    (own) => mkdirSync(join(own, ".cookie"))
  )
]

const address = (
  value: string,
  says: RegExp,
  exitCode: 1 | 2,
  env: Readonly<Record<string, string>> = {}
): BadStart => ({
  name: `RPC on ${value}`,
  prepare: (root) => ["--data-dir", join(root, "data"), "--rpc-addr", value],
  says,
  exitCode,
  env
})

const ADDRESSES: ReadonlyArray<BadStart> = [
  address("0.0.0.0:1", /RPC on 0\.0\.0\.0:1 would be open to other machines without credentials.*--unsafe-rpc-bind/, 2),
  address("[::]:1", /open to other machines without credentials/, 2),
  address("0.0.0.0:1", /open to other machines without credentials/, 2, { RPC_AUTH_TOKENS: " , ," }),
  address("192.0.2.77:1", /cannot listen for RPC on 192\.0\.2\.77:1: this machine has no such address.*--rpc-addr/, 1, {
    RPC_AUTH_TOKENS: "a-long-token"
  })
]

const configured = (name: string, content: string | Uint8Array, says: RegExp, file = "node.toml"): BadStart => ({
  name,
  prepare: (root) => {
    writeFileSync(join(root, file), content, { mode: 0o600 })
    return ["--config", join(root, file)]
  },
  says,
  exitCode: 2
})

const FILES: ReadonlyArray<BadStart> = [
  configured(
    "wrong types",
    `transport_preference = 5\n[storage]\ndata_dir = 7\ndbcache_mb = "x"\n[rpc_auth]\nadmin_tokens = "a"\n`,
    /node\.toml:1: transport_preference: expected.*\n.*node\.toml:3: \[storage\]\.data_dir: expected a path.*\n[^]*node\.toml:6: \[rpc_auth\]\.admin_tokens: expected a list/
  ),
  configured(
    "byte order mark and CRLF",
    `\uFEFF${TCP}max_peers = "many"\n`.replaceAll("\n", "\r\n"),
    /node\.toml:2: max_peers: expected an integer/
  ),
  configured("ten megabytes", "#".repeat(10_000_000), /larger than 4 MiB/),
  configured("binary", Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 256), /is not UTF-8 text/),
  configured("zeros", new Uint8Array(100_000), /node\.toml:1:1: not valid TOML/),
  configured("nested deeply", `${TCP}x = ${"[".repeat(200_000)}`, /not valid TOML/),
  configured("nested deeply in JSON", `{"transport_preference":${"[".repeat(200_000)}`, /not valid JSON/, "node.json"),
  configured(
    "a hundred thousand keys",
    `${TCP}${Array.from({ length: 100_000 }, (_, i) => `k${i} = 1\n`).join("")}`,
    /100001 keys, and no more than 200/
  ),
  configured(
    "keys of every object",
    `${TCP}__proto__ = 1\nconstructor = 2\ntoString = 3\n`,
    /:2: __proto__ is not a known key\n.*:3: constructor is not a known key\n.*:4: toString is not a known key/
  ),
  configured("no object", "[1]", /expected an object/, "node.json"),
  configured("nothing", "", /transport_preference is missing/)
]

const variable = (name: string, value: string, says: RegExp): BadStart => ({
  name: `${name}=${value}`,
  prepare: (root) => ["--data-dir", join(root, "data")],
  env: { [name]: value },
  says,
  exitCode: 2
})

const VARIABLES: ReadonlyArray<BadStart> = [
  variable("NODE_LOG_LEVEL", "loud", /NODE_LOG_LEVEL: expected a level/),
  variable("NODE_NETWORK", "moonnet", /NODE_NETWORK: expected/),
  variable("NODE_ASSUME_VALID_HEIGHT", "-1", /NODE_ASSUME_VALID_HEIGHT: expected a height/)
]

describe("a node that cannot start says why, and leaves everything as it was", () => {
  it("data directories", () => areRefused(DIRECTORIES), patience(120_000))
  it("addresses", () => areRefused(ADDRESSES), patience(60_000))
  it("configuration files", () => areRefused(FILES), patience(60_000))
  it("variables", () => areRefused(VARIABLES), patience(60_000))

  it("an address that another program listens on", async () => {
    const server = createServer()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as { port: number }
    try {
      await isRefused(
        address(
          `127.0.0.1:${port}`,
          new RegExp(`cannot listen for RPC on 127\\.0\\.0\\.1:${port}: another program listens there`),
          1
        )
      )
      await isRefused({
        name: "the place for other nodes",
        prepare: (root) => ["--data-dir", join(root, "data"), "--rpc-addr", "127.0.0.1:0"],
        env: { NODE_LISTEN_ADDR: `127.0.0.1:${port}` },
        says: new RegExp(`cannot listen for other nodes on 127\\.0\\.0\\.1:${port}: another program listens there`),
        exitCode: 1
      })
    } finally {
      server.close()
    }
  })

  it.skipIf(!mayMount)("a disk that is read-only", async () => {
    await isRefused({
      name: "read-only",
      prepare: (root) => {
        mkdirSync(join(root, "disk"))
        mountDisk(join(root, "disk"), "ro,size=1m")
        return ["--data-dir", join(root, "disk", "data")]
      },
      says: /Cannot create <root>\/disk\/data\/regtest: the file system is read-only/,
      clear: (root) => unmountDisk(join(root, "disk")),
      exitCode: 1
    })
  })
})
