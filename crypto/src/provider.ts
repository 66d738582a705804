import type { Crypto } from "@lockstep/kernel/crypto"

/** In the order of preference: fastest first, the one that always works last. */
export const PROVIDER_NAMES = ["libsecp256k1", "prebuilt", "noble"] as const

export type ProviderName = (typeof PROVIDER_NAMES)[number]

export interface AvailableProvider {
  readonly name: ProviderName
  readonly available: true
  /** What it runs on, in words. */
  readonly detail: string
  readonly crypto: Crypto
}

export interface UnavailableProvider {
  readonly name: ProviderName
  readonly available: false
  /** Why not, and what to do about it where something can be done. */
  readonly reason: string
}

export type Provider = AvailableProvider | UnavailableProvider
