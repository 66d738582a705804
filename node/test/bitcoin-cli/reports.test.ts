import { assert, describe, it } from "@effect/vitest"
import type { NodeCall, Node, Reply } from "../../src/bitcoin-cli/call-node.ts"
import { generateReport } from "../../src/bitcoin-cli/reports/generate.ts"
import { getinfo } from "../../src/bitcoin-cli/reports/getinfo.ts"
import { netinfo } from "../../src/bitcoin-cli/reports/netinfo.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"

/** A node that answers methods with these results, wallets among them. */
const nodeWith = (results: Readonly<Record<string, unknown>>) => {
  const called: Array<string> = []
  const answer = ({ method, params }: NodeCall, wallet = ""): Reply => {
    called.push(`${wallet}${method}${writeJson(params)}`)
    const result = results[wallet + method]
    return result === undefined
      ? { result: null, error: readJson("{\"code\":-32601,\"message\":\"Method not found\"}")! }
      : { result: readJson(JSON.stringify(result))!, error: null }
  }
  const node: Node = {
    call: (call, wallet) => Promise.resolve(answer(call, wallet)),
    calls: (calls) => Promise.resolve(calls.map((call) => answer(call)))
  }
  return { node, called }
}

const NETWORK = {
  version: 319_900,
  subversion: "/Satoshi:31.0.0/",
  protocolversion: 70_016,
  localservicesnames: ["NETWORK", "WITNESS", "NETWORK_LIMITED"],
  timeoffset: -1,
  connections: 3,
  connections_in: 1,
  connections_out: 2,
  networks: [
    { name: "ipv4", reachable: true, proxy: "127.0.0.1:9050" },
    { name: "ipv6", reachable: false, proxy: "127.0.0.1:9050" },
    { name: "onion", reachable: true, proxy: "127.0.0.1:9051" }
  ],
  relayfee: 0.5,
  localaddresses: [{ address: "abc.onion", port: 8333, score: 4 }, { address: "1.2.3.4", port: 1, score: 10 }],
  warnings: ["one", "two"]
}

const CHAIN = { chain: "main", blocks: 5, headers: 10, verificationprogress: 0.5, difficulty: 1 }

const PEER = {
  network: "ipv4",
  inbound: false,
  relaytxes: true,
  connection_type: "outbound-full-relay",
  id: 7,
  version: 70_016,
  subver: "/a/",
  addr: "5.6.7.8:8333",
  servicesnames: ["NETWORK", "WITNESS"],
  transport_protocol_type: "v2",
  minping: 0.0125,
  pingtime: 1_200,
  lastsend: 995,
  lastrecv: 1_000,
  last_transaction: 880,
  last_block: 0,
  conntime: 400,
  bip152_hb_to: true,
  bip152_hb_from: true,
  addr_relay_enabled: true,
  addr_processed: 12,
  addr_rate_limited: 3
}

const PEERS = [
  PEER,
  { ...PEER, id: 8, connection_type: "manual", minping: 0.001, network: "onion", addr: "x.onion:1", lastsend: 0 },
  {
    ...PEER,
    id: 12,
    inbound: true,
    connection_type: "inbound",
    network: "not_publicly_routable",
    relaytxes: false,
    last_transaction: 0,
    transport_protocol_type: "detecting",
    minping: undefined,
    pingtime: undefined,
    bip152_hb_to: false,
    addr_relay_enabled: false,
    addr_processed: 0,
    addr_rate_limited: 0
  }
]

const shown = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { node } = nodeWith({ getpeerinfo: PEERS, getnetworkinfo: NETWORK })
  const { result } = await netinfo(node, words, { chain: "main", now: () => 1_000 })
  return String(result).split("\n")
}

describe("-netinfo", () => {
  it("shows peers in columns, inbound ones first, then by their lowest ping", async () => {
    assert.deepStrictEqual(await shown("4"), [
      "Bitcoin Core client v31.99.0 - server 70016/Satoshi:31.0.0/ - services nwl",
      "",
      "<->   type   net   serv  v  mping   ping send recv  txn  blk  hb addrp addrl  age id address      version",
      " in          npr     nw                     5    0    *        *     .         10 12 5.6.7.8:8333 70016/a/",
      "out manual onion     nw  2      1      -         0    2       .*    12     3   10  8 x.onion:1    70016/a/",
      "out   full  ipv4     nw  2     13      -    5    0    2       .*    12     3   10  7 5.6.7.8:8333 70016/a/",
      "                               ms     ms  sec  sec  min  min                  min",
      "",
      "         ipv4   onion     npr   total   block  manual",
      "in          0       0       1       1",
      "out         1       1       0       2       0       1",
      "total       1       1       1       3",
      "",
      "Local addresses",
      "abc.onion     port   8333    score      4",
      "1.2.3.4       port      1    score     10"
    ])
  })

  it("shows counts alone without a level, and outbound peers alone where they are wanted", async () => {
    const counts = await shown()
    assert.strictEqual(counts[0], "Bitcoin Core client v31.99.0 - server 70016/Satoshi:31.0.0/")
    assert.strictEqual(counts[2], "         ipv4   onion     npr   total   block  manual")
    assert.include(counts, "Local services: network, witness, network limited")
    const outbound = await shown("1", "outonly")
    assert.deepStrictEqual(outbound.slice(3, 5).map((line) => line.slice(0, 10)), ["out manual", "out   full"])
    assert.isTrue(outbound[5]?.trim().startsWith("ms"))
  })
})

describe("-getinfo", () => {
  it("shows the progress of a node that lags, its proxies, warnings and wallets", async () => {
    const { node } = nodeWith({
      getnetworkinfo: NETWORK,
      getblockchaininfo: CHAIN,
      listwallets: ["", "second"],
      getbalances: { mine: { trusted: 1.5 } },
      secondgetbalances: { mine: { trusted: 12_345_678.25 } }
    })
    const { result } = await getinfo(node, [], { color: "never", isOneWallet: false })
    assert.deepStrictEqual(String(result).split("\n"), [
      "Chain: main",
      "Blocks: 5",
      "Headers: 10",
      "Verification progress: ▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░ 50.0000%",
      "Difficulty: 1",
      "",
      "Network: in 1, out 2, total 3",
      "Version: 319900",
      "Time offset (s): -1",
      "Proxies: 127.0.0.1:9050 (ipv4, ipv6), 127.0.0.1:9051 (onion)",
      "Min tx relay fee rate (BTC/kvB): 0.5",
      "",
      "Balance: 1.5",
      "",
      "Balances",
      "        1.5 \"\"",
      "12345678.25 second",
      "",
      "Warnings: one",
      "two"
    ])
  })
})

describe("-generate", () => {
  it("mines to a new address of the wallet", async () => {
    const { called, node } = nodeWith({ getnewaddress: "bcrt1q", generatetoaddress: ["00", "11"] })
    const { result } = await generateReport(node, ["2", "100"])
    assert.strictEqual(writeJson(result), "{\"address\":\"bcrt1q\",\"blocks\":[\"00\",\"11\"]}")
    assert.deepStrictEqual(called, ["getnewaddress[]", "generatetoaddress[2,\"bcrt1q\",100]"])
  })

  it("mines at least one block", async () => {
    const { node } = nodeWith({ getnewaddress: "bcrt1q" })
    const refusal = await generateReport(node, ["0"]).catch((error: unknown) => error)
    assert.match(String(refusal), /must be an integer value greater than zero$/)
  })
})
