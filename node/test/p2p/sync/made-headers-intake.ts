import type { Header } from "@lockstep/kernel/model"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import { receiveHeaders } from "../../../src/p2p/sync/headers/headers-intake.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { compactState } from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { chainModel, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainPreferences } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

/** The node has ten of them. */
export const CHAIN = minedChain(30)
export const at = (height: number): Header => CHAIN[height - 1]!
/** As many headers as fill a message. */
const MOST = 6

export const made = Effect.fnUntraced(function*(
  { late = 60, minimumChainWork = 0n, servesCompact = false }: {
    readonly late?: number
    readonly minimumChainWork?: bigint
    readonly servesCompact?: boolean
  } = {},
  more: Partial<PeerSync> = {}
) {
  const model = chainModel(at(10).time + late, minimumChainWork)
  for (const { bytes } of CHAIN.slice(0, 10)) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  model.initialBlockDownload = false
  const traced: Array<TraceEvent> = []
  const sync = syncState(
    {
      ...model.context,
      limits: { ...DEFAULT_LIMITS, headers: MOST },
      notify: { ...model.context.notify, trace: (happening) => void traced.push(happening) }
    },
    SETTINGS,
    compactState(plainPreferences(() => true, () => servesCompact), (effect) => void Effect.runSync(effect))
  )
  const from = madePeerSync(sync, "outbound-full-relay", { askedForHeaders: 5, hasSentHeaders: false, ...more })
  return {
    model,
    sync,
    from,
    traced,
    give: (headers: ReadonlyArray<Header>) => receiveHeaders(sync, from, { command: "headers", headers }),
    /** What the peer was sent. */
    sent: () =>
      from.peer.sent.map((message) =>
        message.command === "getdata"
          ? `getdata ${message.inventory.map(({ type }) => type.toString(16)).join()}`
          : message.command
      )
  }
})

export const upTo = (from: number, to: number): ReadonlyArray<Header> => CHAIN.slice(from - 1, to)
