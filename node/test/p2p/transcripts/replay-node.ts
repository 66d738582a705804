import { framedBlocks } from "@lockstep/conformance/chain/framed-blocks.ts"
import { fileAt } from "@lockstep/conformance/sources/source.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import { indexes } from "../../../src/indexes/indexes.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { assembleP2p } from "../../../src/p2p/layer/assemble.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import type { Transport } from "../../../src/p2p/transport/transport.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testP2pChain } from "../chain/test-p2p-chain.ts"
import { endpointOf } from "../peer/scripted-peer.ts"
import { bytesOf, hexOf, recordedText } from "./scenarios.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { patience } from "../../process/patience.ts"

/** When the recorded node was asked: its clock stood. */
interface ChainIndex {
  readonly mocktime: number
  readonly headersOnly: string
}

const index = (): ChainIndex => JSON.parse(recordedText("chain/index.json")) as ChainIndex

/** A chain of genesis alone needs no reference vectors; its time is about that of the recorded one. */
const AT_GENESIS: ChainIndex = { mocktime: 1_700_193_573, headersOnly: "" }

/** The blocks of the recorded chain in order of arrival, without genesis. */
export const recordedBlocks = (): ReadonlyArray<Uint8Array> =>
  framedBlocks(
    fileAt(
      { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" },
      "oracle/chain/blocks.dat.gz"
    ),
    REGTEST.magic
  ).slice(1)

/** Ticks pass in real time: this long after the clock was set, all parts have seen it. */
const SEEN = patience(350)

export interface ReplayOptions {
  readonly isEmpty?: boolean
  readonly transport?: Transport
  /** The recorded node served filters of blocks to peers that connected to it, and none when it connected itself. */
  readonly servesBlockFilters?: boolean
  /** The recorded node did not. */
  readonly servesBloomFilters?: boolean
  readonly relaysPackages?: boolean
}

/**
 * A node at the tip of the recorded chain (or at genesis), with the whole network layer on a real port. Its clock
 * stands until a script sets it.
 */
export const replayNode = Effect.fnUntraced(function*(options: ReplayOptions = {}) {
  const { headersOnly, mocktime } = options.isEmpty === true ? AT_GENESIS : index()
  const clock = { now: mocktime * 1_000 }
  const { chain, defects, engine } = yield* testP2pChain({
    directory: yield* temporaryDirectory,
    mockTime: mocktime,
    options: { blockFilterIndex: true },
    extensions: [indexes]
  })
  if (options.isEmpty !== true) {
    for (const bytes of recordedBlocks()) yield* engine.call("submitBlock", { bytes })
    yield* chain.acceptHeaders(bytesOf(headersOnly))
  }
  const environment = { now: () => unixMilliseconds(clock.now), random: seededRandom(1) }
  const book = addressBook(environment)
  const lines: Array<string> = []
  const p2p = yield* assembleP2p({
    network: REGTEST,
    crypto: testCrypto,
    limits: DEFAULT_LIMITS,
    environment,
    chain,
    notify: {
      event: () => undefined,
      log: (level, message, fields) => {
        if (level === "error") lines.push(`${message} ${JSON.stringify(fields)}`)
      }
    },
    transport: options.transport ?? tcpTransport,
    reachable: new Set(["ipv4"] as const),
    resolve: () => Effect.succeed([]),
    seeding: { names: [], built: [] },
    slots: { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 100 },
    persistent: [],
    saved: { book, bans: [], anchors: [] },
    download: {
      blocksPerRequest: 16,
      blocksPerPeer: 16,
      fromOnePeer: false,
      downloadTimeout: 30_000,
      headersTimeout: 30_000,
      headersFailures: 10
    },
    userAgent: "/Lockstep:0.0.0/",
    wantsTransactions: true,
    minRelayFee: 100n,
    servesBlockFilters: options.servesBlockFilters ?? true,
    servesBloomFilters: options.servesBloomFilters ?? false,
    relaysPackages: options.relaysPackages,
    uploadTarget: 0,
    listen: { address: endpointOf(127, 0, 0, 1).address, port: 0 },
    mustListen: true,
    advertised: () => undefined,
    ownAddresses: () => [],
    reach: () => [],
    messagesHaveSubscribers: () => false
  })
  return {
    p2p,
    chain,
    engine,
    book,
    defects,
    lines,
    port: p2p.service.listening[0]!.port,
    /** Sets the clock of the node and waits until everybody has seen it. */
    clock,
    setTime: (seconds: number) =>
      Effect.gen(function*() {
        yield* engine.call("setMockTime", { time: seconds })
        clock.now = seconds * 1_000
        yield* Effect.sleep(SEEN)
      }),
    best: () => hexOf(Uint8Array.from(chain.state().hash).reverse())
  }
})

export type ReplayNode = Effect.Success<ReturnType<typeof replayNode>>
