import { parentPort, workerData } from "node:worker_threads"
import { libsecp256k1Provider } from "../../crypto/src/libsecp256k1.ts"
import { selectProvider } from "../../crypto/src/index.ts"
import type { Crypto } from "../../kernel/src/index.ts"
import { type RawCall, rawCallsOfChain } from "./raw-calls-of-chain.ts"

/** What a thread is given. */
export interface RawStart {
  readonly provider: string
  readonly chain: string
}

/**
 * How keys are given: as the node has them, which keeps those that were parsed; or each as bytes that are parsed anew,
 * which is what libsecp256k1's own benchmark calls a verification.
 */
export type RawKeys = "kept" | "bytes"

/** What a thread is asked. */
export interface RawAsked {
  readonly milliseconds: number
  readonly keys: RawKeys
}

/** How often a thread asked, and for how long. */
export interface RawFigures {
  readonly calls: number
  readonly seconds: number
  readonly processorSeconds: number
}

/** Calls between two looks at the clock. */
const AT_ONCE = 100

/** Asks one call after another, in the order of the chain, where it stopped the last time. */
const asker = (calls: ReadonlyArray<RawCall>, { ecdsaVerify, schnorrVerify }: Crypto) => {
  let next = 0
  const ask = (): void => {
    const { digest, isSchnorr, key, signature } = calls[next]!
    if (!(isSchnorr ? schnorrVerify : ecdsaVerify)(signature, key, digest)) {
      throw new Error("a signature of the chain does not verify")
    }
    next = next + 1 === calls.length ? 0 : next + 1
  }
  return (milliseconds: number): RawFigures => {
    const cpu = process.threadCpuUsage()
    const start = performance.now()
    let asked = 0
    for (; performance.now() - start < milliseconds; asked += AT_ONCE) for (let i = 0; i < AT_ONCE; i++) ask()
    const { system, user } = process.threadCpuUsage(cpu)
    return { calls: asked, seconds: (performance.now() - start) / 1_000, processorSeconds: (system + user) / 1e6 }
  }
}

/** The provider without memory of keys; only one has any. */
const forgetful = (name: string, usual: Crypto): Crypto => {
  const provider = name === "libsecp256k1" ? libsecp256k1Provider({ keepsKeys: false }) : undefined
  return provider?.available === true ? provider.crypto : usual
}

if (parentPort !== null) {
  const port = parentPort
  const { chain, provider } = workerData as RawStart
  const selection = selectProvider(provider)
  if (!selection.ok) throw new Error(`the crypto provider ${provider} has gone`)
  const { crypto } = selection.provider
  const calls = rawCallsOfChain(chain, crypto)
  const askers = { kept: asker(calls, crypto), bytes: asker(calls, forgetful(provider, crypto)) }
  askers.kept(200)
  askers.bytes(200)
  port.on("message", ({ keys, milliseconds }: RawAsked) => port.postMessage(askers[keys](milliseconds)))
  port.postMessage("ready")
}
