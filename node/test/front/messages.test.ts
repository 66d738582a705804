import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { patience } from "../process/patience.ts"
import { ownName } from "./own-names.ts"

const PROGRAM = fileURLToPath(new URL("message-texts.ts", import.meta.url))

type Texts = Readonly<Record<"help" | "messages", Readonly<Record<string, string>>>>

/** The texts that a program says: they are made when it starts, so each front is a process of its own. */
const textsOf = async (front: "bitcoind" | "lockstep"): Promise<Texts> => {
  const env = { ...process.env, LOCKSTEP_FRONT: front, LOCKSTEP_COMMAND: "lockstep" }
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env, maxBuffer: 2 ** 24 })
  return JSON.parse(stdout) as Texts
}

/** What each message names under `bitcoind`, and under `lockstep`. */
const NAMED: Readonly<Record<string, readonly [core: string, own: string]>> = {
  "a locked directory": ["(-datadir)", "(--data-dir)"],
  "a chain that is not there": ["Check -datadir and -chain.", "Check --data-dir and --network."],
  "a small disk": ["with -datadir, or keep recent blocks only with -prune", "[storage.pruning].target_mb"],
  "a damaged coin": ["run `bitcoind -reindex-chainstate`, which", "run `lockstep rebuild`, which"],
  "a damaged record of coins": ["Run `bitcoind -reindex`, which", "Run `lockstep rebuild`, which"],
  "a damaged chain": ["Run `bitcoind -reindex`, which", "Run `lockstep rebuild`, which"],
  "a block that is gone": ["Run `bitcoind -reindex`, after", "Run `lockstep rebuild`, after"],
  "a damaged block file": ["or run `bitcoind -reindex`:", "or run `lockstep rebuild`:"],
  "a damaged undo file": ["or run `bitcoind -reindex`:", "or run `lockstep rebuild`:"],
  "a damaged index": ["run `bitcoind -reindex`, which", "run `lockstep rebuild`, which"],
  "a damaged store": ["run `bitcoind -reindex`, which", "run `lockstep rebuild`, which"],
  "a store that is gone": ["run `bitcoind -reindex` to make", "run `lockstep rebuild` to make"],
  "an onion service without a proxy": ["-onion, or Tor's control port as -torcontrol", "port as tor_control"],
  "a node of I2P without a router": ["as -i2psam", "as [connections].i2p_sam"],
  "a name without a proxy": ["name -proxy", "name [connections].proxy"],
  "a node of CJDNS": ["set -cjdnsreachable=1 where", "set [connections].cjdns_reachable = true where"],
  "a node over QUIC": ["this program knows TCP alone", "set transport_preference = \"hybrid\" or \"quinnonly\""],
  "a node over Iroh": ["this program knows TCP alone", "set transport_preference = \"all\" or \"irohonly\""],
  "a place for nodes, EADDRINUSE": [
    "stop it, choose another address with -bind, or set -listen=0",
    "with --listen-addr, or set [connections].listen = false"
  ],
  "a place for nodes, EADDRNOTAVAIL": ["another one with -bind", "another one with --listen-addr"],
  "a place for nodes, EACCES": ["above 1023 with -bind", "above 1023 with --listen-addr"],
  "a place for nodes, EAFNOSUPPORT": ["another one with -bind", "another one with --listen-addr"],
  "a name where an address belongs": ["-bind: example.org", "listen_addr: example.org"],
  "a place for callers that is taken": ["another address with -rpcbind", "another address with --rpc-addr"],
  "a caller from elsewhere": ["see -rpcallowip", "see [rpc].allow_ip"],
  "a Tor that says nothing": ["check -torcontrol", "check [connections].tor_control"],
  "a Tor with a password": ["set -torpassword", "set [connections].tor_password"],
  "a Tor without a password": ["or leave -torpassword out", "or leave [connections].tor_password out"],
  "a Tor with another password": ["check -torpassword", "check [connections].tor_password"],
  "a Tor whose cookie cannot be read": ["or set -torpassword", "or set [connections].tor_password"],
  "a node that cannot be reached": ["(-addnode or addnode)", "(persistent_peers or addnode)"],
  "a place that is that of RPC": ["twice, by -rpcbind and by -bind;", "twice, by --rpc-addr and by listen_addr;"],
  "a further place that is that of RPC": [
    "twice, by -rpcbind and by -bind;",
    "twice, by --rpc-addr and by more_listen_addrs;"
  ],
  "a place for Tor that is that of RPC": [
    "twice, by -rpcbind and by -bind;",
    "twice, by --rpc-addr and by onion_listen_addrs;"
  ],
  "callers that cannot reach the node": ["-rpcallowip changes nothing", "[rpc].allow_ip changes nothing"],
  "a private broadcast that shares its paths": [
    "-privatebroadcast shares its paths through Tor with other connections while -proxyrandomize is false",
    "while [connections].isolate_streams is false"
  ],
  "a password that is none": ["-torpassword: expected", "[connections].tor_password: expected"]
}

describe("a message", { timeout: patience(60_000) }, () => {
  let core: Texts
  let own: Texts

  beforeAll(
    async () => void ([core, own] = await Promise.all([textsOf("bitcoind"), textsOf("lockstep")])),
    patience(60_000)
  )

  it("is one of this list, and each of the list is made", () => {
    assert.deepStrictEqual(Object.keys(core.messages).toSorted(), Object.keys(NAMED).toSorted())
  })

  for (const [about, [coreName, ownWords]] of Object.entries(NAMED)) {
    it(`about ${about} names Bitcoin Core's option under bitcoind and the key of node.toml under lockstep`, () => {
      assert.include(core.messages[about], coreName)
      assert.isUndefined(ownName(core.messages[about]!))
      assert.include(own.messages[about], ownWords)
    })
  }

  it("of help names no key of node.toml under bitcoind, whatever the method", () => {
    const named = Object.entries(core.help).flatMap(([method, text]) => {
      const found = ownName(text)
      return found === undefined ? [] : [`${method}: ${found}`]
    })
    assert.deepStrictEqual(named, [])
    assert.include(core.help["addnode"], "set by -v2transport when left out")
    assert.include(own.help["addnode"], "set by [connections].v2_transport when left out")
  })
})
