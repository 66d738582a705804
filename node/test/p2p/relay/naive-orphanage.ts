import type { Random } from "../../../src/p2p/basics/environment.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { type ScannedTransaction, spentOutpoints } from "../../../src/p2p/relay/scan-transaction.ts"

/** A peer's announcement of an orphan, in a list in order of arrival. */
interface Announcement {
  readonly tx: ScannedTransaction
  readonly peer: number
  isMarked: boolean
}

/** A share as thousandths of thousandths never are: exact. */
type Share = readonly [used: bigint, allowed: bigint]

const LATENCY = 3_000
const WEIGHT = 404_000

const key = ({ wtxid }: ScannedTransaction): string => hashKey(wtxid)
const score = ({ inputs }: ScannedTransaction): number => Math.floor(inputs / 10)
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

const isMore = (a: Share, b: Share): boolean => a[0] * b[1] > b[0] * a[1]
const isSame = (a: Share, b: Share): boolean => a[0] * b[1] === b[0] * a[1]
const isWorse = (a: Share, b: Share): boolean => isMore(a, b) || (isSame(a, b) && a[1] < b[1])

const spends = (tx: ScannedTransaction, outpoint: string): boolean =>
  spentOutpoints(tx).some((each) => hashKey(each) === outpoint)

/** The orphanage as a list of announcements, with everything counted anew whenever it is asked for. */
export const naiveOrphanage = (random: Pick<Random, "below">) => {
  let list: Array<Announcement> = []

  const unique = (): ReadonlyArray<ScannedTransaction> => [...new Map(list.map(({ tx }) => [key(tx), tx])).values()]
  const of = (peer: number): ReadonlyArray<Announcement> => list.filter((each) => each.peer === peer)
  const peers = (): ReadonlyArray<number> => [...new Set(list.map(({ peer }) => peer))].toSorted((a, b) => a - b)
  const latency = (): number => list.length + sum(unique().map(score))
  const weight = (): number => sum(unique().map((tx) => tx.weight))
  const isOver = (): boolean => latency() > LATENCY || weight() > WEIGHT * Math.max(1, peers().length)
  const trim = (): void => {
    const allowance = BigInt(Math.floor(LATENCY / Math.max(1, peers().length)))
    const shareOf = (peer: number): Share => {
      const own = of(peer)
      const byLatency: Share = [BigInt(sum(own.map(({ tx }) => 1 + score(tx)))), allowance]
      const byWeight: Share = [BigInt(sum(own.map(({ tx }) => tx.weight))), BigInt(WEIGHT)]
      return isWorse(byWeight, byLatency) ? byWeight : byLatency
    }
    let greedy = peers().filter((peer) => isMore(shareOf(peer), [1n, 1n]))
    while (isOver()) {
      // The last of those that no other is worse than, in order of their numbers.
      const worst = greedy.findLast((peer) => greedy.every((other) => !isWorse(shareOf(other), shareOf(peer))))!
      const others = greedy.filter((peer) => peer !== worst)
      const next = others.find((peer) => others.every((other) => !isWorse(shareOf(other), shareOf(peer))))
      const until: Share = next === undefined ? [1n, 1n] : shareOf(next)
      do {
        const own = of(worst)
        const victim = own.find(({ isMarked }) => !isMarked) ?? own[0]
        list = list.filter((each) => each !== victim)
      } while (isOver() && of(worst).length > 0 && isMore(shareOf(worst), until))
      if (of(worst).length === 0) greedy = others
    }
  }

  return {
    add: (tx: ScannedTransaction, peer: number): void => {
      if (tx.weight > 400_000 || list.some((each) => each.peer === peer && key(each.tx) === key(tx))) return
      list.push({ tx, peer, isMarked: false })
      if (isOver()) trim()
    },
    remove: (tx: ScannedTransaction): void => {
      list = list.filter((each) => key(each.tx) !== key(tx))
    },
    removeSpenders: (outpoint: Uint8Array): void => {
      list = list.filter(({ tx }) => !spends(tx, hashKey(outpoint)))
    },
    gone: (peer: number): void => {
      list = list.filter((each) => each.peer !== peer)
    },
    /** `outputs`: outpoints in order. */
    assignChildren: (outputs: ReadonlyArray<Uint8Array>): void => {
      for (const outpoint of outputs) {
        const spenders = unique().filter((tx) => spends(tx, hashKey(outpoint)))
        for (const tx of spenders.toSorted((a, b) => key(a) < key(b) ? -1 : 1)) {
          const all = list.filter((each) => key(each.tx) === key(tx)).toSorted((a, b) => a.peer - b.peer)
          if (!all.some(({ isMarked }) => isMarked)) all[random.below(all.length)]!.isMarked = true
        }
      }
    },
    nextToTry: (peer: number): ScannedTransaction | undefined => {
      const next = of(peer).find(({ isMarked }) => isMarked)
      if (next !== undefined) next.isMarked = false
      return next?.tx
    },
    childrenFrom: (parent: Uint8Array, peer: number): ReadonlyArray<string> => {
      const children = of(peer).toReversed()
        .filter(({ tx }) => spentOutpoints(tx).some((each) => hashKey(each.subarray(0, 32)) === hashKey(parent)))
      return [...children.filter(({ isMarked }) => isMarked), ...children.filter(({ isMarked }) => !isMarked)]
        .map(({ tx }) => key(tx))
    },
    /** Each orphan with its announcers, in order of their ids. */
    all: (): ReadonlyArray<readonly [string, ReadonlyArray<number>]> =>
      unique().map((tx) =>
        [
          key(tx),
          list.filter((each) => key(each.tx) === key(tx)).map(({ peer }) => peer).toSorted((a, b) => a - b)
        ] as const
      ).toSorted(([a], [b]) => a < b ? -1 : 1),
    sizes: () => ({ orphans: unique().length, announcements: list.length, latency: latency(), weight: weight() }),
    peersWithWork: (): ReadonlyArray<number> => peers().filter((peer) => of(peer).some(({ isMarked }) => isMarked))
  }
}
