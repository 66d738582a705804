import { indexes } from "../indexes/indexes.ts"
import { maintenance } from "../maintenance/maintenance.ts"
import { engineFigures } from "../metrics/engine-figures.ts"
import { pool } from "../engine/mempool/mempool-extension.ts"
import { spaceWatch } from "../engine/chainstate/space-watch.ts"
import { largeInvalidChainWatch } from "../engine/validation/large-invalid-chain.ts"
import { unknownRulesWatch } from "../engine/validation/unknown-rules.ts"
import { witnessesValidated } from "../engine/validation/witnesses-validated.ts"

/**
 * The parts of a node's engine besides the chain, in the order they are made: indexes, pruning, import, verification,
 * the mempool, warnings of unknown rules and of invalid chains, metrics.
 */
export const EXTENSIONS = [
  spaceWatch,
  witnessesValidated,
  indexes,
  maintenance,
  pool,
  unknownRulesWatch,
  largeInvalidChainWatch,
  engineFigures
] as const
