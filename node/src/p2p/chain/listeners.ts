import type { ChainNotification } from "./p2p-chain.ts"

/** Subscribers to the chain; the failure of one is not another's. */
export interface Listeners {
  readonly add: (news: Partial<ChainNotification>) => () => void
  readonly notify: <N extends keyof ChainNotification>(name: N, ...what: Parameters<ChainNotification[N]>) => void
}

/** `onDefect` receives what a listener threw. */
export const makeListeners = (onDefect: (defect: unknown) => void): Listeners => {
  const all = new Set<Partial<ChainNotification>>()
  return {
    add: (news) => {
      all.add(news)
      return () => void all.delete(news)
    },
    notify: (name, ...what) => {
      for (const news of all) {
        const listener = news[name] as ((...args: typeof what) => void) | undefined
        try {
          listener?.(...what)
        } catch (defect) {
          onDefect(defect)
        }
      }
    }
  }
}
