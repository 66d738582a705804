import { ecdsaChecks } from "./ecdsa-checks.ts"
import { ecdsaVerification } from "./ecdsa-verification.ts"
import { legacyHashes } from "./legacy-hashes.ts"
import { schnorrVerification } from "./schnorr-verification.ts"
import { scriptPathSpends } from "./script-path-spends.ts"
import { spendDigestVectors } from "./spend-digests.ts"
import { keyPathSpends } from "./key-path-spends.ts"
import { tapscriptChecks } from "./tapscript-checks.ts"
import { taprootHashes } from "./taproot-hashes.ts"
import { taprootSpends } from "./taproot-spends.ts"
import type { RuleVectors } from "./vector.ts"
import { witnessV0Hashes } from "./witness-v0-hashes.ts"

/** The vector files whose cases hold hashes or signatures, which cannot be written by hand. */
export const GENERATED: ReadonlyArray<RuleVectors> = [
  ecdsaVerification,
  ecdsaChecks,
  schnorrVerification,
  legacyHashes,
  witnessV0Hashes,
  taprootHashes,
  spendDigestVectors,
  keyPathSpends,
  tapscriptChecks,
  scriptPathSpends,
  taprootSpends
]
