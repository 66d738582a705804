import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brokenCoin } from "../../src/coins/coin-codec.ts"
import { readCoinsRecord } from "../../src/engine/state/chainstates.ts"
import { damagedBlock } from "../../src/engine/validation/load-block.ts"
import { damagedChain } from "../../src/engine/chainstate/load-tree.ts"
import { anySettingName } from "../../src/front/setting-name.ts"
import { type HealthFacts, JUDGES } from "../../src/health/judge.ts"
import { damagedIndex } from "../../src/indexes/damaged-index.ts"
import { requireChain } from "../../src/lifecycle/require-chain.ts"
import { littleRoom } from "../../src/lifecycle/disk-room.ts"
import { parseAddress, parseEndpoint } from "../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../src/net/endpoint.ts"
import { namedEndpoint } from "../../src/net/named-endpoint.ts"
import { endpointOf } from "../../src/p2p/layer/configured-transports.ts"
import { authenticate } from "../../src/p2p/tor/authenticate.ts"
import { DialError } from "../../src/p2p/transport/transport.ts"
import { listenReason } from "../../src/p2p/transport/tcp/listen-reasons.ts"
import { tcpTransportWithin } from "../../src/p2p/transport/tcp/tcp-transport.ts"
import { chosenTransport } from "../../src/p2p/transport/transport-choice.ts"
import { helpText } from "../../src/methods/help/help-text.ts"
import { NOT_ALLOWED } from "../../src/http/http-answer.ts"
import { httpServer } from "../../src/http/http-server.ts"
import { METHODS } from "../../src/methods/table.ts"
import { makeHome } from "../bitcoind/given.ts"
import { fileFault } from "../../src/storage/block-files/file-fault.ts"
import { layoutOf } from "../../src/storage/data-directory/layout.ts"
import { lockDataDirectory } from "../../src/storage/data-directory/directory-lock.ts"
import { brokenSeal, storeError } from "../../src/storage/key-value/engine-error.ts"

/** What an effect fails with. */
const failureOf = async (effect: Effect.Effect<unknown, { readonly message: string }>): Promise<string> => {
  const exit = await Effect.runPromiseExit(effect)
  return Exit.isFailure(exit) ? (exit.cause.reasons.find(Cause.isFailReason)?.error.message ?? "") : "no failure"
}

const unreached = (node: Endpoint): Promise<string> =>
  failureOf(
    chosenTransport({
      direct: tcpTransportWithin(1_000),
      proxies: { ipv4: undefined, ipv6: undefined, onion: undefined, cjdns: undefined, names: undefined }
    }).dial(node, () => {
      throw new DialError({ message: "there is no connection", isProxy: false })
    })
  )

/** How a node that logs in to a Tor with these methods is turned away. */
const turnedAway = (methods: string, password?: string, login = 250, info = 250): Promise<string> =>
  failureOf(
    authenticate(
      {
        ask: (command) =>
          Effect.succeed(
            command.startsWith("PROTOCOLINFO")
              ? { code: info, lines: ["PROTOCOLINFO 1", `AUTH METHODS=${methods} COOKIEFILE="/nowhere/cookie"`, "OK"] }
              : { code: login, lines: ["OK"] }
          ),
        ended: Effect.never
      },
      password,
      { bytes: (size) => new Uint8Array(size) }
    )
  )

const directory = mkdtempSync(join(tmpdir(), "lockstep-texts-"))

const taken = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port))
  server.unref()
})

const noRpc = await Effect.runPromise(Effect.flip(Effect.scoped(httpServer({
  bind: { host: "127.0.0.1", port: taken },
  timeoutMs: 1_000,
  listener: () => undefined,
  whenQuiet: (done) => done()
}))))

const home = makeHome()

/** What a node with these options is refused with, or warned of, by the part that both programs share. */
const judged = (...words: ReadonlyArray<string>): string =>
  Result.match(home.plan(...words), {
    onFailure: ({ problems }) => problems.join("\n"),
    onSuccess: ({ config }) => config.warnings.join("\n")
  })

const ZEROS = new Uint8Array(32)
const ONION = parseEndpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333", 0)!
const I2P = parseEndpoint("ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p:0", 0)!
const PLACE = parseEndpoint("192.0.2.1:8333", 0)!

/** Messages of a node by what they are about; `bitcoind` names the option of each. */
const messages = {
  "a locked directory": await failureOf(lockDataDirectory(layoutOf(directory), () => "taken").pipe(Effect.scoped)),
  "a chain that is not there": await failureOf(requireChain(directory, { _tag: "Rebuild" })),
  "a small disk": littleRoom(
    {
      network: "mainnet",
      dataDirectory: directory,
      storage: { pruning: { _tag: "Disabled" }, coreBlocks: undefined, copyCoreBlocks: false }
    } as never,
    0,
    () => 0
  )!,
  "a damaged coin": brokenCoin("read", { txid: ZEROS, vout: 0 }).message,
  "a damaged record of coins": await failureOf(
    readCoinsRecord({ get: () => Effect.succeed(new Uint8Array(3)) } as never)
  ),
  "a damaged chain": damagedChain("there is no tip").message,
  "a block that is gone": damagedBlock({ hash: ZEROS, height: 1 } as never, undefined).message,
  "a damaged block file": fileFault("blk", "blk00000.dat", "read", "is too short", false).message,
  "a damaged undo file": fileFault("rev", "rev00000.dat", "read", "is too short", false).message,
  "a damaged index": damagedIndex("an entry is missing").message,
  "a damaged store": brokenSeal("/store", ZEROS).message,
  "a store that is gone": storeError("missing", "open", "/store", "no such file").message,
  "an onion service without a proxy": await unreached(ONION),
  "a node of I2P without a router": await unreached(I2P),
  "a name without a proxy": await unreached(namedEndpoint("example.org", 8333)),
  "a node of CJDNS": await unreached({
    ...PLACE,
    address: { network: AddressNetwork.CJDNS, bytes: parseAddress("fc00::1")!.bytes }
  }),
  "a node over QUIC": await unreached({ ...PLACE, quic: { identity: undefined } }),
  "a node over Iroh": await unreached({ ...PLACE, iroh: { identity: undefined } }),
  ...Object.fromEntries(
    ["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "EAFNOSUPPORT"].map((code) => [
      `a place for nodes, ${code}`,
      listenReason(code)!
    ])
  ),
  "a name where an address belongs": await failureOf(endpointOf({ host: "example.org", port: 1 })),
  "a place for callers that is taken": noRpc.message,
  "a caller from elsewhere": String(NOT_ALLOWED.body),
  "a Tor that says nothing": await turnedAway("NULL", undefined, 250, 510),
  "a Tor with a password": await turnedAway("HASHEDPASSWORD"),
  "a Tor without a password": await turnedAway("NULL", "secret"),
  "a Tor with another password": await turnedAway("HASHEDPASSWORD", "secret", 515),
  "a Tor whose cookie cannot be read": await turnedAway("SAFECOOKIE"),
  "a node that cannot be reached": JUDGES.network(
    {
      isRegtest: true,
      network: { isActive: true, unreachable: [{ node: "192.0.2.1:1", reason: "ECONNREFUSED" }], peers: 3 }
    } as unknown as HealthFacts
  ).reason!,
  "a place that is that of RPC": judged("-regtest", "-bind=127.0.0.1:18443"),
  "a further place that is that of RPC": judged("-regtest", "-bind=[::1]:18447", "-bind=127.0.0.1:18443"),
  "a place for Tor that is that of RPC": judged("-regtest", "-bind=127.0.0.1:18447", "-bind=127.0.0.1:18443=onion"),
  "callers that cannot reach the node": judged("-regtest", "-rpcallowip=10.0.0.0/8"),
  "a private broadcast that shares its paths": judged(
    "-signet",
    "-privatebroadcast=1",
    "-proxyrandomize=0",
    "-onion=127.0.0.1:9050"
  ),
  "a password that is none": `${anySettingName("[connections].tor_password")}: expected the password`
}

const help = Object.fromEntries(
  [...METHODS.values()].map((method) => [method.name, helpText(method, { isStandIn: true })])
)

process.stdout.write(JSON.stringify({ messages, help }))
rmSync(directory, { recursive: true })
home.remove()
