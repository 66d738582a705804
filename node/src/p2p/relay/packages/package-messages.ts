import { bytesEqual } from "@lockstep/kernel/bytes"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { messageBytes } from "@lockstep/protocol/wire/message.ts"
import { PackageVersion } from "@lockstep/protocol/wire/messages/packages.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { P2pContext } from "../../peer/p2p-context.ts"
import type { Dispatched } from "../../peer/peer-part.ts"
import type { Peer } from "../../peer/peer.ts"
import type { PeerRelay } from "../peer-relay.ts"
import type { SeenTransactions } from "../already-have-tx.ts"
import { hashKey } from "../../basics/hash-key.ts"
import { relaysPackages } from "../../peer/negotiation.ts"
import type { PackageJudge } from "./package-judge.ts"
import { PACKAGE_LIMITS } from "./package-limits.ts"
import type { PackageRequest, PackageRequests } from "./package-requests.ts"
import { scanPackage } from "./scan-package.ts"

export interface PackageMessagesOptions {
  readonly context: Pick<P2pContext, "chain" | "crypto" | "environment">
  readonly peers: ReadonlyMap<number, Pick<PeerRelay, "known">>
  readonly requests: PackageRequests
  readonly settled: Pick<SeenTransactions, "confirmed" | "orphans" | "rejects">
  readonly judge: PackageJudge
  /** Called when a request was answered and the orphan is still one. */
  readonly failed: (request: PackageRequest) => void
}

const isSameList = (a: ReadonlyArray<Uint8Array>, b: ReadonlyArray<Uint8Array>): boolean =>
  a.length === b.length && a.every((each, i) => bytesEqual(each, b[i]!))

/** Handles the answers of peers to requests for ancestors. */
export const packageMessages = ({ context, failed, judge, peers, requests, settled }: PackageMessagesOptions) => {
  const { chain: { mempool }, crypto, environment } = context
  const { confirmed, orphans, rejects } = settled

  const isHere = (wtxid: Uint8Array): boolean =>
    orphans.has(wtxid) || mempool.has("wtxid", wtxid) || confirmed.has(wtxid)

  const conclude: PackageJudge = (peer, request, received) =>
    Effect.tap(judge(peer, request, received), (isOver) =>
      Effect.sync(() => {
        // An orphan that was not accepted may have other ancestors than this peer knows.
        if (isOver) requests.end(request)
        else failed(request)
      }))

  /** Requests the ancestors that this node lacks. */
  const request = (peer: Peer, of: PackageRequest, wtxids: ReadonlyArray<Uint8Array>): Effect.Effect<unknown> =>
    Effect.suspend((): Effect.Effect<unknown> => {
      const isUseless = wtxids.length > PACKAGE_LIMITS.transactions.most || wtxids.some((each) => rejects.has(each))
      if (of.isLate || isUseless) return Effect.sync(() => failed(of))
      of.ancestors = wtxids.map((each) => each.slice())
      of.wanted = of.ancestors.filter((each) => !isHere(each))
      of.until = environment.now() + PACKAGE_LIMITS.answerTime.most
      if (of.wanted.length === 0) return conclude(peer, of, [])
      return Effect.sync(() => peer.send({ command: "getpkgtxns", wtxids: of.wanted }))
    })

  return {
    ancestors: (peer: Peer, { wtxids }: MessageOf<"ancpkginfo">): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (!relaysPackages(peer, PackageVersion.ANCESTORS)) return Effect.void
        const last = wtxids.at(-1)
        const found = last &&
          requests.of(peer.id).find(({ ancestors, orphan }) => ancestors === undefined && bytesEqual(orphan, last))
        if (found === undefined) return Effect.sync(() => peer.disconnect({ _tag: "AncestorsNotRequested" }))
        if (new Set(wtxids.map(hashKey)).size < wtxids.length) {
          return Effect.sync(() => peer.discourage({ _tag: "AncestorNamedTwice" }))
        }
        return Effect.asVoid(request(peer, found, wtxids))
      }),

    transactions: (peer: Peer, payload: Uint8Array): Dispatched => {
      if (!relaysPackages(peer, PackageVersion.TRANSACTIONS)) return Result.succeed(Effect.void)
      return Result.map(messageBytes("pkgtxns", payload), (bytes) =>
        Effect.suspend(() => {
          const received = scanPackage(bytes, crypto)
          const wtxids = received.map(({ wtxid }) => wtxid)
          const found = requests.of(peer.id).find(({ ancestors, wanted }) =>
            ancestors !== undefined && isSameList(wanted, wtxids)
          )
          if (found === undefined) return Effect.sync(() => peer.discourage({ _tag: "PackageNotRequested" }))
          const known = peers.get(peer.id)?.known
          for (const wtxid of wtxids) known?.add(wtxid)
          return Effect.asVoid(conclude(peer, found, received))
        }))
    }
  }
}
