import { ancestorAt, type HeaderNode } from "@lockstep/kernel/chain"
import { retargetInterval } from "@lockstep/kernel/header"
import type { Network, NetworkName } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { MakeExtension } from "../chainstate/extension.ts"
import { pushState } from "../chainstate/push-state.ts"
import { nextVersion } from "../deployments/signalled-deployments.ts"
import { notifyEvent, notifyLog } from "../notify/notifications.ts"

/** Number of version bits that a deployment can use, from 0. Miners roll the others, 5 to 28 (BIP323), without meaning. */
export const BITS = 5
const DEPLOYABLE_BITS = (1 << BITS) - 1
const TOP_MASK = 0xe0000000
const TOP_BITS = 0x20000000

/**
 * Blocks below this height signal for deployments that have long been active and have heights instead. It is one period
 * above the last of them, taproot. The other networks have had none.
 */
const FIRST_HEIGHT: Readonly<Record<NetworkName, number>> = {
  mainnet: 709_632 + 2_016,
  testnet3: 2_011_968 + 2_016,
  testnet4: 0,
  signet: 0,
  regtest: 0
}

/** The state of a bit that no known deployment uses. */
export type BitState = "quiet" | "locked_in" | "active"

/** Period length, and number of its blocks that must signal: nine tenths on the main network, three quarters elsewhere. */
export interface SignallingWindow {
  readonly network: Network
  readonly period: number
  readonly threshold: number
}

export const signallingWindow = (
  { network, parameters }: Pick<ChainEngine, "network" | "parameters">
): SignallingWindow => {
  const period = retargetInterval(parameters.work)
  return { network, period, threshold: network.name === "mainnet" ? 1_815 : period * 3 / 4 }
}

/** Returns the bits that a block signals for and that no known deployment uses. */
const unexplained = ({ header: { version }, height, parent }: HeaderNode, network: Network): number => {
  if (height < FIRST_HEIGHT[network.name] || (version & TOP_MASK) !== TOP_BITS) return 0
  return version & DEPLOYABLE_BITS & ~(parent === undefined ? 0 : nextVersion(parent, network))
}

const QUIET: ReadonlyArray<BitState> = Array.from({ length: BITS }, () => "quiet")

/** Computes the states after the period that ends with `last`, from those before it. */
const afterPeriod = (
  states: ReadonlyArray<BitState>,
  last: HeaderNode,
  window: SignallingWindow
): ReadonlyArray<BitState> => {
  const counts = new Uint32Array(BITS)
  for (
    let node: HeaderNode | undefined = last, i = 0;
    node !== undefined && i < window.period;
    node = node.parent, i++
  ) {
    let bits = unexplained(node, window.network)
    for (; bits !== 0; bits &= bits - 1) counts[31 - Math.clz32(bits & -bits)]!++
  }
  return states.map((state, bit) =>
    state === "quiet" ? (counts[bit]! >= window.threshold ? "locked_in" : "quiet") : "active"
  )
}

/**
 * Makes a function that returns the state of each bit for the block on top of a tip. A bit passes the states of a
 * deployment (BIP9) that has always been started and never ends. The first period of a chain only starts it. The count
 * for an earlier tip is reused.
 */
export const unknownRules = (window: SignallingWindow): (tip: HeaderNode) => ReadonlyArray<BitState> => {
  const { network, period } = window
  const firstEnd = Math.max(2, Math.floor(FIRST_HEIGHT[network.name] / period) + 1) * period - 1
  let known: { readonly last: HeaderNode; readonly states: ReadonlyArray<BitState> } | undefined

  return (tip) => {
    const end = Math.floor((tip.height + 1) / period) * period - 1
    if (end < firstEnd) return QUIET
    const isOnTheWay = known !== undefined && known.last.height <= end &&
      ancestorAt(tip, known.last.height) === known.last
    let states = isOnTheWay ? known!.states : QUIET
    for (let at = isOnTheWay ? known!.last.height + period : firstEnd; at <= end; at += period) {
      const last = ancestorAt(tip, at)!
      states = afterPeriod(states, last, window)
      known = { last, states }
    }
    return states
  }
}

/** Warns, outside the initial block download, when unknown rules become active: the node may follow an invalid chain. */
export const unknownRulesWatch: MakeExtension = (engine) =>
  Effect.sync(() => {
    const statesAt = unknownRules(signallingWindow(engine))
    const warned = new Set<string>()

    const warn = (bit: number, state: BitState): void => {
      if (state === "quiet" || warned.has(`${bit} ${state}`)) return
      warned.add(`${bit} ${state}`)
      const event = { name: `unknown (versionbit ${bit})`, height: engine.tree.tip.height + 1 }
      if (state === "locked_in") {
        notifyLog(
          engine,
          "warn",
          "Rules that this node does not know are about to come into force; look for a newer version",
          { versionbit: bit }
        )
        return notifyEvent(engine, "SoftForkLockedIn", event)
      }
      engine.warnings.add(`Unknown new rules activated (versionbit ${bit})`)
      notifyLog(engine, "warn", "Unknown new rules activated", { versionbit: bit })
      notifyEvent(engine, "SoftForkActivated", event)
    }

    const look = (): void => {
      if (!engine.initialBlockDownload) statesAt(engine.tree.tip).forEach((state, bit) => warn(bit, state))
    }
    const first = Effect.sync(() => {
      look()
      pushState(engine)
    })
    return { hooks: [{ committed: look }], first }
  })
