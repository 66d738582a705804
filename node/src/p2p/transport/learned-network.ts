import type { Endpoint } from "../../net/endpoint.ts"

/** State learned while the node runs from other programs on the machine, such as Tor. */
export interface LearnedNetwork {
  /** Returns the proxy through which Tor reaches onion services, or `undefined` if nothing was learned. */
  readonly onionProxy: () => Endpoint | undefined
  readonly learnOnionProxy: (proxy: Endpoint) => void
  readonly addOwn: (endpoint: Endpoint) => void
  readonly removeOwn: (endpoint: Endpoint) => void
}
