import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { activateBestChain, disconnectTip, markInvalid, type Listener } from "./activate.ts"
import {
  type Entry,
  isActive,
  SEQUENCE_AT_START,
  SEQUENCE_OF_TIP_AT_START,
  type Store,
  withDescendants
} from "./store.ts"

const SILENT: Listener = { judged: () => {} }

/** `invalidateblock`: a block, and everything on top of it, counts as invalid until `reconsiderblock`. */
export const invalidateBlock = (store: Store, entry: Entry): void => {
  while (isActive(store, entry)) disconnectTip(store)
  markInvalid(entry)
  activateBestChain(store, SILENT)
}

/** `reconsiderblock`: takes the mark off a block, its ancestors and everything on top of it. */
export const reconsiderBlock = (store: Store, entry: Entry): void => {
  for (const each of withDescendants(entry)) each.invalid = false
  for (let at = entry.parent; at !== undefined; at = at.parent) at.invalid = false
  activateBestChain(store, SILENT)
}

/** `preciousblock`: among chains of equal work, this one is to be taken for the one that was seen first. */
export const preciousBlock = (store: Store, entry: Entry): void => {
  const { chainWork } = store.tip.node
  if (entry.node.chainWork < chainWork) return
  if (chainWork > store.preciousWork) store.nextPrecious = -1
  store.preciousWork = chainWork
  entry.sequence = store.nextPrecious--
  activateBestChain(store, SILENT)
}

/**
 * Stops and starts the node, perhaps with other options: the order of arrival is forgotten, but for the chain that was
 * active.
 */
export const restart = (store: Store, parameters: ChainParameters = store.parameters): void => {
  store.parameters = parameters
  for (const entry of store.entries.values()) {
    entry.sequence = isActive(store, entry) ? SEQUENCE_OF_TIP_AT_START : SEQUENCE_AT_START
    entry.arrival = 0
  }
  store.nextSequence = SEQUENCE_AT_START + 1
  store.nextPrecious = -1
  store.preciousWork = 0n
}
