import type { Crypto } from "@lockstep/kernel/crypto"

/** The hashing half of the seam. */
export type Hashes = Pick<Crypto, "sha256" | "sha256d" | "ripemd160" | "sha1" | "hash160" | "sha256dPairs">
