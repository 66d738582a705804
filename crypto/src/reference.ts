import { nobleCrypto } from "@lockstep/kernel/noble"
import type { AvailableProvider } from "./provider.ts"

/** The kernel's portable provider: always available. The other providers are compared with it. */
export const referenceProvider = (): AvailableProvider => ({
  name: "noble",
  available: true,
  detail: "pure JavaScript",
  crypto: nobleCrypto
})
