import type { Ciphers } from "./ciphers.ts"
import type { EllSwift } from "./ellswift.ts"
import { nodeCiphers } from "./node-ciphers.ts"
import { fastestEllSwift } from "./select-ellswift.ts"

/** What the encrypted transport needs of cryptography. */
export type TransportCrypto = EllSwift & Ciphers

/** By the fastest that this machine has. Its scratch memory belongs to the thread that calls this. */
export const fastestTransportCrypto = (): TransportCrypto => ({ ...nodeCiphers, ...fastestEllSwift().ellSwift })
