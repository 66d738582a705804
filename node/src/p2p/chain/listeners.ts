import type { ChainNews } from "./p2p-chain.ts"

/** Whoever listens to the chain; the failure of one is not another's. */
export interface Listeners {
  readonly add: (news: Partial<ChainNews>) => () => void
  readonly tell: <N extends keyof ChainNews>(name: N, ...what: Parameters<ChainNews[N]>) => void
}

/** `onDefect` hears what a listener threw. */
export const makeListeners = (onDefect: (defect: unknown) => void): Listeners => {
  const all = new Set<Partial<ChainNews>>()
  return {
    add: (news) => {
      all.add(news)
      return () => void all.delete(news)
    },
    tell: (name, ...what) => {
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
