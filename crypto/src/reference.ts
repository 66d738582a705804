import { nobleCrypto } from "@lockstep/kernel/crypto/noble.ts"
import type { AvailableProvider } from "./provider.ts"

/** The kernel's reference implementation: always there, and the one that the others are judged by. */
export const referenceProvider = (): AvailableProvider =>
  ({ name: "noble", available: true, detail: "pure JavaScript", crypto: nobleCrypto })
