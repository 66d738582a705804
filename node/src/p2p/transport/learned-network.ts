import type { Endpoint } from "../../net/endpoint.ts"

/** What other programs on the machine, such as Tor, say while the node runs. */
export interface LearnedNetwork {
  /** The proxy through which Tor reaches onion services; `undefined` if nothing was learned. */
  readonly onionProxy: () => Endpoint | undefined
  readonly learnOnionProxy: (proxy: Endpoint) => void
  readonly addOwn: (endpoint: Endpoint) => void
  readonly removeOwn: (endpoint: Endpoint) => void
}
