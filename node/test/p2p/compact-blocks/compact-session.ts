import type { Header } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { BegunBlock, FilledBlock } from "../../../src/p2p/chain/p2p-chain.ts"
import { compactState } from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import { receiveCompactBlock } from "../../../src/p2p/sync/compact-blocks/receive-compact-block.ts"
import { receiveBlockTransactions } from "../../../src/p2p/sync/compact-blocks/receive-block-transactions.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "../sync/chain-model.ts"
import { type MadePeerSync, madePeerSync } from "../sync/made-peer-sync.ts"
import { plainPreferences } from "../sync/plain-preferences.ts"
import { SETTINGS } from "../sync/sync-session.ts"

/** The tip of the node is the tenth. */
export const CHAIN = minedChain(16)
export const TIP = 10

export const at = (height: number): Header => CHAIN[height - 1]!

/** What the engine answers about a compact block from which `missing` are missing. */
export const begun = (missing: ReadonlyArray<number>): BegunBlock => ({
  _tag: "Begun",
  missing,
  prefilled: 1,
  found: 5,
  extra: 2
})

/** The payload of `cmpctblock` with this header; `ids`: how many short ids it has. */
export const compactPayload = ({ bytes }: Header, ids = 7): Uint8Array => {
  const payload = new Uint8Array(88 + 1 + 6 * ids + 1)
  payload.set(bytes)
  payload[88] = ids
  return payload
}

/** The payload of `blocktxn` for this block: no transactions, and bytes behind them that are not read. */
const transactionsPayload = (header: Header, more = 1): Uint8Array => {
  const payload = new Uint8Array(32 + more)
  payload.set(hashOf(header))
  return payload
}

/** A node at its tip among peers that serve compact blocks, with an engine that answers what a test says. */
export const compactSession = Effect.fnUntraced(function*(
  { isOn = true, late = 60, minimumChainWork = 0n, servesCompact = true }: {
    readonly isOn?: boolean
    /** Seconds since the tip. */
    readonly late?: number
    readonly minimumChainWork?: bigint
    readonly servesCompact?: boolean
  } = {}
) {
  const model = chainModel(at(TIP).time + late, minimumChainWork)
  for (const { bytes } of CHAIN.slice(0, TIP)) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  model.initialBlockDownload = false
  const calls: Array<string> = []
  const traced: Array<TraceEvent> = []
  /** Lines about headers that a peer showed first. */
  const newHeaders: Array<string> = []
  const session = {
    model,
    calls,
    traced,
    newHeaders,
    begins: begun([]) as BegunBlock | undefined,
    fills: "accepted" as FilledBlock | "accepted" | undefined,
    /** Runs before the engine answers that it has begun. */
    meanwhile: (): void => undefined
  }
  const nodeAt = (height: number): HeaderIndexNode => nodeOf(model.chain.tree, hashOf(at(height)))!
  const trace = (happening: TraceEvent): void => {
    if (happening._tag === "HeaderSeen") newHeaders.push(...coreTexts(happening))
    else traced.push(happening)
  }
  const context: P2pContext = {
    ...model.context,
    notify: { ...model.context.notify, trace },
    chain: {
      ...model.chain,
      beginCompactBlock: (id) =>
        Effect.sync(() => {
          calls.push(`begin ${id}`)
          session.meanwhile()
          return session.begins
        }),
      fillCompactBlock: (id, payload) => {
        calls.push(`fill ${id} ${payload === undefined ? "nothing" : payload.length}`)
        if (session.fills !== "accepted") return Effect.succeed(session.fills)
        return Effect.map(model.chain.acceptBlock(at(TIP + 1).bytes, true), (block) => ({
          _tag: "Accepted" as const,
          block,
          requestedBytes: 900
        }))
      },
      dropCompactBlock: (id) => Effect.sync(() => void calls.push(`drop ${id}`))
    }
  }
  const sync = syncState(
    context,
    SETTINGS,
    compactState(
      { ...plainPreferences(() => true, () => servesCompact), isOn },
      (effect) => void Effect.runSync(effect)
    )
  )
  return {
    session,
    sync,
    nodeAt,
    /** A peer in high-bandwidth mode, unless `more` says otherwise. */
    add: (kind: PeerKind, more: Partial<PeerSync> = {}): MadePeerSync =>
      madePeerSync(sync, kind, { isHighBandwidth: true, ...more }),
    /** The peer sends a compact block of this height. */
    give: (from: PeerSync, height = TIP + 1) => receiveCompactBlock(sync, from, compactPayload(at(height))),
    /** The peer sends the missing transactions of the next block. */
    giveTransactions: (from: PeerSync, more = 1) =>
      receiveBlockTransactions(sync, from, transactionsPayload(at(TIP + 1), more)),
    /** Its header is there already. */
    showHeader: (height = TIP + 1) =>
      model.chain.acceptHeaders(Buffer.concat(CHAIN.slice(TIP, height).map((h) => h.bytes)))
  }
})

/** What a peer was sent, in short. */
export const sentTo = ({ peer }: MadePeerSync): ReadonlyArray<string> =>
  peer.sent.map((message) =>
    message.command === "getblocktxn"
      ? `getblocktxn ${message.indexes.join()}`
      : message.command === "getdata"
      ? `getdata ${message.inventory.map(({ type }) => type.toString(16)).join()}`
      : message.command
  )
