import type { ChainNotification } from "./p2p-chain.ts"

/** Subscribers to the chain. An exception of one does not affect the others. */
export interface Listeners {
  readonly add: (listener: Partial<ChainNotification>) => () => void
  readonly notify: <N extends keyof ChainNotification>(name: N, ...what: Parameters<ChainNotification[N]>) => void
}

/** Makes an empty list. `onDefect` receives exceptions of listeners. */
export const makeListeners = (onDefect: (defect: unknown) => void): Listeners => {
  const all = new Set<Partial<ChainNotification>>()
  return {
    add: (listener) => {
      all.add(listener)
      return () => void all.delete(listener)
    },
    notify: (name, ...what) => {
      for (const listener of all) {
        const receive = listener[name] as ((...args: typeof what) => void) | undefined
        try {
          receive?.(...what)
        } catch (defect) {
          onDefect(defect)
        }
      }
    }
  }
}
