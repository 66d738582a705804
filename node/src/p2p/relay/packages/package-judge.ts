import { packageHash } from "@lockstep/kernel/relay"
import * as Effect from "effect/Effect"
import { displayHash } from "../../../hex.ts"
import type { P2pContext } from "../../peer/p2p-context.ts"
import type { Peer } from "../../peer/peer.ts"
import type { ScannedTransaction } from "../scan-transaction.ts"
import type { SeenTransactions } from "../already-have-tx.ts"
import type { TxDownload } from "../transaction-intake.ts"
import { PACKAGE_LIMITS } from "./package-limits.ts"
import type { PackageRequest } from "./package-requests.ts"
import { ancestorsFirst } from "./scan-package.ts"

export interface PackageJudgeOptions {
  readonly context: Pick<P2pContext, "crypto" | "environment" | "notify">
  readonly settled: Pick<SeenTransactions, "orphans" | "reconsiderable">
  readonly takePackage: TxDownload["takePackage"]
}

/**
 * Validates an orphan with the received transactions and its ancestors in the orphanage. Returns true if they were
 * accepted or the orphan is gone.
 */
export type PackageJudge = (
  peer: Peer,
  request: PackageRequest,
  received: ReadonlyArray<ScannedTransaction>
) => Effect.Effect<boolean>

export const packageJudge = (
  { context: { crypto, environment, notify }, settled: { orphans, reconsiderable }, takePackage }: PackageJudgeOptions
): PackageJudge =>
  Effect.fnUntraced(function*(peer, request, received) {
    const orphan = orphans.get(request.orphan)
    if (orphan === undefined) return true
    const held = (request.ancestors ?? []).flatMap((wtxid) => orphans.get(wtxid)?.transaction ?? [])
    const members = ancestorsFirst(orphan.transaction, [...received, ...held])
    const id = packageHash(members.map(({ wtxid }) => wtxid), crypto)
    const package_id = displayHash(id)
    notify.event("PackageReceived", { package_id, transactions: members.length, peer: peer.name })
    const weight = members.reduce((sum, each) => sum + each.weight, 0)
    const failure = weight > PACKAGE_LIMITS.weight.most
      ? "package-too-large"
      : reconsiderable.has(id)
      ? "rejected before"
      : yield* takePackage(members, id, peer.id)
    if (failure === undefined) {
      peer.traffic.lastTransaction = environment.now()
      return true
    }
    notify.event("PackageRejected", { package_id, reason: failure, peer: peer.name })
    if (failure === "conflict-in-package") peer.discourage({ _tag: "PackageOfConflicts" })
    return false
  })
