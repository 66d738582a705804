import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { Environment } from "../../../src/p2p/basics/environment.ts"
import type { Accept, Transport } from "../../../src/p2p/transport/transport.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { announce, sayPreference, tipIsNew } from "./core-announce.ts"
import { takeBlock, takeBlockTransactions, takeCompactBlock, blockChecked } from "./core-blocks.ts"
import { requestBlocks, watchChain, watchDownload } from "./core-download.ts"
import { startHeaders, takeHeaders } from "./core-headers.ts"
import { type CoreLink, coreLink, type LinkKind } from "./core-link.ts"
import { serveBlockTransactions, serveData, serveHeaders } from "./core-serving.ts"
import { keepSession, sayVersion, takeSessionMessage } from "./core-session.ts"
import { type CoreState, type CoreTraits, drop } from "./core-state.ts"
import {
  keepFeeFilter,
  poolHas,
  requestTransactions,
  takeInventory,
  takeNotFound,
  takeTransaction,
  trickle
} from "./core-transactions.ts"

/**
 * A model of Bitcoin Core 31 as a peer: what it says, and when, what it keeps back, and when it ends a connection. It
 * shares the engine with the node under test, which judges blocks, and nothing of the network layer.
 */
export interface CoreNode {
  readonly state: CoreState
  /** Takes connections, as `-listen`. */
  readonly accept: Accept
  /** Opens a connection, as `addnode` does for a manual one. */
  readonly dial: (target: Endpoint, kind?: LinkKind) => Effect.Effect<void>
  /** The links that are not over. */
  readonly open: () => ReadonlyArray<CoreLink>
  /** One round of its message loop: what came is handled, and what is due is said. */
  readonly turn: Effect.Effect<void>
}

export const FULL = ServiceFlag.NETWORK | ServiceFlag.WITNESS | ServiceFlag.NETWORK_LIMITED
export const PRUNED = ServiceFlag.WITNESS | ServiceFlag.NETWORK_LIMITED

/** Messages about transactions, and those Core has no answer to. */
const handleOther = (core: CoreState, link: CoreLink, message: Message): Effect.Effect<void> => {
  switch (message.command) {
    case "inv":
      return Effect.sync(() => takeInventory(core, link, message))
    case "tx":
      return takeTransaction(core, link, message.transaction)
    case "notfound":
      return Effect.sync(() => takeNotFound(core, link, message))
    case "feefilter":
      return Effect.sync(() => void (link.feeFilter = message.feerate))
    case "addr":
    case "addrv2":
    case "getaddr":
      return Effect.void
    default:
      return Effect.sync(() => void core.oddities.push(message.command))
  }
}

const handle = (core: CoreState, link: CoreLink, message: Message): Effect.Effect<void> => {
  if (takeSessionMessage(core, link, message)) return Effect.void
  switch (message.command) {
    case "headers":
      return takeHeaders(core, link, message)
    case "getheaders":
      return Effect.sync(() => serveHeaders(core, link, message))
    case "getdata":
      return serveData(core, link, message)
    case "block":
      return takeBlock(core, link, message)
    case "cmpctblock":
      return takeCompactBlock(core, link, message)
    case "getblocktxn":
      return serveBlockTransactions(core, link, message)
    case "blocktxn":
      return takeBlockTransactions(core, link, message)
    default:
      return handleOther(core, link, message)
  }
}

const sendMessages = Effect.fnUntraced(function*(core: CoreState, link: CoreLink) {
  keepSession(core, link)
  if (!link.isReady || link.isGone) return
  if (!core.traits.isByName) sayPreference(link)
  startHeaders(core, link)
  yield* announce(core, link)
  trickle(core, link)
  watchDownload(core, link)
  watchChain(core, link)
  if (link.isGone) return
  requestBlocks(core, link)
  requestTransactions(core, link)
  keepFeeFilter(core, link)
})

export const coreNode = (
  { chain, environment, traits = {}, transport }: {
    readonly chain: P2pChain
    readonly environment: Environment
    readonly transport: Transport
    readonly traits?: Partial<CoreTraits>
  }
): CoreNode => {
  const core: CoreState = {
    traits: {
      services: FULL,
      isBlocksOnly: false,
      isByName: false,
      givesNoBlocks: false,
      leastFeerate: 100n,
      ...traits
    },
    chain,
    environment,
    links: new Set(),
    dropped: [],
    oddities: [],
    sources: new Map(),
    compactFirst: [],
    orphans: new Map(),
    rejects: new Set(),
    nextInboundTrickle: 0,
    stallTimeout: 2_000,
    lastInvBlock: undefined
  }
  chain.listen({
    judged: (node, rejection) => blockChecked(core, node, rejection),
    tip: (tip, fork, initialBlockDownload) => {
      core.rejects.clear()
      if (!initialBlockDownload) tipIsNew(core, tip, fork)
    },
    transactionAdded: (transaction) => poolHas(core, transaction)
  })

  const accepting = (kind: LinkKind): Accept => (connection) => {
    const link = coreLink(kind, connection, environment.now())
    core.links.add(link)
    const reader = frameReader(REGTEST.magic, testCrypto)
    if (kind !== "inbound") sayVersion(core, link)
    return {
      received: (bytes) => {
        feed(reader, bytes)
        for (;;) {
          const frame = readFrame(reader)
          if (Result.isFailure(frame)) return drop(core, link, `a frame that is none: ${frame.failure._tag}`)
          if (frame.success === undefined) return
          if (frame.success._tag !== "Known") {
            core.oddities.push(`unknown command ${frame.success.command}`)
            continue
          }
          const decoded = decodeMessage(frame.success.command, frame.success.payload)
          if (Result.isFailure(decoded)) return drop(core, link, `a ${frame.success.command} that is none`)
          link.received.push(decoded.success.message)
          link.inbox.push(decoded.success.message)
        }
      },
      drained: () => undefined,
      closed: () => {
        link.isGone = true
        core.links.delete(link)
        if (core.compactFirst.includes(link)) core.compactFirst.splice(core.compactFirst.indexOf(link), 1)
        for (const [key, { link: by }] of core.orphans) if (by === link) core.orphans.delete(key)
      }
    }
  }

  return {
    state: core,
    accept: accepting("inbound"),
    dial: (target, kind = "manual") =>
      Effect.asVoid(Effect.forkDetach(Effect.ignore(transport.dial(target, accepting(kind))))),
    open: () => [...core.links].filter(({ isGone }) => !isGone),
    turn: Effect.gen(function*() {
      for (const link of core.links) {
        for (let message = link.inbox.shift(); message !== undefined && !link.isGone; message = link.inbox.shift()) {
          yield* handle(core, link, message)
        }
        if (!link.isGone) yield* sendMessages(core, link)
      }
    })
  }
}
